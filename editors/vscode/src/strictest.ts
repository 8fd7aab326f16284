/** What VS Code knows of a setting, as far as it says who has given which value. */
export interface Inspected<T> {
  defaultValue?: T;
  globalValue?: T;
  workspaceValue?: T;
  workspaceFolderValue?: T;
}

/**
 * values are the user's own value and those of the workspace, which is text that agents
 * write: it may make a bound stricter, and must not lift it.
 */
function values<T>(setting: Inspected<T> | undefined): T[] {
  const all = [setting?.globalValue ?? setting?.defaultValue, setting?.workspaceValue, setting?.workspaceFolderValue];
  return all.filter((value) => value !== undefined);
}

/** allowed says whether the user allows something, and no workspace forbids it. */
export function allowed(setting: Inspected<boolean> | undefined): boolean {
  return values(setting).every((value) => value === true);
}

/** union is all that is in the user's list or in one of a workspace. */
export function union(settings: (Inspected<string[]> | undefined)[]): string[] {
  const names: unknown[] = settings.flatMap(values).flat();
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

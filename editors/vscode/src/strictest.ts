/** Inspected is the part of what VS Code knows about a setting that says who has set which value. */
export interface Inspected<T> {
  defaultValue?: T;
  globalValue?: T;
  workspaceValue?: T;
  workspaceFolderValue?: T;
}

/**
 * values returns the user's own value and those of the workspace. Agents can write the
 * latter, which may therefore make a bound stricter but must not lift it.
 */
function values<T>(setting: Inspected<T> | undefined): T[] {
  const all = [setting?.globalValue ?? setting?.defaultValue, setting?.workspaceValue, setting?.workspaceFolderValue];
  return all.filter((value) => value !== undefined);
}

/** allowed says whether the user allows something, and no workspace forbids it. */
export function allowed(setting: Inspected<boolean> | undefined): boolean {
  return values(setting).every((value) => value === true);
}

/** union returns the strings in the user's lists and in those of the workspace. */
export function union(settings: (Inspected<string[]> | undefined)[]): string[] {
  const names: unknown[] = settings.flatMap(values).flat();
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

/** A context is what VS Code knows of a window, by key. */
type Context = ReadonlyMap<string, string | true>;

/**
 * clauseHolds says whether a `when` clause holds, as VS Code has it: `&&` binds more than `||`, and `!` and `==` stand
 * with one key. It throws at what package.json has no need of.
 */
export function clauseHolds(clause: string | undefined, context: Context): boolean {
  return clause === undefined || alternatives(clause).some((terms) => terms.every((term) => termHolds(term, context)));
}

/** keysOf are the keys that a clause asks for. */
export function keysOf(clause: string): string[] {
  return alternatives(clause).flatMap((terms) => terms.map((term) => partsOf(term).key));
}

function alternatives(clause: string): string[][] {
  return clause.split(" || ").map((part) => part.split(" && "));
}

function termHolds(term: string, context: Context): boolean {
  const { not, key, value } = partsOf(term);
  const has = value === undefined ? context.has(key) : context.get(key) === value;
  return has !== not;
}

function partsOf(term: string): { not: boolean; key: string; value: string | undefined } {
  const [, not, key, value] = /^(!?)([\w.]+)(?: == ([\w-]+))?$/.exec(term) ?? [];
  if (key === undefined) {
    throw new Error(`"${term}" is not understood`);
  }
  return { not: not !== "", key, value };
}

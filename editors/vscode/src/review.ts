import type { Listing } from "./protocol";

/** A hunk of an agent's edit in one document that the user has not reviewed. Lines count from 0. */
export interface Hunk {
  edit_id: string;
  hunk: number;
  agent: string;
  /** The name of the file in results. */
  path: string;
  first: number;
  last: number;
}

/** hunksIn returns the hunks of a document, those of the newest edit first. */
export function hunksIn({ documents, edits }: Listing, isDocument: (uri: string) => boolean): Hunk[] {
  const paths = documents.filter(({ uri }) => isDocument(uri)).map(({ path }) => path);
  return edits.flatMap(({ edit_id, agent, marked }) =>
    marked
      .filter(({ path }) => paths.includes(path))
      .map(({ path, hunk, start_line, end_line }) => ({
        edit_id,
        hunk,
        agent,
        path,
        first: start_line - 1,
        last: Math.max(start_line, end_line) - 1,
      })),
  );
}

/** meets reports whether a hunk is on one of the lines from `from` to `to`. */
export function meets({ first, last }: Hunk, from: number, to: number): boolean {
  return first <= to && from <= last;
}

/** hunkAt returns the hunk on a line: the one of the edit `marked`, else the newest. */
export function hunkAt(hunks: readonly Hunk[], line: number, marked?: string): Hunk | undefined {
  const here = hunks.filter((hunk) => meets(hunk, line, line));
  return here.find(({ edit_id }) => edit_id === marked) ?? here[0];
}

/** Place is a part of a text, by offsets in UTF-16 code units. */
export interface Place {
  start: number;
  end: number;
}

/** Splice is a part of a text and the text that replaces it. */
export interface Splice extends Place {
  text: string;
}

export interface Spliced {
  text: string;
  /** Where the new texts stand, in the order of the text. */
  places: Place[];
}

/** splice returns the text with all of the changes, or undefined if two of them overlap. */
export function splice(text: string, changes: readonly Splice[]): Spliced | undefined {
  const sorted = [...changes].sort((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  const places: Place[] = [];
  let done = 0;
  let length = 0;
  for (const change of sorted) {
    if (change.start < done || change.end < change.start || change.end > text.length) {
      return undefined;
    }
    parts.push(text.slice(done, change.start), change.text);
    length += change.start - done;
    places.push({ start: length, end: length + change.text.length });
    length += change.text.length;
    done = change.end;
  }
  parts.push(text.slice(done));
  return { text: parts.join(""), places };
}

/** withLineEnds returns a text with each of its line ends replaced by lineEnd. */
export function withLineEnds(text: string, lineEnd: string): string {
  return text.replace(/\r\n|\r|\n/g, lineEnd);
}

/** A change of a document: `length` characters from `start` on became `text`. */
export interface Change {
  start: number;
  length: number;
  text: string;
}

/**
 * rebase moves edits of a text over a change that came first. It returns undefined if the change meets a line of an
 * edit: whether an edit may be made in a line that the user has changed is for the server to decide.
 */
export function rebase(text: string, edits: readonly Splice[], change: Change): Splice[] | undefined {
  const end = change.start + change.length;
  const grown = change.text.length - change.length;
  const moved: Splice[] = [];
  for (const edit of edits) {
    const lines = linesOf(text, edit);
    if (end < lines.start) {
      moved.push({ ...edit, start: edit.start + grown, end: edit.end + grown });
    } else if (change.start > lines.end) {
      moved.push(edit);
    } else {
      return undefined;
    }
  }
  return moved;
}

/** linesOf returns the place of an edit's lines, without the last line end. For whole new lines it is where they go. */
function linesOf(text: string, { start, end, text: added }: Splice): Place {
  const first = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  if (start === end && start === first && added.endsWith("\n")) {
    return { start, end };
  }
  const last = text.indexOf("\n", start === end ? end : end - 1);
  return { start: first, end: last < 0 ? text.length : last };
}

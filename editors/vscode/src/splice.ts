/** A part of a text, by offsets in UTF-16. */
export interface Place {
  start: number;
  end: number;
}

/** What is put in the place of a part of a text. */
export interface Splice extends Place {
  text: string;
}

export interface Spliced {
  text: string;
  /** Where the new texts stand, in the order of the text. */
  places: Place[];
}

/** splice returns the text with all of the changes, or nothing if two of them meet. */
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

/** withLineEnds returns a text as a document with these line ends holds it. */
export function withLineEnds(text: string, lineEnd: string): string {
  return text.replace(/\r\n|\r|\n/g, lineEnd);
}

/** A change of a document: `length` characters from `start` on became `text`. */
export interface Change {
  start: number;
  length: number;
  text: string;
}

/** rebase carries edits over a change that came first, or returns nothing if they meet. */
export function rebase(edits: readonly Splice[], { start, length, text }: Change): Splice[] | undefined {
  const end = start + length;
  const grown = text.length - length;
  const moved: Splice[] = [];
  for (const edit of edits) {
    const isInsertion = edit.start === edit.end;
    if (end < edit.start || (end === edit.start && !isInsertion)) {
      moved.push({ ...edit, start: edit.start + grown, end: edit.end + grown });
    } else if (start > edit.end || (start === edit.end && !isInsertion)) {
      moved.push(edit);
    } else {
      return undefined;
    }
  }
  return moved;
}

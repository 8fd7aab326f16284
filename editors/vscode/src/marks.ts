import type { Change, Place } from "./splice";

/** Whose edit a mark is of. */
export interface Author {
  id: string;
  agent: string;
  command: string;
}

/** A place that an agent has edited: empty where it only deleted. */
export interface Mark extends Place {
  /** Absent until the server says which edit it was. */
  author?: Author;
  /** When it was made, in milliseconds. */
  since: number;
}

/**
 * follow returns the mark as it is after a change, or nothing if what it marked is gone.
 * What is typed at its edges does not belong to it, and what is typed inside does. The
 * mark of a deletion goes as soon as anything happens at its place, such as an undo.
 */
export function follow(mark: Mark, { start, length, text }: Change): Mark | undefined {
  const end = start + length;
  const grown = text.length - length;
  if (mark.start === mark.end && start <= mark.start && mark.start <= end) {
    return undefined;
  }
  if (end <= mark.start) {
    return { ...mark, start: mark.start + grown, end: mark.end + grown };
  }
  if (start >= mark.end) {
    return mark;
  }
  if (start <= mark.start && end >= mark.end) {
    return undefined;
  }
  if (start >= mark.start && end <= mark.end) {
    return { ...mark, end: mark.end + grown };
  }
  if (start < mark.start) {
    return { ...mark, start: start + text.length, end: mark.end + grown };
  }
  return { ...mark, end: start };
}

import type { Change, Place } from "./splice";

/** Author is the edit that made a mark, and the agent that made the edit. */
export interface Author {
  id: string;
  agent: string;
  command: string;
}

/** Mark is a place that an agent has edited. It is empty if the agent only deleted text. */
export interface Mark extends Place {
  /** Absent until the server reports the edit. */
  author?: Author;
  /** When the mark was made, as Date.now() gives it. */
  since: number;
}

/**
 * follow returns the mark as it is after a change, or undefined if the marked text was removed.
 * Text typed at the edges of a mark does not become part of it; text typed inside does. The
 * mark of a deletion disappears with any change at its place, such as an undo.
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

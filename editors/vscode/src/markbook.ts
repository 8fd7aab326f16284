import { type Author, type Mark, follow } from "./marks";
import type { Change, Place } from "./splice";

/** MarkBook holds the marks of all documents, by URI. */
export class MarkBook {
  private readonly marks = new Map<string, Mark[]>();

  /** changed is called with the URI of a document whose marks have changed. */
  constructor(private readonly changed: (uri: string) => void) {}

  list(uri: string): readonly Mark[] {
    return this.marks.get(uri) ?? [];
  }

  /** at returns the newest mark at an offset. */
  at(uri: string, offset: number): Mark | undefined {
    return this.list(uri).findLast((m) => m.start <= offset && offset <= m.end);
  }

  /** documents returns the URIs of the documents that have marks. */
  documents(): string[] {
    return [...this.marks.keys()];
  }

  /** add marks the places of an edit that was just applied. The server reports later whose edit it is. */
  add(uri: string, places: readonly Place[], since: number): void {
    this.set(uri, [...this.list(uri), ...places.map(({ start, end }) => ({ start, end, since }))]);
  }

  /** follow moves the marks of a document along with a change of its text. */
  follow(uri: string, changes: readonly Change[]): void {
    const before = this.marks.get(uri);
    if (before === undefined || changes.length === 0) {
      return;
    }
    let marks = before;
    for (const change of changes) {
      marks = marks.flatMap((mark) => follow(mark, change) ?? []);
    }
    this.set(uri, marks);
  }

  /** name sets the author of those marks of a document that have none. */
  name(uri: string, author: Author): void {
    this.set(
      uri,
      this.list(uri).map((mark) => (mark.author ? mark : { ...mark, author })),
    );
  }

  /** drop removes the marks of a document for which `which` holds. */
  drop(uri: string, which: (mark: Mark) => boolean = () => true): void {
    const before = this.list(uri);
    const after = before.filter((mark) => !which(mark));
    if (after.length < before.length) {
      this.set(uri, after);
    }
  }

  /** dropEverywhere removes marks of all documents. */
  dropEverywhere(which: (mark: Mark) => boolean = () => true): void {
    for (const uri of this.documents()) {
      this.drop(uri, which);
    }
  }

  /** oldest returns when the oldest mark was made, or undefined if there is none. */
  oldest(): number | undefined {
    const all = [...this.marks.values()].flat();
    return all.length === 0 ? undefined : Math.min(...all.map((mark) => mark.since));
  }

  private set(uri: string, marks: Mark[]): void {
    if (marks.length === 0) {
      this.marks.delete(uri);
    } else {
      this.marks.set(uri, marks);
    }
    this.changed(uri);
  }
}

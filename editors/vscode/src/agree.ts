import * as vscode from "vscode";
import { findDocument } from "./documents";
import type { MarkBook } from "./markbook";
import type { Mark } from "./marks";
import type { Listing } from "./protocol";
import { type Hunk, hunksIn, meets } from "./review";

/** How many times the server is asked at most, if the user types before each answer. */
const tries = 5;

/** How long, in milliseconds, soon waits for further calls, so that the server is asked only once. */
const gathering = 100;

/**
 * Agreement removes the marks of hunks that, according to the server, are no longer to be reviewed
 * because an agent or the user has kept or reverted them.
 */
export class Agreement implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly lenses = new WeakMap<vscode.TextDocument, number>();

  constructor(
    private readonly book: MarkBook,
    private readonly list: () => Promise<Listing>,
  ) {}

  /** hunks returns the hunks of a document that are still to be reviewed. */
  async hunks(doc: vscode.TextDocument): Promise<Hunk[]> {
    return hunksOf(await this.list(), doc);
  }

  /** lensed records how many code lenses a document has. If it has fewer than before, something was reviewed. */
  lensed(doc: vscode.TextDocument, count: number): void {
    if (count < (this.lenses.get(doc) ?? 0)) {
      this.soon();
    }
    this.lenses.set(doc, count);
  }

  /** soon calls reach after a short wait, which each further call restarts. */
  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.reach().catch(() => {}), gathering);
  }

  /** reach makes the marks agree with the server. It asks again if a document changes before the answer. */
  async reach(): Promise<void> {
    for (let left = tries; left > 0; left--) {
      const versions = this.marked().map((doc) => ({ doc, version: doc.version }));
      if (versions.length === 0) {
        return;
      }
      const listing = await this.list();
      const still = versions.filter(({ doc, version }) => doc.version === version);
      still.forEach(({ doc }) => this.drop(doc, hunksOf(listing, doc)));
      if (still.length === versions.length) {
        return;
      }
    }
  }

  private marked(): vscode.TextDocument[] {
    return this.book.documents().flatMap((uri) => findDocument(vscode.Uri.parse(uri)) ?? []);
  }

  private drop(doc: vscode.TextDocument, hunks: Hunk[]): void {
    const isLeft = (mark: Mark) => {
      const from = doc.positionAt(mark.start).line;
      const to = doc.positionAt(Math.max(mark.start, mark.end - 1)).line;
      return hunks.some((hunk) => hunk.edit_id === mark.author?.id && meets(hunk, from, to));
    };
    this.book.drop(doc.uri.toString(), (mark) => mark.author !== undefined && !isLeft(mark));
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}

function hunksOf(listing: Listing, doc: vscode.TextDocument): Hunk[] {
  return hunksIn(listing, (uri) => vscode.Uri.parse(uri).toString() === doc.uri.toString());
}

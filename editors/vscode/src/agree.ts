import * as vscode from "vscode";
import { findDocument } from "./documents";
import type { MarkBook } from "./markbook";
import type { Mark } from "./marks";
import type { Listing } from "./protocol";
import { type Hunk, hunksIn, meets } from "./review";

/** How often the server is asked again because the user typed meanwhile. */
const tries = 5;

/** How long, in milliseconds, several reasons to ask are waited for. */
const gathering = 100;

/**
 * Agreement keeps our marks to what the server says is still to be reviewed: what was
 * kept or reverted, by whomever, has no mark.
 */
export class Agreement implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly lenses = new WeakMap<vscode.TextDocument, number>();

  constructor(
    private readonly book: MarkBook,
    private readonly list: () => Promise<Listing>,
  ) {}

  /** hunks returns what is to be reviewed in a document. */
  async hunks(doc: vscode.TextDocument): Promise<Hunk[]> {
    return hunksOf(await this.list(), doc);
  }

  /** lensed takes in how many code lenses a document has: when they become fewer, something was reviewed. */
  lensed(doc: vscode.TextDocument, count: number): void {
    if (count < (this.lenses.get(doc) ?? 0)) {
      this.soon();
    }
    this.lenses.set(doc, count);
  }

  /** soon makes marks and server agree, in a moment. */
  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.reach().catch(() => {}), gathering);
  }

  /** reach makes them agree. The lines that the server tells are those of one version of a text. */
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

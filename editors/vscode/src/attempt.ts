import * as vscode from "vscode";
import { nameOf } from "./documents";
import { Refusal } from "./refusal";
import { type Change, type Place, type Splice, rebase, splice } from "./splice";

/** Applied is called with the document and the places of the new text, before the document changes any further. */
export type Applied = (doc: vscode.TextDocument, places: readonly Place[]) => void;

/**
 * Versions are a document's versions before and after an edit. Exactly the changes with a version above `before`, up
 * to `after`, are the edit; by them the server tells the edit from what the user typed.
 */
export interface Versions {
  before: number;
  after: number;
}

/** How long, in milliseconds, VS Code may take from its answer until it notifies this process of the change. */
const patience = 1000;

/** Attempt is one request to VS Code to edit a document. It records the document's changes from then on. */
export class Attempt implements vscode.Disposable {
  private readonly listener: vscode.Disposable;
  private readonly accepted: Thenable<boolean>;
  private readonly changes: Change[] = [];
  private readonly first: Promise<Versions>;
  private readonly text: string;

  constructor(
    doc: vscode.TextDocument,
    private readonly edits: readonly Splice[],
    applied: Applied,
  ) {
    this.text = doc.getText();
    const wanted = splice(this.text, edits);
    if (wanted === undefined) {
      throw new Refusal(`two edits of ${nameOf(doc.uri)} meet`);
    }
    let found: (versions: Versions) => void;
    const before = doc.version;
    this.first = new Promise((resolve) => (found = resolve));
    this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document !== doc || contentChanges.length === 0) {
        return;
      }
      if (this.changes.length === 0 && doc.getText() === wanted.text) {
        applied(doc, wanted.places);
      }
      for (const { rangeOffset, rangeLength, text } of contentChanges) {
        this.changes.push({ start: rangeOffset, length: rangeLength, text });
      }
      found({ before, after: doc.version });
    });
    this.accepted = applyEdits(doc, edits);
  }

  /** isAccepted reports whether VS Code has accepted the edit. It refuses one if its own text is newer than ours. */
  async isAccepted(): Promise<boolean> {
    return this.accepted;
  }

  /**
   * change waits for the first change of the document and returns its versions, or undefined if none comes in time. If
   * VS Code has accepted the edit, that change is the edit: VS Code refuses an edit of a text that has changed.
   */
  async change(): Promise<Versions | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patience)));
    return Promise.race([this.first, late]).finally(() => clearTimeout(timer));
  }

  /** rebased returns the edits moved over the changes that came first, or undefined if there are none or they meet. */
  rebased(): Splice[] | undefined {
    if (this.changes.length === 0) {
      return undefined;
    }
    let edits: Splice[] | undefined = [...this.edits];
    let text = this.text;
    for (const change of this.changes) {
      edits = edits && rebase(text, edits, change);
      text = text.slice(0, change.start) + change.text + text.slice(change.start + change.length);
    }
    return edits;
  }

  dispose(): void {
    this.listener.dispose();
  }
}

function applyEdits(doc: vscode.TextDocument, edits: readonly Splice[]): Thenable<boolean> {
  const edit = new vscode.WorkspaceEdit();
  const range = ({ start, end }: Place) => new vscode.Range(doc.positionAt(start), doc.positionAt(end));
  edit.set(
    doc.uri,
    edits.map((change) => vscode.TextEdit.replace(range(change), change.text)),
  );
  return vscode.workspace.applyEdit(edit);
}

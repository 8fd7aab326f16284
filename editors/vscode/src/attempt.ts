import * as vscode from "vscode";
import { nameOf } from "./documents";
import { Refusal } from "./refusal";
import { type Change, type Place, type Splice, rebase, splice } from "./splice";

/** Applied is called with the document and where the new text stands, while nothing else has happened to it. */
export type Applied = (doc: vscode.TextDocument, places: readonly Place[]) => void;

/**
 * Versions are those of a document before and after an edit: each change with a version above `before`, up to
 * `after`, is the edit, and no other is. The server knows by them what the edit was and what the user typed.
 */
export interface Versions {
  before: number;
  after: number;
}

/** How long VS Code may take, in milliseconds, from its answer to the change that this process hears of. */
const patience = 1000;

/** Attempt is one request to VS Code to edit a document, and what happens to that from then on. */
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

  /** isAccepted says whether VS Code has taken the edit. It does not where its text is newer than ours. */
  async isAccepted(): Promise<boolean> {
    return this.accepted;
  }

  /**
   * change waits for the first change of the document, and gives its versions; nothing if none comes. If VS Code has
   * accepted the edit, that change is the edit: VS Code accepts none for a text that has changed.
   */
  async change(): Promise<Versions | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patience)));
    return Promise.race([this.first, late]).finally(() => clearTimeout(timer));
  }

  /** rebased returns the edits as they are after what happened instead of them, or nothing if that met them. */
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

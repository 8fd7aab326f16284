import * as vscode from "vscode";
import { nameOf } from "./documents";
import { Refusal } from "./refusal";
import { type Change, type Place, type Splice, rebase, splice } from "./splice";

/** Applied is called with the document and where the new text stands, while nothing else has happened to it. */
export type Applied = (doc: vscode.TextDocument, places: readonly Place[]) => void;

/** How long VS Code may take, in milliseconds, from its answer to the change that this process hears of. */
const patience = 1000;

/** Attempt is one request to VS Code to edit a document, and what happens to that from then on. */
export class Attempt implements vscode.Disposable {
  private readonly listener: vscode.Disposable;
  private readonly accepted: Thenable<boolean>;
  private readonly changes: Change[] = [];
  private readonly first: Promise<string>;
  private readonly wanted: string;

  constructor(
    private readonly doc: vscode.TextDocument,
    private readonly edits: readonly Splice[],
    applied: Applied,
  ) {
    const wanted = splice(doc.getText(), edits);
    if (wanted === undefined) {
      throw new Refusal(`two edits of ${nameOf(doc.uri)} meet`);
    }
    this.wanted = wanted.text;
    let found: (text: string) => void;
    this.first = new Promise((resolve) => (found = resolve));
    this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document !== doc || contentChanges.length === 0) {
        return;
      }
      const text = doc.getText();
      if (this.changes.length === 0 && text === wanted.text) {
        applied(doc, wanted.places);
      }
      for (const { rangeOffset, rangeLength, text } of contentChanges) {
        this.changes.push({ start: rangeOffset, length: rangeLength, text });
      }
      found(text);
    });
    this.accepted = applyEdits(doc, edits);
  }

  /** isAccepted says whether VS Code has taken the edit. It does not where its text is newer than ours. */
  async isAccepted(): Promise<boolean> {
    return this.accepted;
  }

  /** change waits for the first change of the document, and gives the text that it left; nothing if none comes. */
  async change(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patience)));
    return Promise.race([this.first, late]).finally(() => clearTimeout(timer));
  }

  /** verify looks at the text as an edit that was accepted left it, before anything was typed into that. */
  async verify(): Promise<void> {
    const text = await this.change();
    if (text === undefined) {
      throw new Refusal(`VS Code said that it had edited ${nameOf(this.doc.uri)}, and its text has not changed`);
    }
    if (text !== this.wanted) {
      throw new Refusal(`VS Code edited ${nameOf(this.doc.uri)}, and its text was another than expected then`);
    }
  }

  /** rebased returns the edits as they are after what happened instead of them, or nothing if that met them. */
  rebased(): Splice[] | undefined {
    if (this.changes.length === 0) {
      return undefined;
    }
    let edits: Splice[] | undefined = [...this.edits];
    for (const change of this.changes) {
      edits = edits && rebase(edits, change);
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

import * as vscode from "vscode";
import type { TextDocumentEdit, TextEdit } from "vscode-languageclient";
import { findDocument, lineEnd, nameOf, readText, schemes } from "./documents";
import type { Prepared } from "./fileedit";
import { notText, showAsText } from "./nottext";
import { isReadOnly, warnIfStuck } from "./readonly";
import { Refusal, reasonOf } from "./refusal";
import { type Applied, Attempt, type Versions } from "./attempt";
import { type Splice, withLineEnds } from "./splice";

/** For how long, in milliseconds, an edit is tried again because the user is typing. */
const persistence = 2000;

/** TextChange is the edit of one document. */
export class TextChange implements Prepared {
  private constructor(
    private readonly doc: vscode.TextDocument,
    private readonly edit: TextDocumentEdit,
    /** What the file holds, for a document that the server does not know to be open. */
    private readonly onDisk: string | undefined,
  ) {}

  /** prepare opens the document and makes the checks that have to wait for something. It changes nothing. */
  static async prepare(edit: TextDocumentEdit): Promise<TextChange> {
    const uri = vscode.Uri.parse(edit.textDocument.uri, true);
    if (!schemes.includes(uri.scheme)) {
      throw new Refusal(`documents of the scheme ${uri.scheme} are not edited`);
    }
    if (uri.scheme === "untitled" && !findDocument(uri)) {
      throw new Refusal(`no untitled document ${nameOf(uri)} is open`);
    }
    refuseUnlessText(uri);
    const onDisk = edit.textDocument.version === null ? await readFile(uri) : undefined;
    const doc = await open(uri);
    if (await isReadOnly(doc)) {
      throw new Refusal(`${nameOf(uri)} is read-only in VS Code`);
    }
    return new TextChange(doc, edit, onDisk);
  }

  /** check throws if the document is not in the state that the edit was made for. It does not wait. */
  check(): void {
    const { doc, edit, onDisk } = this;
    const name = nameOf(doc.uri);
    const { version } = edit.textDocument;
    refuseUnlessText(doc.uri);
    if (doc.isClosed) {
      throw new Refusal(`${name} was closed meanwhile`);
    }
    if (version !== null && doc.version !== version) {
      throw new Refusal(`${name} has changed meanwhile: it has version ${doc.version}, the edit is for ${version}`);
    }
    if (onDisk !== undefined && doc.isDirty) {
      throw new Refusal(`${name} is open with unsaved changes, of which the server has not heard yet`);
    }
    // The lines are counted because a carriage return alone ends one in VS Code and none for the server.
    const sameLines = onDisk === undefined || onDisk.split("\n").length === doc.lineCount;
    if (onDisk !== undefined && (!sameLines || doc.getText() !== withLineEnds(onDisk, lineEnd(doc)))) {
      throw new Refusal(`${name} on disk is another text than the one that VS Code has`);
    }
    for (const { range } of edit.edits) {
      if (!doc.validateRange(toRange(range)).isEqual(toRange(range))) {
        throw new Refusal(`the edit of ${name} reaches beyond its text, at line ${range.start.line + 1}`);
      }
    }
  }

  /**
   * apply checks once more and has VS Code apply the edit, as an undo step of its own. It returns the versions before
   * and after the edit, or undefined if VS Code accepted the edit but reported no change.
   */
  async apply(applied: Applied): Promise<Versions | undefined> {
    const { doc } = this;
    const name = nameOf(doc.uri);
    await showAsText(doc);
    this.check();
    let edits = this.edit.edits.map((edit) => this.toSplice(edit as TextEdit));
    // Nothing is awaited between the check and the first try, nor before a further one: the user could type.
    for (const deadline = Date.now() + persistence; ;) {
      const attempt = new Attempt(doc, edits, applied);
      try {
        if (await attempt.isAccepted()) {
          void warnIfStuck(doc);
          return await attempt.change();
        }
        // VS Code knew of a key that it had not yet reported to us. Another try has to wait for that change.
        await attempt.change();
      } finally {
        attempt.dispose();
      }
      const rebased = attempt.rebased();
      if (rebased === undefined || Date.now() > deadline) {
        throw new Refusal(`VS Code refused the edit of ${name}, as it does when the text has changed meanwhile`);
      }
      edits = rebased;
    }
  }

  private toSplice({ range, newText }: TextEdit): Splice {
    const { start, end } = toRange(range);
    const text = withLineEnds(newText, lineEnd(this.doc));
    return { start: this.doc.offsetAt(start), end: this.doc.offsetAt(end), text };
  }
}

/** refuseUnlessText throws if a file is open as something other than text. The server may not know it yet. */
function refuseUnlessText(uri: vscode.Uri): void {
  const as = notText().get(uri.toString());
  if (as !== undefined) {
    throw new Refusal(`${nameOf(uri)} is open as ${as}`);
  }
}

async function open(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw new Refusal(`VS Code cannot open ${nameOf(uri)}: ${reasonOf(error)}`);
  }
}

async function readFile(uri: vscode.Uri): Promise<string> {
  try {
    return await readText(uri);
  } catch (error) {
    throw new Refusal(`VS Code cannot read ${nameOf(uri)}: ${reasonOf(error)}`);
  }
}

type Range = TextEdit["range"];

function toRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { onDidClose, readText } from "./documents";

const memorized = "files";

/**
 * KnownFiles knows which files hold what VS Code read from them or saved to them last. It still does in a window that has
 * restored documents with unsaved text.
 */
export class KnownFiles implements vscode.Disposable {
  private readonly stamps: Map<string, string>;
  private readonly listeners: vscode.Disposable;

  constructor(private readonly memory: vscode.Memento) {
    this.stamps = new Map(memory.get<[string, string][]>(memorized, []));
    const note = (doc: vscode.TextDocument) => void this.note(doc).catch(() => {});
    vscode.workspace.textDocuments.forEach(note);
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument(note),
      vscode.workspace.onDidSaveTextDocument(note),
      vscode.workspace.onDidChangeTextDocument(({ document }) => note(document)),
      onDidClose((doc) => this.set(doc, undefined)),
    );
  }

  /** fileOf returns what the file of a document held when VS Code last read or saved it, if the file still holds it. */
  async fileOf({ uri }: vscode.TextDocument): Promise<string | undefined> {
    const known = this.stamps.get(uri.toString());
    const same = async () => known !== undefined && (await stampOf(uri).catch(() => "")) === known;
    if (!(await same())) {
      return undefined;
    }
    const text = await readText(uri);
    return (await same()) ? text : undefined;
  }

  /** note records the file of a document without unsaved text. VS Code may not have read the newest text of the file yet. */
  private async note(doc: vscode.TextDocument): Promise<void> {
    if (doc.uri.scheme !== "file" || doc.isDirty) {
      return;
    }
    const stamp = await stampOf(doc.uri);
    const text = await readText(doc.uri);
    if (!doc.isDirty && !doc.isClosed) {
      this.set(doc, text === doc.getText() ? stamp : undefined);
    }
  }

  private set({ uri }: vscode.TextDocument, stamp: string | undefined): void {
    if (stamp === undefined) {
      this.stamps.delete(uri.toString());
    } else {
      this.stamps.set(uri.toString(), stamp);
    }
    void this.memory.update(memorized, [...this.stamps]);
  }

  dispose(): void {
    this.listeners.dispose();
  }
}

async function stampOf({ fsPath }: vscode.Uri): Promise<string> {
  const { mtimeMs, size } = await stat(fsPath);
  return `${mtimeMs} ${size}`;
}

import * as vscode from "vscode";
import { onDidClose } from "./documents";

/** Touched remembers which documents agents have edited since they were saved. */
export class Touched implements vscode.Disposable {
  private readonly uris = new Set<string>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly listeners: vscode.Disposable;
  readonly onDidChange = this.changed.event;

  constructor() {
    const forget = (doc: vscode.TextDocument) => {
      if (this.uris.delete(doc.uri.toString())) {
        this.changed.fire();
      }
    };
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidSaveTextDocument(forget),
      onDidClose(forget),
      // When a document stops being dirty, after an undo or a reload, VS Code fires an event without changes.
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 && this.uris.has(document.uri.toString())) {
          this.changed.fire();
        }
      }),
    );
  }

  add(uri: vscode.Uri): void {
    this.uris.add(uri.toString());
    this.changed.fire();
  }

  /** dirty returns the remembered documents that have unsaved changes. */
  dirty(): vscode.TextDocument[] {
    return vscode.workspace.textDocuments.filter((doc) => doc.isDirty && this.uris.has(doc.uri.toString()));
  }

  dispose(): void {
    this.listeners.dispose();
    this.changed.dispose();
  }
}

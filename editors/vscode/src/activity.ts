import * as vscode from "vscode";
import { schemes } from "./documents";

/** What the person does, as patchls/activity tells it. */
export interface Activity {
  uri: string;
  mode: "i";
  idle_ms: number;
  range: { start: vscode.Position; end: vscode.Position };
}

/** How long the cursor has to rest, so that one notification covers a burst of keys. */
const rest = 300;

/** ActivityWatch tells where the person's cursor is, soon after it has come to rest. */
export class ActivityWatch implements vscode.Disposable {
  private readonly listener: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  private typed = 0;

  constructor(private readonly tell: (activity: Activity) => void) {
    this.listener = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
        // A selection that another program set says nothing of the person.
        if (
          kind === vscode.TextEditorSelectionChangeKind.Keyboard ||
          kind === vscode.TextEditorSelectionChangeKind.Mouse
        ) {
          this.typed = Date.now();
          this.schedule();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.schedule()),
    );
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.report(), rest);
  }

  private report(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor && schemes.includes(editor.document.uri.scheme)) {
      const { start, end } = editor.selection;
      const idle = this.typed === 0 ? 0 : Date.now() - this.typed;
      this.tell({ uri: editor.document.uri.toString(), mode: "i", idle_ms: idle, range: { start, end } });
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listener.dispose();
  }
}

import * as vscode from "vscode";
import type { Mark } from "./marks";
import type { MarkBook } from "./markbook";
import { oneLine } from "./oneline";
import { setting } from "./settings";

/** Decorations shows the marks of a MarkBook in the visible editors. */
export class Decorations implements vscode.Disposable {
  private readonly text = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedTextBackground"),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly edited = gutterBar("#2090d3", "editorGutter.modifiedBackground");
  private readonly deleted = gutterBar("#f14c4c", "editorGutter.deletedBackground");
  private readonly listener: vscode.Disposable;

  constructor(private readonly book: () => MarkBook) {
    this.listener = vscode.window.onDidChangeVisibleTextEditors(() => this.showAll());
  }

  showAll(): void {
    vscode.window.visibleTextEditors.forEach((editor) => this.show(editor));
  }

  /** changed redraws the marks of one document. */
  changed(uri: string): void {
    vscode.window.visibleTextEditors
      .filter((editor) => editor.document.uri.toString() === uri)
      .forEach((editor) => this.show(editor));
  }

  private show(editor: vscode.TextEditor): void {
    const { document } = editor;
    const marks = setting<boolean>("marks.enabled") ? this.book().list(document.uri.toString()) : [];
    const options = (wanted: Mark[]) =>
      wanted.map((mark) => ({ range: rangeOf(document, mark), hoverMessage: hover(mark) }));
    const [deleted, edited] = [marks.filter(isDeletion), marks.filter((mark) => !isDeletion(mark))];
    editor.setDecorations(this.text, options(edited));
    editor.setDecorations(
      this.edited,
      edited.map((mark) => rangeOf(document, mark)),
    );
    editor.setDecorations(this.deleted, options(deleted));
  }

  dispose(): void {
    this.listener.dispose();
    vscode.Disposable.from(this.text, this.edited, this.deleted).dispose();
  }
}

/** gutterBar returns a decoration with a bar next to the line numbers and in the overview ruler. */
function gutterBar(color: string, themed: string): vscode.TextEditorDecorationType {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="${color}" d="M11 0h3v16h-3z"/></svg>`;
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`),
    gutterIconSize: "100% 100%",
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor(themed),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

/** rangeOf returns the range to show for a mark: without the line end that whole lines begin or end with. */
export function rangeOf(doc: vscode.TextDocument, mark: Mark): vscode.Range {
  let start = doc.positionAt(mark.start);
  let end = doc.positionAt(mark.end);
  if (end.line > start.line && start.isEqual(doc.lineAt(start.line).range.end)) {
    start = new vscode.Position(start.line + 1, 0);
  }
  if (end.line > start.line && end.character === 0) {
    end = doc.lineAt(end.line - 1).range.end;
  }
  return new vscode.Range(start, end);
}

function isDeletion(mark: Mark): boolean {
  return mark.start === mark.end;
}

function hover({ author }: Mark): vscode.MarkdownString {
  const text = new vscode.MarkdownString("", true);
  if (author === undefined) {
    return text.appendText("An agent's edit");
  }
  text.appendText(`${oneLine(author.agent)}: ${author.command} (${author.id})`);
  const links = { keep: "Keep", revert: "Revert", showDiff: "Show diff" };
  const args = encodeURIComponent(JSON.stringify([{ edit_id: author.id }]));
  const linked = Object.entries(links).map(([command, title]) => `[${title}](command:patchls.${command}?${args})`);
  text.appendMarkdown(`\n\nAll of this edit: ${linked.join(" · ")}`);
  text.isTrusted = { enabledCommands: Object.keys(links).map((command) => `patchls.${command}`) };
  return text;
}

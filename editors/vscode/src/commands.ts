import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { nameOf } from "./documents";
import type { Gate } from "./gate";
import type { MarkBook } from "./markbook";
import { reasonOf } from "./refusal";
import { saveOne } from "./save";
import type { Session } from "./session";
import type { Touched } from "./touched";

/** What the commands work on. */
export interface Parts {
  session: Session;
  book: MarkBook;
  touched: Touched;
  gate: Gate;
  log: vscode.LogOutputChannel;
}

/** registerCommands registers the commands of package.json. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const { session, gate, log } = parts;
  const commands: Record<string, (...args: never[]) => unknown> = {
    "patchls.undo": () => undo(parts, {}),
    "patchls.revert": (id?: string) => revert(parts, id),
    "patchls.keep": (id?: string) => keep(parts, id),
    "patchls.pauseAgents": () => gate.pause(true),
    "patchls.resumeAgents": () => gate.pause(false),
    "patchls.saveTouched": () => saveTouched(parts),
    "patchls.showTouched": () => showTouched(parts),
    "patchls.showLog": () => log.show(),
    "patchls.restart": () => session.restart(),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** undo has the server take an edit back, which it does by an edit: that one passes even while agents are paused. */
async function undo({ session, gate }: Parts, which: { edit_id?: string }): Promise<void> {
  const label = `undo ${randomUUID()}`;
  try {
    const { message } = await gate.pass(label, () => session.execute("patchls.undo", { ...which, label }));
    vscode.window.setStatusBarMessage(message, 5000);
  } catch (error) {
    void vscode.window.showWarningMessage(reasonOf(error));
  }
}

async function revert(parts: Parts, id = markAtCursor(parts)?.author?.id): Promise<void> {
  if (id === undefined) {
    void vscode.window.showInformationMessage("There is no edit of an agent under the cursor.");
    return;
  }
  await undo(parts, { edit_id: id });
}

/** keep clears the marks of one edit: the named one, else that under the cursor; else all of the file. */
function keep(parts: Parts, id = markAtCursor(parts)?.author?.id): void {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  if (id !== undefined) {
    parts.book.dropEverywhere((mark) => mark.author?.id === id);
  } else if (uri !== undefined) {
    parts.book.drop(uri);
  }
}

function markAtCursor({ book }: Parts) {
  const editor = vscode.window.activeTextEditor;
  return editor && book.at(editor.document.uri.toString(), editor.document.offsetAt(editor.selection.active));
}

async function saveTouched({ touched }: Parts): Promise<void> {
  for (const doc of touched.dirty()) {
    const error = await saveOne(doc.uri);
    if (error !== undefined) {
      void vscode.window.showWarningMessage(error);
    }
  }
}

/** showTouched lists what agents have edited and nobody has saved. */
async function showTouched(parts: Parts): Promise<void> {
  const { touched, gate } = parts;
  const documents = touched.dirty().map((doc) => ({
    label: `$(file) ${nameOf(doc.uri)}`,
    run: () => vscode.window.showTextDocument(doc.uri),
  }));
  const actions = [
    ...(documents.length > 0 ? [{ label: "$(save-all) Save all of these", run: () => saveTouched(parts) }] : []),
    gate.paused
      ? { label: "$(play) Resume agents", run: () => gate.pause(false) }
      : { label: "$(debug-pause) Pause agents", run: () => gate.pause(true) },
    { label: "$(output) Show log", run: () => parts.log.show() },
  ];
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, run: () => {} };
  const placeHolder =
    documents.length > 0 ? "Edited by agents, and not saved" : "Nothing that agents edited is unsaved";
  const picked = await vscode.window.showQuickPick([...documents, separator, ...actions], { placeHolder });
  await picked?.run();
}

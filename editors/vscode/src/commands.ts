import * as vscode from "vscode";
import { nameOf } from "./documents";
import type { Gate } from "./gate";
import type { Answers } from "./confirm";
import { message, oneLine } from "./oneline";
import type { Reviewer } from "./reviewer";
import type { Reviewed, Sides } from "./protocol";
import { saveOne } from "./save";
import type { Session } from "./session";
import type { Touched } from "./touched";
import type { Choice } from "./wording";

/** Parts are the objects that the commands work on. */
export interface Parts {
  session: Session;
  reviewer: Reviewer;
  answers: Answers;
  touched: Touched;
  gate: Gate;
  log: vscode.LogOutputChannel;
}

/** registerCommands registers the commands of package.json. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const { session, reviewer, answers, gate, log } = parts;
  const commands: Record<string, (...args: never[]) => unknown> = {
    "patchls.undo": (what?: object) => reviewer.undo(what),
    "patchls.revert": (what?: Reviewed) => reviewer.revert(what),
    "patchls.keep": (what?: Reviewed) => reviewer.keep(what),
    "patchls.showDiff": (sides?: Partial<Sides>) => reviewer.showDiff(sides),
    "patchls.apply_document": (what: object) => reviewer.applyDocument(what),
    "patchls.answer": (id?: string, choice?: Choice) => answers.give(id, choice),
    "patchls.apply": () => answers.decide({ decision: "apply" }),
    "patchls.reject": () => answers.decide({ decision: "reject" }),
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

async function saveTouched({ touched }: Parts): Promise<void> {
  for (const doc of touched.dirty()) {
    const error = await saveOne(doc.uri);
    if (error !== undefined) {
      void vscode.window.showWarningMessage(message(error));
    }
  }
}

/** showTouched lists the unsaved documents that agents have edited. */
async function showTouched(parts: Parts): Promise<void> {
  const { touched, gate } = parts;
  const documents = touched.dirty().map((doc) => ({
    label: `$(file) ${oneLine(nameOf(doc.uri))}`,
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

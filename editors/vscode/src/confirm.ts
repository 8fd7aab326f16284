import * as vscode from "vscode";
import { setFact } from "./context";
import { closeProposal, showProposal } from "./diff";
import { message, oneLine } from "./oneline";
import type { ConfirmParams, Decision } from "./protocol";
import type { Questions, View } from "./questions";
import { reasonOf } from "./refusal";
import { type Choice, choices, linked, summary } from "./wording";

/**
 * QuestionView shows questions as notifications, which take no focus, and stay until they
 * are answered or withdrawn: that is why they are a progress with links, since VS Code
 * hides a message with buttons after some seconds, and lets nobody close it. The status
 * bar has the questions as well, for who has hidden the notification.
 */
export class QuestionView implements View, vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("patchls.waiting", vscode.StatusBarAlignment.Right, 11);

  constructor() {
    this.item.name = "patchls: agents that wait";
    this.item.command = "patchls.answer";
    this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  }

  show(question: ConfirmParams, closed: Promise<void>, close: () => void): void {
    const location = vscode.ProgressLocation.Notification;
    // VS Code shows only what can be cancelled in more than one line.
    void vscode.window.withProgress({ location, title: linked(question), cancellable: true }, (_, cancelled) => {
      cancelled.onCancellationRequested(close);
      return closed;
    });
    void closed.then(() => closeProposal(question)).catch(() => {});
  }

  changed(waiting: readonly ConfirmParams[]): void {
    setFact("asking", waiting.length > 0);
    const [first] = waiting;
    if (first === undefined) {
      this.item.hide();
      return;
    }
    this.item.text =
      waiting.length === 1 ? `$(question) ${oneLine(first.agent)} waits` : `$(question) ${waiting.length} agents wait`;
    this.item.tooltip = ["For your answer:", ...waiting.map(summary)].join("\n");
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

/** Answers takes what the user says to questions. */
export class Answers {
  constructor(private readonly questions: Questions) {}

  /** give answers a question; what it is not told it has the user pick. */
  async give(id?: string, choice?: Choice): Promise<void> {
    const question = id === undefined ? await this.pick() : this.questions.get(id);
    if (question === undefined) {
      if (id !== undefined) {
        late();
      }
      return;
    }
    switch (choice ?? (await pickChoice(question))) {
      case "apply":
        return this.answer(question, { decision: "apply" });
      case "reject":
        return this.answer(question, { decision: "reject" });
      case "word":
        return this.reject(question);
      case "diff":
        return showProposal(question).then(undefined, (error) => {
          void vscode.window.showWarningMessage(message(reasonOf(error)));
        });
    }
  }

  private async pick(): Promise<ConfirmParams | undefined> {
    const waiting = this.questions.waiting();
    if (waiting.length < 2) {
      return waiting[0];
    }
    const items = waiting.map((question) => ({ label: summary(question), question }));
    return (await vscode.window.showQuickPick(items, { placeHolder: "Agents that wait for your answer" }))?.question;
  }

  private async reject(question: ConfirmParams): Promise<void> {
    const text = await vscode.window.showInputBox({
      title: summary(question),
      prompt: `What ${oneLine(question.agent)} is told with the rejection`,
      ignoreFocusOut: true,
    });
    if (text !== undefined) {
      this.answer(question, { decision: "reject", text });
    }
  }

  private answer({ id }: ConfirmParams, decision: Decision): void {
    if (!this.questions.answer(id, decision)) {
      late();
    }
  }
}

async function pickChoice(question: ConfirmParams): Promise<Choice | undefined> {
  const items = Object.entries(choices).map(([choice, label]) => ({ label, choice: choice as Choice }));
  return (await vscode.window.showQuickPick(items, { placeHolder: summary(question) }))?.choice;
}

function late(): void {
  void vscode.window.showInformationMessage("The agent does not wait for an answer any more.");
}

import * as vscode from "vscode";
import { setFact } from "./context";
import { closeProposal, isProposal, showProposal } from "./diff";
import { message, oneLine } from "./oneline";
import type { ConfirmParams, Decision } from "./protocol";
import type { Questions, View } from "./questions";
import { reasonOf } from "./refusal";
import { type Choice, choices, linked, summary } from "./wording";

/** The label of the button that closes a notification. A VS Code that takes only a boolean shows "Cancel" instead. */
const later = "Later" as unknown as boolean;

/**
 * QuestionView shows questions as notifications, which take no focus and stay until the question is
 * answered, withdrawn or left for later. They are progress notifications with links, because VS Code
 * hides a message with buttons after some seconds. The status bar shows the questions until they are
 * answered, and the diff of a question has buttons in its title.
 */
export class QuestionView implements View, vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("patchls.waiting", vscode.StatusBarAlignment.Right, 11);
  private readonly listener = vscode.window.tabGroups.onDidChangeTabs(() => this.noteTab());
  private readonly groupListener = vscode.window.tabGroups.onDidChangeTabGroups(() => this.noteTab());
  private waiting: readonly ConfirmParams[] = [];

  constructor() {
    this.item.name = "patchls: agents that wait";
    this.item.command = "patchls.answer";
    this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  }

  show(question: ConfirmParams, closed: Promise<void>): void {
    const location = vscode.ProgressLocation.Notification;
    // VS Code shows more than one line of a progress only if it can be cancelled.
    void vscode.window.withProgress({ location, title: linked(question), cancellable: later }, (_, cancelled) => {
      const left = new Promise<void>((resolve) => cancelled.onCancellationRequested(() => resolve()));
      return Promise.race([closed, left]);
    });
    void closed.then(() => closeProposal(question)).catch(() => {});
  }

  changed(waiting: readonly ConfirmParams[]): void {
    this.waiting = waiting;
    setFact("asking", waiting.length > 0);
    this.noteTab();
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

  /** noteTab records whether a question's diff is in the active editor, whose title then shows Apply and Reject. */
  private noteTab(): void {
    setFact("proposal", shown(this.waiting) !== undefined);
  }

  dispose(): void {
    this.item.dispose();
    this.listener.dispose();
    this.groupListener.dispose();
  }
}

/** Answers takes the user's answers to questions. */
export class Answers {
  constructor(private readonly questions: Questions) {}

  /** give answers a question. The user picks the question or the choice if it is not given. */
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

  /** decide answers the question whose diff is in the active editor. */
  decide(decision: Decision): void {
    const question = shown(this.questions.waiting());
    if (question === undefined) {
      late();
    } else {
      this.answer(question, decision);
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

/** shown returns the question whose diff is in the active editor. */
function shown(waiting: readonly ConfirmParams[]): ConfirmParams | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && waiting.find((question) => isProposal(tab, question));
}

async function pickChoice(question: ConfirmParams): Promise<Choice | undefined> {
  const items = Object.entries(choices).map(([choice, label]) => ({ label, choice: choice as Choice }));
  return (await vscode.window.showQuickPick(items, { placeHolder: summary(question) }))?.choice;
}

function late(): void {
  void vscode.window.showInformationMessage("The agent does not wait for an answer any more.");
}

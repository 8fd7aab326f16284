import type { ConfirmParams, Decision } from "./protocol";

/** How questions are put before the person. */
export interface View {
  /** show shows a question until it is closed. */
  show(question: ConfirmParams, closed: Promise<void>): void;
  /** changed is called with the questions that wait for an answer, the oldest first. */
  changed(waiting: readonly ConfirmParams[]): void;
}

interface Waiting {
  question: ConfirmParams;
  settle: (decision: Decision | null) => void;
}

/** Questions are the edits that agents wait for the person's word about. Each is shown, and answered by itself. */
export class Questions {
  private readonly all = new Map<string, Waiting>();

  constructor(private readonly view: View) {}

  /** ask puts a question and waits for its answer; null means that nobody needs one any more. */
  async ask(question: ConfirmParams): Promise<Decision | null> {
    const answer = new Promise<Decision | null>((settle) => this.all.set(question.id, { question, settle }));
    this.view.show(
      question,
      answer.then(() => {}),
    );
    this.changed();
    return answer;
  }

  get(id: string): ConfirmParams | undefined {
    return this.all.get(id)?.question;
  }

  /** waiting are the questions without an answer, the oldest first. */
  waiting(): ConfirmParams[] {
    return [...this.all.values()].map(({ question }) => question);
  }

  /** answer answers a question. It returns false if nobody waits for that any more. */
  answer(id: string, decision: Decision | null): boolean {
    const waiting = this.all.get(id);
    if (waiting === undefined) {
      return false;
    }
    this.all.delete(id);
    waiting.settle(decision);
    this.changed();
    return true;
  }

  /** withdraw closes a question unanswered. */
  withdraw(id: string): void {
    this.answer(id, null);
  }

  /** withdrawAll closes all of them, because the server is gone. */
  withdrawAll(): void {
    [...this.all.keys()].forEach((id) => this.withdraw(id));
  }

  private changed(): void {
    this.view.changed(this.waiting());
  }
}

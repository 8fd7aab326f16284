import type { ConfirmParams, Decision } from "./protocol";

/** How questions are put before the user. */
export interface View {
  /** show shows a question, at most until it is closed. */
  show(question: ConfirmParams, closed: Promise<void>): void;
  /** changed is called with the questions that wait for an answer, the oldest first. */
  changed(waiting: readonly ConfirmParams[]): void;
}

interface Waiting {
  question: ConfirmParams;
  settle: (decision: Decision | null) => void;
}

/** Questions are the edits that agents wait for the user's word about. Each is shown, and answered by itself. */
export class Questions {
  private readonly all = new Map<string, Waiting>();

  constructor(private readonly view: View) {}

  /** ask puts a question and waits for its answer; null means that it was closed, which is a no. */
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

  /** answer answers a question. It returns false if the server does not wait for that any more. */
  answer(id: string, decision: Decision): boolean {
    return this.settle(id, decision);
  }

  /** close closes a question unanswered, because its agent does not wait for an answer any more. */
  close(id: string): void {
    this.settle(id, null);
  }

  /** closeAll closes all of them, because the server is gone. */
  closeAll(): void {
    [...this.all.keys()].forEach((id) => this.close(id));
  }

  private settle(id: string, decision: Decision | null): boolean {
    const waiting = this.all.get(id);
    if (waiting === undefined) {
      return false;
    }
    this.all.delete(id);
    waiting.settle(decision);
    this.changed();
    return true;
  }

  private changed(): void {
    this.view.changed(this.waiting());
  }
}

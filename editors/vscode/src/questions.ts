import type { ConfirmParams, Decision } from "./protocol";

/** View shows questions to the user. */
export interface View {
  /** show shows a question, at most until `closed` is resolved. */
  show(question: ConfirmParams, closed: Promise<void>): void;
  /** changed is called with the questions that wait for an answer, the oldest first. */
  changed(waiting: readonly ConfirmParams[]): void;
}

interface Waiting {
  question: ConfirmParams;
  settle: (decision: Decision | null) => void;
}

/** Questions are the edits that wait for the user's decision. Each is shown and answered separately. */
export class Questions {
  private readonly all = new Map<string, Waiting>();

  constructor(private readonly view: View) {}

  /** ask shows a question and waits for its answer; null means that it was closed, which is a no. */
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

  /** waiting returns the questions without an answer, the oldest first. */
  waiting(): ConfirmParams[] {
    return [...this.all.values()].map(({ question }) => question);
  }

  /** answer answers a question. It returns false if the server no longer waits for the answer. */
  answer(id: string, decision: Decision): boolean {
    return this.settle(id, decision);
  }

  /** close closes a question unanswered, because its agent does not wait for an answer any more. */
  close(id: string): void {
    this.settle(id, null);
  }

  /** closeAll closes all questions, because the server has ended. */
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

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfirmParams } from "../src/protocol";
import { Questions, type View } from "../src/questions";

const question = (id: string): ConfirmParams => ({
  id,
  agent: "claude",
  command: "str_replace",
  message: "",
  diff: "",
  files: [],
});

/** Screen is what the user would see. */
class Screen implements View {
  readonly open = new Set<string>();
  waiting: string[] = [];

  show({ id }: ConfirmParams, closed: Promise<void>): void {
    this.open.add(id);
    void closed.then(() => this.open.delete(id));
  }

  changed(waiting: readonly ConfirmParams[]): void {
    this.waiting = waiting.map(({ id }) => id);
  }
}

test("each question is shown until it is answered, whichever comes first", async () => {
  const screen = new Screen();
  const questions = new Questions(screen);
  const [one, two] = [questions.ask(question("p1")), questions.ask(question("p2"))];
  assert.deepEqual(
    [[...screen.open], screen.waiting],
    [
      ["p1", "p2"],
      ["p1", "p2"],
    ],
  );
  assert.equal(questions.answer("p2", { decision: "reject", text: "use tabs" }), true);
  assert.deepEqual(await two, { decision: "reject", text: "use tabs" });
  assert.deepEqual([[...screen.open], screen.waiting], [["p1"], ["p1"]]);
  assert.equal(questions.answer("p1", { decision: "apply" }), true);
  assert.deepEqual(await one, { decision: "apply" });
  assert.deepEqual([[...screen.open], screen.waiting], [[], []]);
});

test("a question that is withdrawn is closed, and cannot be answered any more", async () => {
  const screen = new Screen();
  const questions = new Questions(screen);
  const answer = questions.ask(question("p1"));
  questions.close("p1");
  questions.close("p1");
  assert.equal(await answer, null);
  assert.deepEqual([[...screen.open], screen.waiting], [[], []]);
  assert.equal(questions.get("p1"), undefined);
  assert.equal(questions.answer("p1", { decision: "apply" }), false);
});

test("all questions are closed when the server is gone", async () => {
  const screen = new Screen();
  const questions = new Questions(screen);
  const answers = Promise.all([questions.ask(question("p1")), questions.ask(question("p2"))]);
  questions.closeAll();
  assert.deepEqual(await answers, [null, null]);
  assert.deepEqual([[...screen.open], screen.waiting], [[], []]);
});

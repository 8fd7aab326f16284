import assert from "node:assert/strict";
import { test } from "node:test";
import { type Mark, follow } from "../src/marks";
import type { Change } from "../src/splice";

const mark = (start: number, end: number): Mark => ({ start, end, since: 0 });
const change = (start: number, length: number, text: string): Change => ({ start, length, text });

const cases: [string, Mark, Change, [number, number] | undefined][] = [
  ["before it", mark(10, 15), change(2, 1, "abc"), [12, 17]],
  ["after it", mark(10, 15), change(20, 3, ""), [10, 15]],
  ["typed at its start", mark(10, 15), change(10, 0, "x"), [11, 16]],
  ["typed at its end", mark(10, 15), change(15, 0, "x"), [10, 15]],
  ["typed inside", mark(10, 15), change(12, 0, "xy"), [10, 17]],
  ["deleted inside", mark(10, 15), change(11, 2, ""), [10, 13]],
  ["deleted from before into it", mark(10, 15), change(8, 4, ""), [8, 11]],
  ["replaced from before into it", mark(10, 15), change(8, 4, "new"), [11, 14]],
  ["deleted from inside to after it", mark(10, 15), change(13, 6, ""), [10, 13]],
  ["deleted whole", mark(10, 15), change(10, 5, ""), undefined],
  ["replaced whole, as by an undo", mark(10, 15), change(10, 5, "before"), undefined],
  ["deleted with what is around it", mark(10, 15), change(5, 20, ""), undefined],
  ["a deletion, text before it", mark(10, 10), change(3, 0, "xx"), [12, 12]],
  ["a deletion, text after it", mark(10, 10), change(11, 0, "xx"), [10, 10]],
  ["a deletion, text put back there", mark(10, 10), change(10, 0, "old"), undefined],
  ["a deletion, text deleted up to it", mark(10, 10), change(8, 2, ""), undefined],
];

for (const [name, before, what, want] of cases) {
  test(`a mark follows a change: ${name}`, () => {
    const after = follow(before, what);
    assert.deepEqual(after && [after.start, after.end], want);
  });
}

test("a mark stays with its text through any changes elsewhere", () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  let state = seed;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
  for (let round = 0; round < 500; round++) {
    let text = "a".repeat(random(20)) + "MARKED" + "b".repeat(random(20));
    let now = mark(text.indexOf("M"), text.indexOf("D") + 1);
    for (let step = 0; step < 10; step++) {
      const before = random(2) === 0;
      const [from, to] = before ? [0, now.start] : [now.end, text.length];
      const start = from + random(to - from + 1);
      const what = change(start, random(to - start + 1), "x".repeat(random(4)));
      text = text.slice(0, start) + what.text + text.slice(start + what.length);
      const next = follow(now, what);
      assert.ok(next, `seed ${seed}: the mark is gone after ${JSON.stringify(what)}`);
      now = next;
      assert.equal(text.slice(now.start, now.end), "MARKED", `seed ${seed}: after ${JSON.stringify(what)} in ${text}`);
    }
  }
});

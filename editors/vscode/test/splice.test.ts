import assert from "node:assert/strict";
import { test } from "node:test";
import { rebase, splice, withLineEnds } from "../src/splice";

test("all changes are those of the text before", () => {
  const { text, places } = splice("one two three", [
    { start: 8, end: 13, text: "3" },
    { start: 0, end: 3, text: "1, " },
    { start: 4, end: 7, text: "" },
  ])!;
  assert.equal(text, "1,   3");
  assert.deepEqual(
    places.map(({ start, end }) => text.slice(start, end)),
    ["1, ", "", "3"],
  );
});

test("insertions at one place keep their order", () => {
  const { text } = splice("ab", [
    { start: 1, end: 1, text: "1" },
    { start: 1, end: 1, text: "2" },
  ])!;
  assert.equal(text, "a12b");
});

test("changes that meet, or reach beyond the text, are none", () => {
  const two = (a: [number, number], b: [number, number]) =>
    splice("0123456789", [
      { start: a[0], end: a[1], text: "x" },
      { start: b[0], end: b[1], text: "y" },
    ]);
  assert.equal(two([0, 5], [4, 6]), undefined);
  assert.equal(two([2, 3], [0, 9]), undefined);
  assert.equal(two([0, 1], [9, 11]), undefined);
  assert.equal(two([0, 4], [4, 6])?.text, "xy6789");
});

test("line ends become the document's", () => {
  assert.equal(withLineEnds("a\nb\r\nc\rd", "\r\n"), "a\r\nb\r\nc\r\nd");
  assert.equal(withLineEnds("a\nb\r\nc\rd", "\n"), "a\nb\nc\nd");
});

test("an edit is carried over what was typed elsewhere, and not over what was typed in it", () => {
  const over = (start: number, end: number, change: [number, number, string]) => {
    const [at, length, text] = change;
    const moved = rebase([{ start, end, text: "new" }], { start: at, length, text });
    return moved && [moved[0]?.start, moved[0]?.end];
  };
  assert.deepEqual(over(5, 8, [1, 0, "xx"]), [7, 10]);
  assert.deepEqual(over(5, 8, [1, 3, ""]), [2, 5]);
  assert.deepEqual(over(5, 8, [5, 0, "x"]), [6, 9]);
  assert.deepEqual(over(5, 8, [8, 0, "x"]), [5, 8]);
  assert.deepEqual(over(5, 8, [9, 2, "x"]), [5, 8]);
  assert.equal(over(5, 8, [6, 0, "x"]), undefined);
  assert.equal(over(5, 8, [4, 2, ""]), undefined);
  assert.equal(over(5, 8, [5, 3, "typed"]), undefined);
  // Which of two insertions at one place comes first is not ours to say.
  assert.equal(over(5, 5, [5, 0, "x"]), undefined);
  assert.deepEqual(over(5, 5, [4, 0, "x"]), [6, 6]);
});

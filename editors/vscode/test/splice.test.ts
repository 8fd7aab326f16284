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

test("an edit is carried over what was typed in other lines, and not over what was typed in its own", () => {
  const over = (edit: [number, number, string], change: [number, number, string]) => {
    const [start, end, text] = edit;
    const [at, length, typed] = change;
    const moved = rebase("one\ntwo 2\nthree\n", [{ start, end, text }], { start: at, length, text: typed });
    return moved && [moved[0]?.start, moved[0]?.end];
  };
  const word: [number, number, string] = [4, 7, "new"];
  assert.deepEqual(over(word, [3, 0, "xx"]), [6, 9]); // the end of the line above
  assert.deepEqual(over(word, [0, 4, ""]), undefined); // the line above, with its end
  assert.deepEqual(over(word, [0, 3, ""]), [1, 4]);
  assert.equal(over(word, [4, 0, "x"]), undefined);
  assert.equal(over(word, [5, 0, "x"]), undefined);
  assert.equal(over(word, [7, 0, "x"]), undefined); // the word goes on
  assert.equal(over(word, [9, 0, "x"]), undefined); // the end of the line
  assert.equal(over(word, [9, 1, ""]), undefined); // the next line is joined to it
  assert.deepEqual(over(word, [10, 0, "x"]), [4, 7]);
  const lines: [number, number, string] = [4, 10, ""]; // a whole line
  assert.deepEqual(over(lines, [10, 0, "x"]), [4, 10]);
  assert.equal(over(lines, [9, 0, "x"]), undefined);
  assert.equal(over([16, 16, "no line end"], [15, 0, "x"])?.[0], 17);
  assert.equal(over([16, 16, "no line end"], [16, 0, "x"]), undefined);
  // Which of two insertions at one place comes first is not ours to say.
  const insertion: [number, number, string] = [4, 4, "a line\n"];
  assert.equal(over(insertion, [4, 0, "x"]), undefined);
  assert.deepEqual(over(insertion, [5, 0, "x"]), [4, 4]);
  assert.deepEqual(over(insertion, [3, 0, "x"]), [5, 5]);
  assert.equal(over([0, 1, "1"], [0, 0, "x"]), undefined);
  assert.deepEqual(over([0, 1, "1"], [4, 0, "x"]), [0, 1]);
});

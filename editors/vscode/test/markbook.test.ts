import assert from "node:assert/strict";
import { test } from "node:test";
import { MarkBook } from "../src/markbook";

const claude = { id: "e3", agent: "claude-code", command: "str_replace" };
const places = (book: MarkBook, uri: string) =>
  book.list(uri).map(({ start, end, author }) => [start, end, author?.id]);

test("marks are unnamed until the server says whose they are, and the named ones keep their name", () => {
  const book = new MarkBook(() => {});
  book.add("a", [{ start: 0, end: 5 }], 1);
  book.name("a", claude);
  book.add("a", [{ start: 10, end: 12 }], 2);
  assert.deepEqual(places(book, "a"), [
    [0, 5, "e3"],
    [10, 12, undefined],
  ]);
  book.name("a", { ...claude, id: "e4" });
  assert.deepEqual(places(book, "a"), [
    [0, 5, "e3"],
    [10, 12, "e4"],
  ]);
});

test("only the marks of the document that changed follow", () => {
  const changed: string[] = [];
  const book = new MarkBook((uri) => changed.push(uri));
  book.add("a", [{ start: 5, end: 6 }], 1);
  book.add("b", [{ start: 5, end: 6 }], 1);
  changed.length = 0;
  book.follow("a", [{ start: 0, length: 0, text: "xx" }]);
  book.follow("unmarked", [{ start: 0, length: 0, text: "xx" }]);
  assert.deepEqual(places(book, "a"), [[7, 8, undefined]]);
  assert.deepEqual(places(book, "b"), [[5, 6, undefined]]);
  assert.deepEqual(changed, ["a"]);
});

test("several changes are taken in their order, which is from the end of the text to its start", () => {
  const book = new MarkBook(() => {});
  book.add("a", [{ start: 10, end: 12 }], 1);
  book.follow("a", [
    { start: 20, length: 0, text: "later" },
    { start: 5, length: 2, text: "x" },
    { start: 0, length: 0, text: "yy" },
  ]);
  assert.deepEqual(places(book, "a"), [[11, 13, undefined]]);
});

test("the mark under the cursor is the newest one there", () => {
  const book = new MarkBook(() => {});
  book.add("a", [{ start: 0, end: 20 }], 1);
  book.name("a", claude);
  book.add("a", [{ start: 5, end: 8 }], 2);
  book.name("a", { ...claude, id: "e4" });
  assert.equal(book.at("a", 6)?.author?.id, "e4");
  assert.equal(book.at("a", 8)?.author?.id, "e4");
  assert.equal(book.at("a", 9)?.author?.id, "e3");
  assert.equal(book.at("a", 21), undefined);
});

test("an edit that was taken back loses its marks in all documents", () => {
  const book = new MarkBook(() => {});
  book.add("a", [{ start: 0, end: 1 }], 1);
  book.add("b", [{ start: 0, end: 1 }], 2);
  book.name("a", claude);
  book.name("b", claude);
  book.add("b", [{ start: 3, end: 4 }], 3);
  assert.equal(book.oldest(), 1);
  book.dropEverywhere((mark) => mark.author?.id === "e3");
  assert.deepEqual(places(book, "a"), []);
  assert.deepEqual(places(book, "b"), [[3, 4, undefined]]);
  assert.equal(book.oldest(), 3);
  book.drop("b");
  assert.equal(book.oldest(), undefined);
});

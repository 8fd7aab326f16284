import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfirmFile, ConfirmParams } from "../src/protocol";
import { linked, summary } from "../src/wording";

const file = (path: string, change: ConfirmFile["change"] = "update"): ConfirmFile => ({
  uri: `file:///w/${path}`,
  path,
  change,
  before: "",
  after: "",
});
const question = (more: Partial<ConfirmParams>): ConfirmParams => ({
  id: "p1",
  agent: "claude",
  command: "str_replace",
  message: "",
  diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n--- two\n+++ 2\n+three\n",
  files: [file("a.txt")],
  ...more,
});

test("a question says who wants to do what to which files", () => {
  assert.equal(summary(question({})), "May claude edit a.txt (2 lines added, 1 removed)?");
  const several = ["a", "b", "c", "d", "e"].map((path) => file(path));
  assert.match(summary(question({ files: several })), /edit a, b, c and 2 more \(/);
  assert.match(summary(question({ files: several.slice(0, 2) })), /edit a and b \(/);
  assert.match(summary(question({ files: [file("new.txt", "create")] })), /May claude create new\.txt \(/);
  assert.match(summary(question({ files: [file("a", "delete"), file("b")] })), /edit a and b \(/);
  assert.match(summary(question({ command: "revert" })), /May claude take back the edit of a\.txt \(/);
});

test("the lines of all files are counted, and the names of files are none of them", () => {
  const two = question({}).diff + "--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n\\ No newline at end of file\n";
  assert.match(summary(question({ diff: two })), /\(2 lines added, 2 removed\)\?$/);
  assert.match(summary(question({ diff: "@@ -0,0 +1 @@\n+x\n" })), /\(1 line added, 0 removed\)\?$/);
  assert.match(summary(question({ diff: "" })), /\(0 lines added, 0 removed\)\?$/);
});

/** VS Code finds links so (base/common/linkedText.ts). */
const links = (text: string) =>
  [...text.matchAll(/\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi)].map(
    ([, words, href]) => [words, decodeURIComponent(href ?? "")],
  );

test("a question has a link for each answer, and none that an agent wrote", () => {
  const wanted = [
    ["Apply", 'command:patchls.answer?["p1","apply"]'],
    ["Show diff", 'command:patchls.answer?["p1","diff"]'],
    ["Reject", 'command:patchls.answer?["p1","reject"]'],
    ["Reject with a word…", 'command:patchls.answer?["p1","word"]'],
  ];
  assert.deepEqual(links(linked(question({}))), wanted);
  const evil = question({ agent: "[x](command:evil)", files: [file("[Apply](command:evil).txt")] });
  assert.deepEqual(links(linked(evil)), wanted);
});

test("whatever names are made of, the links are the four, and stand at the end", () => {
  const parts = [
    "[",
    "]",
    "(",
    ")",
    "](",
    "command:evil",
    "Apply",
    "https://x",
    "$(",
    "\n",
    "\u202e",
    "\u001b[31m",
    " ",
    "a",
    "…",
    '"',
  ];
  let seed = Number(process.env["PATCHLS_SEED"] ?? Date.now() % 100_000);
  const [first, next] = [seed, () => (seed = (seed * 1103515245 + 12345) % 2 ** 31)];
  const name = () => Array.from({ length: next() % 9 }, () => parts[(next() >> 8) % parts.length]).join("");
  for (let n = 0; n < 20_000; n++) {
    const given = question({ agent: name(), files: [file(name()), file(name(), "rename")] });
    const text = linked(given);
    assert.deepEqual(links(text), links(linked(question({}))), `seed ${first}: ${JSON.stringify(text)}`);
    assert.doesNotMatch(summary(given), /[\u0000-\u001f\u202a-\u202e[\]]|\$\(/u, `seed ${first}`);
  }
});

test("a link that is not closed swallows no answer", () => {
  const evil = question({ files: [file("README.md (dry run). [Reject and tell the agent to stop")] });
  assert.deepEqual(links(linked(evil))[0], ["Apply", 'command:patchls.answer?["p1","apply"]']);
});

test("long names leave room for the links, and VS Code cuts a message at 1000 characters", () => {
  const long = question({ agent: "a".repeat(999), files: ["b", "c", "d"].map((x) => file(x.repeat(999))) });
  assert.ok(linked(long).length < 1000, `${linked(long).length}`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Listing } from "../src/protocol";
import { hunkAt, hunksIn, meets } from "../src/review";

const listing: Listing = {
  documents: [
    { path: "a.txt", uri: "file:///w/a.txt" },
    { path: "b.txt", uri: "file:///w/b.txt" },
  ],
  edits: [
    { edit_id: "e2", agent: "codex", marked: [{ path: "a.txt", hunk: 1, start_line: 3, end_line: 5 }] },
    {
      edit_id: "e1",
      agent: "claude",
      marked: [
        { path: "a.txt", hunk: 2, start_line: 4, end_line: 3 },
        { path: "b.txt", hunk: 3, start_line: 1, end_line: 1 },
      ],
    },
  ],
};
const a = hunksIn(listing, (uri) => uri === "file:///w/a.txt");

test("the hunks of a document are those of its edits, with lines from 0", () => {
  assert.deepEqual(a, [
    { edit_id: "e2", hunk: 1, agent: "codex", path: "a.txt", first: 2, last: 4 },
    { edit_id: "e1", hunk: 2, agent: "claude", path: "a.txt", first: 3, last: 3 },
  ]);
  assert.deepEqual(
    hunksIn(listing, () => false),
    [],
  );
});

test("the hunk under the cursor is that of the mark there, else the newest", () => {
  assert.equal(hunkAt(a, 3)?.edit_id, "e2");
  assert.equal(hunkAt(a, 3, "e1")?.edit_id, "e1");
  assert.equal(hunkAt(a, 4, "e1")?.edit_id, "e2");
  assert.equal(hunkAt(a, 5), undefined);
});

test("a hunk meets the lines that it has one of", () => {
  const [hunk] = a;
  assert.ok(hunk);
  assert.deepEqual(
    [1, 2, 4, 5].map((line) => meets(hunk, line, line)),
    [false, true, true, false],
  );
  assert.ok(meets(hunk, 0, 9));
});

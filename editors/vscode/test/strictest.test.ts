import assert from "node:assert/strict";
import { test } from "node:test";
import { allowed, union } from "../src/strictest";

test("a workspace forbids, and allows nothing", () => {
  assert.equal(allowed({ defaultValue: true }), true);
  assert.equal(allowed({ defaultValue: true, workspaceValue: false }), false);
  assert.equal(allowed({ defaultValue: true, globalValue: false, workspaceValue: true }), false);
  assert.equal(allowed({ defaultValue: true, globalValue: true, workspaceFolderValue: false }), false);
  assert.equal(allowed({ defaultValue: true, workspaceValue: "yes" as unknown as boolean }), false);
});

test("a workspace adds to what is protected, and takes nothing away", () => {
  assert.deepEqual(union([{ defaultValue: [".git"] }]), [".git"]);
  assert.deepEqual(union([{ defaultValue: [".git"], globalValue: ["mine"], workspaceValue: [] }]), ["mine"]);
  assert.deepEqual(
    union([
      { globalValue: ["a"], workspaceValue: ["b"] },
      { globalValue: ["a"], workspaceFolderValue: ["c"] },
    ]),
    ["a", "b", "c"],
  );
  assert.deepEqual(union([{ globalValue: ["a"], workspaceValue: 7 as unknown as string[] }, undefined]), ["a"]);
});

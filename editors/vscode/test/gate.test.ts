import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate } from "../src/gate";

test("a pause stops agents, and not what the user asks for", async () => {
  const heard: boolean[] = [];
  const gate = new Gate((paused) => heard.push(paused));
  assert.equal(gate.isShut("patchls.str_replace"), false);
  gate.pause(true);
  assert.equal(gate.isShut("patchls.str_replace"), true);
  assert.equal(gate.isShut(undefined), true);
  await gate.pass("mine", async () => {
    assert.equal(gate.isShut("mine"), false);
    assert.equal(gate.isShut("patchls.str_replace"), true);
  });
  await assert.rejects(gate.pass("mine", () => Promise.reject(new Error("no"))));
  assert.equal(gate.isShut("mine"), true);
  gate.pause(false);
  assert.deepEqual(heard, [true, false]);
});

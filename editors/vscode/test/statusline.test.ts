import assert from "node:assert/strict";
import { test } from "node:test";
import { type Situation, statusText, statusTooltip } from "../src/statusline";

const said = (more: Partial<Situation>) => {
  const situation: Situation = { state: "running", listening: {}, paused: false, unsaved: [], ...more };
  return [statusText(situation), ...statusTooltip(situation).split("\n")];
};
const open = { socket: "/run/1.sock", window: "w" };

test("agents can edit where they can connect, and nowhere else", () => {
  assert.deepEqual(said({ listening: { ...open, agents: [] } }), [
    "$(edit) patchls",
    "Agents can edit in this window.",
    "None is connected.",
  ]);
  const can = /can edit/;
  for (const state of ["starting", "waiting", "stopped"] as const) {
    assert.doesNotMatch(said({ state, listening: open }).join(), can);
  }
  assert.doesNotMatch(said({ listening: {} }).join(), can);
  assert.doesNotMatch(said({ listening: open, paused: true }).join(), can);
});

test("why agents cannot connect is said, in one line", () => {
  assert.deepEqual(said({ listening: { agents: [], problem: "The setting agent_socket is false." } }), [
    "$(circle-slash) patchls",
    "Agents cannot connect to this window: The setting patchls.agentSocket is false.",
  ]);
  assert.deepEqual(said({ listening: { problem: "its mode is\n0755" } }).slice(1), [
    "Agents cannot connect to this window: its mode is 0755.",
  ]);
  assert.deepEqual(said({ listening: {} }).slice(1), ["Agents cannot connect to this window."]);
  assert.deepEqual(said({ listening: {}, paused: true }).slice(1), ["Agents cannot connect to this window."]);
});

test("connected agents are counted and named, and so are unsaved files", () => {
  assert.deepEqual(
    said({ listening: { ...open, agents: ["claude-code", "co\ndex"] }, unsaved: ["a.txt", "b.txt", "c.txt"] }),
    [
      "$(edit) patchls: 2 agents, 3 unsaved",
      "Agents can edit in this window.",
      "2 connected: claude-code, co dex",
      "Edited by agents, and not saved:",
      "a.txt",
      "b.txt",
      "c.txt",
    ],
  );
  assert.deepEqual(said({ listening: { ...open, agents: ["claude-code"] }, paused: true }), [
    "$(debug-pause) patchls: 1 agent",
    "Agents are paused in this window.",
    "1 connected: claude-code",
  ]);
});

// The extension in the real VS Code, with the real patchls as an agent calls it.
//
//   E2E_TOOLS=DIR E2E_PATCHLS=patchls E2E_EXTENSION=patchls.vsix node --test extension.test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Window, given, tip } from "./window.mjs";

const menu = "soup\nbread\ntea\n";
let window;
let count = 0;
let name;

before(async () => {
  window = await Window.open({
    files: { "menu.txt": menu },
    settings: { "files.readonlyInclude": { "**/*.locked": true }, "files.readonlyFromPermissions": true },
  });
  await window.found();
});
after(() => window?.close());

// Each test has a file of its own in the one window.
beforeEach(() => {
  name = `menu${++count}.txt`;
  window.write(name, menu);
});

const at = (path) => ({ path: window.path(path) });
const show = (line = 3, column = 0) => window.do("goto", { ...at(name), line, column });
const type = (text, delay) => window.do("type", { text, delay });
const replace = (old_str, new_str) => window.call("str_replace", { path: name, old_str, new_str });

// is looks that the editor's text is what it should be, and the file's not.
async function is(wanted, onDisk = menu) {
  assert.equal(await window.text(name), wanted);
  assert.equal(window.disk(name), onDisk);
}

test("an agent's edit arrives beside unsaved typing, verified, and not on disk", async () => {
  await show();
  await type("cake, unsaved");
  const result = await replace("bread", "dark bread");
  assert.equal(result.verified, true);
  assert.equal(result.files[0].dirty, true);
  await is("soup\ndark bread\ntea\ncake, unsaved");
});

test("one undo takes just the agent's edit, between typing before and after it", async () => {
  await show();
  await type("before");
  await replace("soup", "hot soup");
  await type("after");
  await window.do("undo", at(name));
  await is("hot soup\nbread\ntea\nbefore");
  await window.do("undo", at(name));
  await is("soup\nbread\ntea\nbefore");
  await window.do("redo", at(name));
  await is("hot soup\nbread\ntea\nbefore");
  await window.do("redo", at(name));
  await is("hot soup\nbread\ntea\nbeforeafter");
});

test("typing on while ten agents edit loses nothing", async () => {
  window.write(name, Array.from({ length: 20 }, (_, i) => `line ${i}.\n`).join(""));
  await show(20);
  const words = "The user types on and on, through every edit, and loses no key. ";
  const edits = Array.from({ length: 10 }, (_, i) => replace(`line ${2 * i}.`, `LINE ${2 * i}, by agent ${i}.`));
  const typing = async () => {
    for (const word of words.match(/\S+ /g)) await type(word, 20);
  };
  const [, ...results] = await Promise.all([typing(), ...edits]);
  assert.ok(results.every((r) => r.verified));
  const lines = Array.from({ length: 20 }, (_, i) => (i % 2 ? `line ${i}.\n` : `LINE ${i}, by agent ${i / 2}.\n`));
  assert.equal(await window.text(name), lines.join("") + words);
});

test("the cursor stays in its text, and no window is opened", async () => {
  await show(2, 2);
  await window.call("insert", { path: name, after_line: 0, content: "menu\n----" });
  assert.deepEqual(await window.do("active"), { ...at(name), line: 4, column: 2 });
  window.write("elsewhere.txt", menu);
  await window.call("str_replace", { path: "elsewhere.txt", old_str: "tea", new_str: "coffee" });
  assert.deepEqual(await window.do("active"), { ...at(name), line: 4, column: 2 });
});

test("a file that is closed is edited in a buffer, which is to be seen in a tab", async () => {
  const result = await replace("tea", "green tea");
  assert.equal(result.verified, true);
  await is("soup\nbread\ngreen tea\n");
  await window.until("a tab", async () => (await window.do("text", at(name))).tab);
  assert.equal((await window.do("text", at(name))).dirty, true);
  assert.equal((await window.do("save", at(name))).saved, true);
  assert.equal(window.disk(name), "soup\nbread\ngreen tea\n");
});

test("save saves what is named, and nothing else", async () => {
  const other = name.replace("menu", "other");
  window.write(other, menu);
  await window.do("goto", { ...at(other), line: 0, column: 0 });
  await type("unsaved ");
  await replace("tea", "coffee");
  const result = await window.call("save", { paths: [name] });
  assert.equal(result.files[0].saved, true);
  assert.equal((await window.do("marks", at(name))).length, 1, "the user has not seen the edit yet");
  assert.equal(window.disk(name), "soup\nbread\ncoffee\n");
  assert.equal(window.disk(other), menu);
  assert.equal((await window.do("text", at(other))).dirty, true);
});

test("a save that VS Code refuses is said to be refused", async () => {
  await show();
  await replace("tea", "coffee");
  window.write(name, "another program wrote this, and it is longer\n");
  const { data, message } = await window.fails("save", { paths: [name] });
  assert.equal(data.kind, "rejected_by_editor");
  assert.match(message, /VS Code did not save menu\d+\.txt; it has shown the user why/);
  assert.equal(window.disk(name), "another program wrote this, and it is longer\n");
  assert.equal(await window.text(name), "soup\nbread\ncoffee\n");
});

test("marks are where the agent's text is, follow it, and are cleared by undo and save", async () => {
  const marks = async () =>
    (await window.do("marks", at(name))).map((m) => [m.start.line, m.start.character, m.end.line, m.end.character]);
  await show();
  const { edit_id } = await replace("bread", "dark bread");
  assert.deepEqual(await marks(), [[1, 0, 1, 5]]);
  const [mark] = await window.do("marks", at(name));
  assert.deepEqual([mark.edit_id, mark.agent, mark.command], [edit_id, "patchls", "str_replace"]);
  await show(0, 0);
  await type("menu\n");
  assert.deepEqual(await marks(), [[2, 0, 2, 5]]);
  await window.call("insert", { path: name, after_line: 4, content: "cake" });
  assert.equal((await marks()).length, 2);
  await show(2, 2);
  await window.do("command", { command: "patchls.revert" });
  await window.until("the revert", async () => (await window.text(name)) === "menu\nsoup\nbread\ntea\ncake\n");
  await window.until("the mark to go", async () => (await marks()).length === 1);
  await window.do("save", at(name));
  assert.deepEqual(await marks(), []);
});

test("marks stay when the document changes its language, and go when it is loaded again", async () => {
  await show();
  await replace("bread", "rye bread");
  await window.do("command", { command: "workbench.action.editor.changeLanguageMode", args: ["markdown"] });
  assert.equal((await window.do("marks", at(name))).length, 1);
  await window.do("revert", at(name));
  await is(menu);
  assert.deepEqual(await window.do("marks", at(name)), []);
});

test("keep clears the marks and leaves the text", async () => {
  await show();
  await replace("bread", "rye bread");
  await show(1, 1);
  await window.do("command", { command: "patchls.keep" });
  assert.deepEqual(await window.do("marks", at(name)), []);
  await is("soup\nrye bread\ntea\n");
});

test("the setting says at once whether a hunk that is to be reviewed has a lens", async () => {
  await show();
  await replace("bread", "rye bread");
  const shown = (what, condition) => window.until(what, condition);
  const lenses = () => window.do("lenses");
  await shown("a lens", async () => (await lenses()).length === 1);
  assert.deepEqual(await lenses(), [["patchls: keep", "revert", "1 line by patchls"]]);
  await window.set({ "patchls.review.codeLens": false });
  await shown("no lens", async () => (await lenses()).length === 0);
  await window.set({ "patchls.review.codeLens": true });
  await shown("a lens", async () => (await lenses()).length === 1);
  await window.do("command", { command: "patchls.keep", args: [{ path: window.path(name) }] });
  await shown("no lens", async () => (await lenses()).length === 0);
});

test("a patch that is open is checked and applied by its lenses", async () => {
  const patch = `fix${count}.patch`;
  window.write(patch, `--- a/${name}\n+++ b/${name}\n@@ -2 +2 @@\n-bread\n+rye bread\n`);
  await show();
  await window.do("open", at(patch));
  await window.until("lenses", async () => (await window.do("lenses")).flat().includes("Apply to buffers"));
  await is(menu);
  await window.do("lens", { title: "Apply to buffers" });
  await window.until("the edit", async () => (await window.text(name)) === "soup\nrye bread\ntea\n");
  await is("soup\nrye bread\ntea\n");
});

test("the user's undo takes the newest edit of an agent, and leaves what was typed since", async () => {
  await show();
  await replace("soup", "hot soup");
  await type("typed since");
  await window.do("command", { command: "patchls.undo" });
  await is("soup\nbread\ntea\ntyped since");
});

test("agents that are paused are told so, and the user's undo still works", async () => {
  await show();
  await replace("tea", "green tea");
  await window.do("command", { command: "patchls.pauseAgents" });
  const { data, message } = await window.fails("str_replace", { path: name, old_str: "soup", new_str: "stew" });
  assert.equal(data.kind, "rejected_by_editor");
  assert.match(message, /agents are paused in this editor/);
  assert.match((await window.fails("save", { paths: [name] })).message, /agents are paused in this editor/);
  await window.do("command", { command: "patchls.undo" });
  await is(menu);
  await window.do("command", { command: "patchls.resumeAgents" });
  await replace("soup", "stew");
  await is("stew\nbread\ntea\n");
});

test("an untitled document is edited by its URI", async () => {
  const { uri } = await window.do("untitled", { text: menu });
  const edit = { path: uri, old_str: "bread", new_str: "dark bread" };
  await window.until(
    "it is known",
    async () => (await window.run("call", "view", JSON.stringify({ path: uri }))).code === 0,
  );
  const result = await window.call("str_replace", edit);
  assert.equal(result.verified, true);
  assert.equal((await window.do("text", { path: uri })).text, "soup\ndark bread\ntea\n");
  const { message } = await window.fails("save", { paths: [uri] });
  assert.match(message, /has no file yet/);
  await window.do("command", { command: "workbench.action.revertAndCloseActiveEditor" });
});

test("a patch of three files arrives in all of them, the closed one and the new one too", async () => {
  await show();
  await type("cake");
  const [closed, made] = [`closed${count}.txt`, `new/made${count}.txt`];
  window.write(closed, "one\ntwo\n");
  const patch = `*** Begin Patch
*** Update File: ${name}
@@
-bread
+dark bread
*** Update File: ${closed}
@@
-two
+2
*** Add File: ${made}
+new
*** End Patch`;
  const result = await window.call("apply_patch", { patch });
  assert.equal(result.verified, true);
  await is("soup\ndark bread\ntea\ncake");
  assert.equal(await window.text(closed), "one\n2\n");
  assert.equal(window.disk(closed), "one\ntwo\n");
  assert.equal(await window.text(made), "new\n");
  await window.call("undo", { edit_id: result.edit_id });
  await is("soup\nbread\ntea\ncake");
  assert.equal(await window.text(closed), "one\ntwo\n");
  assert.equal(fs.existsSync(window.path(made)), false);
});

test("a file that an agent has made goes when that is taken back", async () => {
  const made = `made${count}.txt`;
  const { edit_id } = await window.call("create", { path: made, content: menu });
  assert.equal((await window.call("undo", { edit_id })).applied, true);
  assert.equal(fs.existsSync(window.path(made)), false);
});

test("a file is renamed and one deleted", async () => {
  const gone = `gone${count}.txt`;
  window.write(gone, "x\n");
  const patch = `*** Begin Patch
*** Update File: ${name}
*** Move to: moved-${name}
@@
-bread
+dark bread
*** Delete File: ${gone}
*** End Patch`;
  const result = await window.call("apply_patch", { patch });
  assert.equal(result.verified, true);
  assert.equal(fs.existsSync(window.path(gone)), false);
  assert.equal(fs.existsSync(window.path(name)), false);
  assert.equal(await window.text(`moved-${name}`), "soup\ndark bread\ntea\n");
});

test("line ends, a byte order mark, an emoji and a missing final newline are kept", async () => {
  const cases = { crlf: "a\r\nb\r\n", bom: "\ufeffa\nb\n", emoji: "a😀b\n", open: "a\nb" };
  for (const [kind, before] of Object.entries(cases)) {
    const file = `${kind}.txt`;
    window.write(file, before);
    await window.do("open", at(file));
    const edit = { path: file, edits: [{ from: 1, content: "first" }] };
    assert.equal((await window.call("edit_lines", edit)).verified, true, kind);
    await window.call("str_replace", { path: file, old_str: "b", new_str: "B" });
    assert.equal((await window.do("save", at(file))).saved, true, kind);
    const [mark, lineEnd] = [kind === "bom" ? "\ufeff" : "", kind === "crlf" ? "\r\n" : "\n"];
    assert.equal(
      window.disk(file),
      mark + "first" + lineEnd + before.replace(mark, "").replace(/b(?=[^b]*$)/, "B"),
      kind,
    );
  }
});

test("a terminal of the window has the program and says which window it is, and agents in it edit there", async () => {
  const said = window.path("window.txt");
  const edit = JSON.stringify({ path: window.path(name), old_str: "tea", new_str: "green tea" });
  await window.do("terminal");
  await type(
    `cd / && { printenv PATCHLS_SOCKET; command -v patchls; } >'${said}'; patchls call str_replace '${edit}'; exit\n`,
  );
  await window.until("the edit", async () => (await window.text(name)) === "soup\nbread\ngreen tea\n");
  assert.equal(fs.readFileSync(said, "utf8"), `${(await window.found()).window}\n${given.patchls}\n`);
  assert.equal(window.disk(name), menu);
});

// another is an editor that has the same file open, without unsaved text, and in which the last change was: agents take it
// unless they are told which window they are in.
async function another(t) {
  const server = spawn(given.patchls, ["serve"], { env: window.env, stdio: ["pipe", "ignore", "ignore"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  t.after(() => server.kill() && ended);
  const send = (message) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const workspaceFolders = [{ uri: pathToFileURL(window.folder).href, name: "menu" }];
  send({ id: 1, method: "initialize", params: { processId: null, capabilities: {}, workspaceFolders } });
  send({ method: "initialized", params: {} });
  const textDocument = { uri: pathToFileURL(window.path(name)).href, version: 1, languageId: "plaintext", text: menu };
  send({ method: "textDocument/didOpen", params: { textDocument } });
  for (const [version, text] of [
    [2, `${menu}another\n`],
    [3, menu],
  ]) {
    const contentChanges = [{ text }];
    send({ method: "textDocument/didChange", params: { textDocument: { ...textDocument, version }, contentChanges } });
  }
  const first = async () => JSON.parse((await window.run("editors", "--json")).stdout)[0];
  await window.until("agents to take it", async () => (await first()).pid === server.pid);
}

test("VS Code's own agent mode has the tools, with nothing set, and they edit in this window", async (t) => {
  await show();
  await another(t);
  await window.do("command", { command: "workbench.mcp.startServer", args: ["*", { waitForLiveTools: true }] });
  const tool = "mcp_patchls_str_replace";
  await window.until("the tools", async () => (await window.do("tools")).includes(tool));
  const input = { path: name, old_str: "bread", new_str: "dark bread" };
  assert.match(await window.do("tool", { name: tool, input }), /Replaced 1 occurrence/);
  await is("soup\ndark bread\ntea\n");
  await window.until("its name", async () => / connected: .*(code-server|Visual Studio Code)/.test(await tip(window)));
});

// connect has an agent view a file, and stay connected until it is killed.
function connect(window, file) {
  const agent = spawn(given.patchls, ["mcp"], {
    cwd: window.folder,
    env: window.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const send = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "claude-code", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "view", arguments: { path: window.path(file) } } });
  return agent;
}

test("the status bar says which agents are connected", async () => {
  const agent = connect(window, name);
  await window.until("its name", async () =>
    /Agents can edit in this window\.\n\d connected: .*claude-code/.test(await tip(window)),
  );
  agent.kill();
  await window.until("its name to go", async () => !/claude-code/.test(await tip(window)));
});

// VS Code marks a step only when what completes it comes after it has read the walkthrough, which it does for its
// welcome page.
test("the steps of the walkthrough are done when the server runs, an agent connects and its edit is kept", async (t) => {
  const settings = { "workbench.startupEditor": "welcomePage" };
  const own = await Window.open({ files: { "menu.txt": menu }, settings, viewport: { width: 1700, height: 900 } });
  t.after(() => own.close());
  const walkthrough = () =>
    own.do("command", { command: "workbench.action.openWalkthrough", args: ["patchls.patchls#start"] });
  const done = (step) => own.do("seen", { part: `[data-done-step-id="patchls.patchls#start#${step}"].complete` });
  await walkthrough();
  await done("server");
  await own.do("seen", { part: ".getting-started-media img" });
  await own.found();
  const agent = connect(own, "menu.txt");
  t.after(() => agent.kill());
  await done("agent");
  await own.do("open", { path: own.path("menu.txt") });
  await own.call("str_replace", { path: "menu.txt", old_str: "tea", new_str: "green tea" });
  await own.until("a lens", async () => (await own.do("lenses")).length === 1);
  await own.do("lens", { title: "patchls: keep" });
  await walkthrough();
  await done("review");
});

test("a document that VS Code holds to be read-only is not edited", async () => {
  const locked = `${name}.locked`;
  window.write(locked, menu);
  fs.chmodSync(window.path(name), 0o444);
  for (const file of [locked, name]) {
    await window.do("open", at(file));
    const { data, message } = await window.fails("str_replace", { path: file, old_str: "tea", new_str: "x" });
    assert.equal(data.kind, "rejected_by_editor");
    assert.match(message, /is read-only in VS Code/);
    assert.equal(await window.text(file), menu);
  }
});

// VS Code does not tell extensions, and applies the edit all the same.
test("the user is told of an edit in an editor that is read-only for the session", async () => {
  await show();
  await window.do("command", { command: "workbench.action.files.setActiveEditorReadonlyInSession" });
  await replace("tea", "green tea");
  await window.said(new RegExp(`An agent has edited ${name}, which is read-only in this window`));
});

test("a file that another program changed is edited as VS Code has it, with a note", async () => {
  await show();
  await type("unsaved");
  window.write(name, "written by another program\n");
  const result = await replace("bread", "dark bread");
  assert.equal(await window.text(name), "soup\ndark bread\ntea\nunsaved");
  assert.match(result.notes.join(), /on disk is another text/);
  assert.equal(window.disk(name), "written by another program\n");
});

test("a file of 60 MB, which VS Code keeps from extensions, is left alone", async () => {
  const big = `${"x".repeat(59)}\n`.repeat(1 << 20) + "the end\n";
  window.write("big.txt", big);
  await window.set({ "patchls.applyTimeout": 120_000 }); // VS Code takes its time to refuse it
  const { data, message } = await window.fails("str_replace", { path: "big.txt", old_str: "the end", new_str: "x" });
  await window.set({ "patchls.applyTimeout": 8000 });
  assert.equal(data.kind, "rejected_by_editor");
  assert.match(message, /50MB/);
  assert.equal(window.disk("big.txt"), big);
});

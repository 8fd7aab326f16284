// What the extension does when something is wrong with the server or the window.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { Window, given, tip } from "./window.mjs";

const menu = "soup\nbread\ntea\n";
let window;

before(async () => {
  window = await Window.open({ files: { "menu.txt": menu }, settings: { "patchls.path": "/nowhere/patchls" } });
});
after(() => window?.close());

const type = async (text) => {
  await window.do("goto", { path: window.path("menu.txt"), line: 0, column: 0 });
  await window.do("type", { text });
};

// program writes a program that takes the place of patchls.
function program(name, serve, version = `echo ${name}`) {
  const file = path.join(window.root, name);
  const script = `#!/bin/sh\ncase $1 in version) ${version} ;; serve) ${serve} ;; esac\n`;
  fs.writeFileSync(file, script, { mode: 0o755 });
  return file;
}

test("a server that is missing is said to be, and the window works on", async () => {
  await window.said(/patchls\.path is \/nowhere\/patchls, which is no program.*Agents cannot edit in this window/);
  await type("typed ");
  assert.equal(await window.text("menu.txt"), `typed ${menu}`);
});

test("a server that is too old is said to be", async () => {
  const answer = `{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}`;
  // It answers once it is asked, and listens from then on; the shell keeps its output open.
  const old = `head -c 1 >/dev/null; printf 'Content-Length: ${answer.length}\\r\\n\\r\\n%s' '${answer}'; cat >/dev/null`;
  await window.set({ "patchls.path": program("oldls", old) });
  await window.said(/oldls \(oldls\) is too old for this extension/);
});

test("a server that crashes is started again, later each time, and given up in the end", async () => {
  const starts = path.join(window.root, "starts");
  await window.set({ "patchls.path": program("crashls", `date +%s%N >>${starts}; exit 3`) });
  await window.said(/crashed too often, and was not restarted/);
  assert.match(await tip(window), /agents cannot edit in this window/);
  const times = fs
    .readFileSync(starts, "utf8")
    .trim()
    .split("\n")
    .map((t) => Number(t) / 1e6);
  assert.equal(times.length, 6);
  const waits = times.slice(1).map((t, i) => t - times[i]);
  assert.ok(
    waits.every((wait, i) => wait >= 500 * 2 ** i),
    `waited ${waits}`,
  );
  assert.equal(await window.text("menu.txt"), `typed ${menu}`);
});

test("a click restarts it, and then agents can edit", async () => {
  program("crashls", `exec '${given.patchls}' serve`);
  await window.do("click", { button: "Restart" });
  await window.found();
  await window.call("str_replace", { path: "menu.txt", old_str: "bread", new_str: "dark bread" });
  assert.equal(await window.text("menu.txt"), "typed soup\ndark bread\ntea\n");
});

test("a program that is named while another one is asked is the only one that runs", async () => {
  const [asked, served] = ["asked", "served"].map((name) => path.join(window.root, name));
  const slow = program(
    "slowls",
    `touch ${served}; exec '${given.patchls}' serve`,
    `echo $$ >${asked}; sleep 2; echo slowls`,
  );
  await window.set({ "patchls.path": slow });
  await window.until("it to be asked", async () => fs.existsSync(asked) && fs.readFileSync(asked, "utf8") !== "");
  await window.set({ "patchls.path": given.patchls });
  const pid = fs.readFileSync(asked, "utf8").trim();
  await window.until("its answer", async () => !fs.existsSync(`/proc/${pid}`));
  await window.found();
  await window.call("view", { path: "menu.txt" });
  assert.equal(fs.existsSync(served), false);
});

test("a server that is killed comes again, and the buffers are as they were", async () => {
  const { pid } = await window.found();
  process.kill(pid, "SIGKILL");
  await type("more, ");
  await window.until("another server", async () => {
    const [editor] = JSON.parse((await window.run("editors", "--json")).stdout);
    return editor !== undefined && editor.pid !== pid;
  });
  assert.equal(await window.text("menu.txt"), "more, typed soup\ndark bread\ntea\n");
  await window.call("str_replace", { path: "menu.txt", old_str: "tea", new_str: "green tea" });
  assert.equal(await window.text("menu.txt"), "more, typed soup\ndark bread\ngreen tea\n");
  assert.equal(window.disk("menu.txt"), menu);
});

const shutOut = () =>
  window.until(
    "agents to be shut out",
    async () => JSON.parse((await window.run("editors", "--json")).stdout).length === 0,
  );

const says = (pattern) => window.until(`the status bar says ${pattern}`, async () => pattern.test(await tip(window)));

test("agents are shut out by a setting, and let in again", async () => {
  await window.set({ "patchls.agentSocket": false });
  await shutOut();
  await says(/Agents cannot connect to this window: The setting patchls\.agentSocket is false\./);
  await window.set({ "patchls.agentSocket": true });
  await window.found();
  await says(/Agents can edit in this window\./);
});

test("where agents cannot connect, the status bar says why", async () => {
  const folder = path.join(window.root, ".local/state/patchls/editors");
  await window.set({ "patchls.agentSocket": false });
  await shutOut();
  fs.chmodSync(folder, 0o755);
  await window.set({ "patchls.agentSocket": true });
  await says(/Agents cannot connect to this window: .*\/patchls\/editors is open to others: its mode is 0755/);
  fs.chmodSync(folder, 0o700);
  await window.do("command", { command: "patchls.restart" });
  await window.found();
  await says(/Agents can edit in this window\./);
});

test("a server whose program is named once more runs on", async () => {
  const { pid } = await window.found();
  const name = (more) => window.set({ "patchls.path": given.patchls, ...more });
  // The other setting shows that VS Code has heard of both.
  await name({ "patchls.agentSocket": false });
  await shutOut();
  await name({ "patchls.agentSocket": true });
  assert.equal((await window.found()).pid, pid);
});

test("an agent in a terminal finds the window again after its server has crashed, and after the window was reloaded", async (t) => {
  const own = await Window.open({ files: { "menu.txt": menu } });
  t.after(() => own.close());
  const { pid } = await own.found();
  const call = (from, to) => {
    const edit = JSON.stringify({ path: own.path("menu.txt"), old_str: from, new_str: to });
    return `'${given.patchls}' call str_replace '${edit}'`;
  };
  const wait = (name) => `while [ ! -e '${own.path(name)}' ]; do sleep 0.1; done`;
  const anew = (not) =>
    own.until(
      "a new server",
      async () => {
        const found = JSON.parse((await own.run("editors", "--json")).stdout)[0];
        return found && found.pid !== not && found.pid;
      },
      60_000,
    );
  const has = (text) =>
    own.until(text, async () => ((await own.text("menu.txt").catch(() => "")) ?? "").includes(text));

  await own.do("terminal");
  const script = `cd /; ${call("soup", "hot soup")}; ${wait("crashed")}; ${call("bread", "rye bread")}; ${wait("reloaded")}; ${call("tea", "green tea")}; exit\n`;
  await own.do("type", { text: script });
  await has("hot soup");
  process.kill(pid, "SIGKILL");
  const second = await anew(pid);
  own.write("crashed", "");
  await has("rye bread");
  await own.do("save", { path: own.path("menu.txt") }); // else the browser asks whether to leave the page
  await own.do("command", { command: "workbench.action.reloadWindow" }).catch(() => {}); // its answer is lost with the window
  await anew(second);
  own.write("reloaded", "");
  await has("green tea");
});

test("a window without a folder lets agents edit what is open", async (t) => {
  const other = await Window.open({ folder: null, files: { "menu.txt": menu, "secret.txt": menu } });
  t.after(() => other.close());
  await other.found();
  await other.do("open", { path: other.path("menu.txt") });
  const edit = (name) => ({ path: other.path(name), old_str: "bread", new_str: "dark bread" });
  const { pid } = await other.found();
  const result = await other.call("str_replace", edit("menu.txt"), "--editor", `${pid}`);
  assert.equal(result.verified, true);
  assert.equal(await other.text("menu.txt"), "soup\ndark bread\ntea\n");
  assert.equal(other.disk("menu.txt"), menu);
  const refused = await other.run(
    "call",
    "str_replace",
    JSON.stringify(edit("secret.txt")),
    "--json",
    "--editor",
    `${pid}`,
  );
  assert.equal(JSON.parse(refused.stdout).error.data.kind, "outside_workspace");
});

test("an editor that is killed takes its server with it, and leaves the disk alone", async () => {
  const other = await Window.open({ files: { "menu.txt": menu } });
  const { pid } = await other.found();
  await other.call("str_replace", { path: "menu.txt", old_str: "bread", new_str: "dark bread" });
  await other.do("kill");
  await other.exited;
  await other.until("the server to end", async () => !fs.existsSync(`/proc/${pid}`));
  assert.equal(other.disk("menu.txt"), menu);
  fs.rmSync(other.root, { recursive: true });
});

// Another program writes a file with unsaved text, in the real VS Code.
//
//   E2E_ROUNDS=100 E2E_TOOLS=DIR E2E_PATCHLS=patchls E2E_EXTENSION=patchls.vsix node --test absorb.test.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Window } from "./window.mjs";

const rounds = Number(process.env.E2E_ROUNDS ?? 3);
const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
const given = `${lines.join("\n")}\n`;
let window;
let count = 0;
let name;

before(async () => {
  window = await Window.open({ files: { "menu.txt": given }, settings: { "patchls.marks.clearOnSave": false } });
  await window.found();
});
after(() => window?.close());

const another = () => window.write((name = `menu${++count}.txt`), given);
// What is left unsaved is closed, so that it has no part in what comes next.
const forget = () => window.do("forget", { paths: [window.path(name)] });

beforeEach(another);
afterEach(forget);

const at = () => ({ path: window.path(name) });
const text = () => window.text(name);
const save = () => window.do("save", at());

async function type(line, typed) {
  await window.do("goto", { ...at(), line, column: 0 });
  await window.do("type", { text: typed });
  await window.call("view", { path: name }); // the server has it before another program writes
}

// programs write a file as agents and tools do.
const programs = {
  "sed -i": (file, wanted) => {
    const now = fs.readFileSync(file, "utf8").split("\n");
    const changed = wanted.split("\n").findIndex((line, i) => line !== now[i]);
    execFileSync("sed", ["-i", `${changed + 1}s/.*/${wanted.split("\n")[changed]}/`, file]);
  },
  "a rename": (file, wanted) => {
    fs.writeFileSync(`${file}.new`, wanted);
    fs.renameSync(`${file}.new`, file);
  },
  "three pieces": async (file, wanted) => {
    const third = Math.ceil(wanted.length / 3);
    const out = await fs.promises.open(file, "w");
    for (let from = 0; from < wanted.length; from += third) {
      await out.write(wanted.slice(from, from + third));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await out.close();
  },
};

const question = /Failed to save.*The content of the file is newer/s;
const questions = async () => (await window.do("messages")).filter((text) => question.test(text)).length;

// refused saves, and looks that VS Code refuses it and the file is left alone.
async function refused() {
  const [before, onDisk] = [await questions(), window.disk(name)];
  assert.equal((await save()).saved, false);
  await window.until("VS Code's question", async () => (await questions()) > before);
  assert.equal(window.disk(name), onDisk);
}

// saved saves, and looks that the file has that text then and VS Code asks nothing.
async function saved(wanted) {
  const before = await questions();
  await save();
  await window.until("the save", () => window.disk(name) === wanted);
  assert.equal(await questions(), before);
}

const write = (line, wanted) => {
  const now = window.disk(name).split("\n");
  now[line] = wanted;
  window.write(name, now.join("\n"));
};

// merged has a program write a line, and gives the text that has it.
async function merged(line, wanted) {
  const before = await text();
  write(line, wanted);
  await window.until("the merge", async () => (await text()).includes(wanted));
  return before.replace(`line ${line}\n`, `${wanted}\n`);
}

test("keys that are typed while another program writes are kept", async () => {
  await type(30, "typed: ");
  const typed = Array.from({ length: rounds }, (_, i) => `word${i} `);
  let onDisk = given;
  for (const [i, word] of typed.entries()) {
    const typing = window.do("type", { text: word, delay: 30 });
    window.write(name, (onDisk = onDisk.replace(`line ${i % 25}\n`, `line ${i % 25}\nmore ${i}\n`)));
    await typing;
  }
  const both = `${onDisk}typed: ${typed.join("")}`;
  await window.until("the merge", async () => (await text()) === both);
  await saved(both);
});

test("keys that are typed around Ctrl+S are kept, and VS Code asks nothing", async () => {
  for (let round = 0; round < rounds; round++) {
    await type(30, "typed: ");
    const both = await merged(5, `LINE, longer, ${round}`);
    const before = await questions();
    const keys = [..."before"].slice(0, round % 7).concat("Control+s", ..."and after");
    await window.do("press", { keys });
    const [early, late] = keys.join("").split("Control+s");
    await window.until("the save", async () => window.disk(name).startsWith(`${both}${early}`));
    assert.equal(await text(), `${both}${early}${late}`);
    assert.equal(await questions(), before);
    await saved(`${both}${early}${late}`);
    await forget();
    another();
  }
});

test("VS Code saves by itself, and what it formats, without a question", async () => {
  for (const settings of [{ "files.autoSave": "afterDelay" }, { "editor.formatOnSave": true }]) {
    await type(30, "below");
    await type(20, "two  blanks ");
    const both = await merged(5, "LINE, longer");
    const before = await questions();
    await window.set(settings);
    if (settings["editor.formatOnSave"]) {
      // VS Code saves without a formatter that takes long, so it is told to save again.
      await window.until("the save", async () => {
        await save();
        return window.disk(name) === both.replace("  ", " ");
      });
    } else {
      await window.until("the save", () => window.disk(name) === both);
    }
    assert.equal(await questions(), before);
    await window.set(Object.fromEntries(Object.keys(settings).map((name) => [name, undefined])));
    await forget();
    another();
  }
});

test("a byte order mark and line ends are kept", async () => {
  const crlf = (text) => `\ufeff${text.replaceAll("\n", "\r\n")}`;
  window.write(name, crlf(given));
  await type(30, "below");
  window.write(name, crlf(given.replace("line 5\n", "LINE, longer\n")));
  await window.until("the merge", async () => (await text()).includes("LINE"));
  await saved(crlf(`${given.replace("line 5\n", "LINE, longer\n")}below`));
});

test("VS Code asks in an encoding that is not read by the server", async () => {
  await window.set({ "files.encoding": "iso88591" });
  const encoded = (text) => Buffer.from(text, "latin1");
  fs.writeFileSync(at().path, encoded(`caf\u00e9\n${given}`));
  await type(30, "below \u00e9");
  assert.ok((await text()).startsWith("caf\u00e9\n"));
  fs.writeFileSync(at().path, encoded(`caf\u00e9 and more\n${given}`));
  await refused();
  assert.deepEqual(fs.readFileSync(at().path), encoded(`caf\u00e9 and more\n${given}`));
  await window.set({ "files.encoding": undefined });
});

test("VS Code asks where the user has undone the merge", async () => {
  await type(30, "below");
  await merged(5, "LINE, and longer");
  await window.do("undo", at());
  await refused();
});

// held presses Ctrl+S, does something while that save waits, and looks that VS Code refuses it.
async function held(act) {
  const before = await questions();
  await window.do("hold");
  await window.do("press", { keys: ["Control+s"] });
  await window.do("held");
  await act();
  await window.do("release");
  await window.until("VS Code's question", async () => (await questions()) > before);
}

test("VS Code asks where the user undoes the merge while it saves", async () => {
  await type(30, "below");
  await merged(5, "LINE, and longer");
  const own = fs.statSync(at().path).mtime;
  const onDisk = window.disk(name);
  await held(() => window.do("undo", at()));
  assert.equal(window.disk(name), onDisk);
  assert.deepEqual(fs.statSync(at().path).mtime, own);
  await window.do("redo", at());
  await saved(`${onDisk}below`);
});

for (const [program, run] of Object.entries(programs)) {
  test(`VS Code asks about what is written by ${program} while it saves, and saves it once it is merged`, async () => {
    await type(30, "below");
    await merged(5, "LINE, longer");
    await held(() => run(at().path, window.disk(name).replace("line 6\n", "LINE, longer, again\n")));
    assert.ok(window.disk(name).includes("again"));
    await window.until("the merge", async () => (await text()).includes("again"));
    await saved(`${window.disk(name)}below`);
  });
}

test("VS Code asks where both have changed a line, and the user keeps theirs", async () => {
  await type(5, "mine, ");
  write(5, "theirs, and longer");
  await window.said(new RegExp(`May disk edit ${name}`));
  await refused();
  await window.do("answer", { choice: "Reject" });
  await refused();
  assert.ok((await text()).includes("mine, line 5\n"));
});

test("VS Code asks where the file has changed again after it was merged", async () => {
  await type(30, "below");
  await merged(5, "LINE");
  await window.set({ "patchls.absorb": "off" });
  write(6, "changed again, and longer");
  await refused();
  await window.set({ "patchls.absorb": "merge" });
});

test("what VS Code has read anew by itself is to be reviewed, and reverted", async () => {
  await window.do("open", at());
  await window.call("view", { path: name });
  write(5, "LINE");
  await window.until("the reload", async () => (await text()).includes("LINE"));
  await window.until("a lens", async () => (await window.do("lenses")).length === 1);
  assert.deepEqual(await window.do("lenses"), [["patchls: keep", "revert", "1 line by disk"]]);
  await window.do("lens", { title: "revert" });
  await window.until("the revert", async () => (await text()) === given);
  assert.ok(window.disk(name).includes("LINE"));
});

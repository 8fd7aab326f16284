// Files that the real VS Code has open as something other than text: notebooks, and documents of custom editors.
//
//   E2E_TOOLS=DIR E2E_PATCHLS=patchls E2E_EXTENSION=patchls.vsix node --test nottext.test.mjs
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Window } from "./window.mjs";

const notebook =
  JSON.stringify(
    {
      cells: [{ cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: ["soup"] }],
      metadata: { language_info: { name: "python" } },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  ) + "\n";
let window;
let count = 0;
let name;

before(async () => {
  window = await Window.open({ files: { "menu.txt": "soup\n" } });
  await window.found();
});
after(() => window?.close());

beforeEach(() => {
  name = `menu${++count}.ipynb`;
  window.write(name, notebook);
});

const at = (path) => ({ path: window.path(path) });
const replace = (path, more) => ({ path, old_str: "soup", new_str: "stew", ...more });

// refused looks that no command shows, edits or saves a file, and that the file is as it was.
async function refused(path, as) {
  const onDisk = window.disk(path);
  for (const [command, args] of [
    ["view", { path }],
    ["str_replace", replace(path, { save: true })],
    ["write", { path, content: "{}\n" }],
    ["save", { paths: [path] }],
  ]) {
    const { data, message } = await window.fails(command, args);
    assert.equal(data.kind, "unsupported", `${command}: ${message}`);
    assert.match(message, as);
  }
  assert.equal(window.disk(path), onDisk);
}

// edited looks that a file is edited as text, and saved.
async function edited(path) {
  await window.until("it is a file", async () => (await window.run("call", "view", `path=${path}`)).code === 0);
  const { notes } = await window.call("str_replace", replace(path, { save: true }));
  assert.match(window.disk(path), /stew/);
  return notes.join();
}

const isNotebook = /is open in the editor as a notebook/;

test("an open notebook is not edited behind the screen, and is a file again when it is closed", async () => {
  await window.do("openWith", { ...at(name), view: "jupyter-notebook" });
  await window.do("cells", { ...at(name), text: "unsaved" });
  await refused(name, isNotebook);
  assert.deepEqual(await window.do("cells", at(name)), ["soup", "unsaved"]);
  assert.equal((await window.do("text", at(name))).open, false, "there is no second text of it");
  await window.do("command", { command: "workbench.action.files.save" });
  await window.until("saved", () => /unsaved/.test(window.disk(name)));
  await refused(name, isNotebook);
  await window.do("shut", at(name));
  await edited(name);
});

test("so is one in a tab in the background", async () => {
  await window.do("openWith", { ...at(name), view: "jupyter-notebook", background: true });
  await refused(name, isNotebook);
  await window.do("shut", at(name));
  await edited(name);
});

test("so is one in both sides of a diff", async () => {
  const other = name.replace("menu", "other");
  window.write(other, notebook.replace("soup", "tea"));
  await window.do("diff", { ...at(name), other: window.path(other) });
  await refused(name, isNotebook);
  await refused(other, isNotebook);
  await window.do("command", { command: "workbench.action.closeActiveEditor" });
  await edited(name);
});

test("so is what another editor than VS Code's own has open, until it is open as text", async () => {
  const bytes = name.replace("ipynb", "bytes");
  window.write(bytes, "soup\n");
  await window.do("openWith", { ...at(bytes), view: "probe.bytes" });
  await window.do("bytes", { text: "unsaved" });
  await refused(bytes, /is open in the editor as a document of another editor/);
  await window.do("command", { command: "workbench.action.files.save" });
  await window.until("saved", () => window.disk(bytes) === "soup\nunsaved");
  await window.do("shut", at(bytes));
  await window.do("openWith", { ...at(bytes), view: "default" });
  await edited(bytes);
});

test("a Markdown file that is shown as it will look is edited as text", async () => {
  const page = name.replace("ipynb", "md");
  window.write(page, "soup\n");
  await window.do("openWith", { ...at(page), view: "vscode.markdown.preview.editor" });
  await edited(page);
});

test("a closed notebook is edited as JSON, and the answer says so", async () => {
  assert.match(await edited(name), /is a notebook: this is its JSON/);
});

// VS Code opens a tab for what is not saved, and that of a notebook does not have the text.
test("a closed notebook that is edited or made, and not saved, is to be seen as text", async () => {
  const made = name.replace("menu", "made");
  await window.call("create", { path: made, content: notebook });
  await window.call("str_replace", replace(name));
  for (const path of [name, made]) {
    await window.until("a tab", async () => (await window.do("text", at(path))).tab);
  }
  for (const path of [name, made]) {
    await window.call("save", { paths: [path] });
    assert.match(window.disk(path), path === name ? /stew/ : /soup/);
  }
});

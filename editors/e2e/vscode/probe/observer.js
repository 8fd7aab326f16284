// The observer of a soak in VS Code. It keeps a record of every change of the documents
// that it is given, and says of each who made it. The extension's own call of
// workspace.applyEdit is wrapped from outside: where VS Code says that it has taken an edit
// for version v, the change to version v+1 is the agent's, since it takes none for another
// version. All else is the user's. Nothing here stands on what the extension or the server
// says.
const fs = require("node:fs");
const Module = require("node:module");
const vscode = require("vscode");

let events = [];
let calls = 0;
const docs = new Map();

const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

const note = (event) => events.push({ at: now(), ...event });

const nameOf = (uri) => uri.path.split("/").pop();

// watch wraps applyEdit as an extension gets it, which has to be loaded after this.
exports.watch = (id) => {
  const extension = vscode.extensions.getExtension(id);
  if (!extension) return;
  const places = [extension.extensionPath, fs.realpathSync(extension.extensionPath)];
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    const loaded = load.call(this, request, parent, ...rest);
    if (request === "vscode" && places.some((place) => parent?.filename?.startsWith(place + "/"))) wrap(loaded);
    return loaded;
  };
};

const wrapped = new WeakSet();

function wrap(api) {
  if (wrapped.has(api)) return;
  wrapped.add(api);
  const inner = api.workspace.applyEdit;
  api.workspace.applyEdit = (edit, ...rest) => {
    const call = ++calls;
    const versions = {};
    for (const [uri] of edit.entries()) versions[nameOf(uri)] = find(uri)?.version;
    note({ what: "begin", call, versions });
    const answer = inner.call(api.workspace, edit, ...rest);
    answer.then(
      (accepted) => note({ what: "end", call, accepted }),
      () => note({ what: "end", call, accepted: false }),
    );
    return answer;
  };
}

const find = (uri) => vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString());

vscode.workspace.onDidChangeTextDocument(({ document, reason }) => {
  const doc = docs.get(document.uri.toString());
  if (!doc) return;
  const before = doc.lines;
  const after = document.getText().split("\n");
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  if (head === before.length && head === after.length) return;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  doc.lines = after;
  // Each change is an act of its own, as a key begins one in Neovim.
  note({ what: "key", key: { 1: "undo", 2: "redo" }[reason] ?? "" });
  note({
    what: "change",
    doc: doc.name,
    version: document.version,
    first: head,
    old: before.slice(head, before.length - tail),
    new: after.slice(head, after.length - tail),
  });
});

exports.operations = {
  // observe begins a new record.
  observe({ paths }) {
    events = [];
    docs.clear();
    const texts = {};
    for (const path of paths) {
      const uri = vscode.Uri.file(path);
      const text = find(uri).getText();
      docs.set(uri.toString(), { name: nameOf(uri), lines: text.split("\n") });
      texts[nameOf(uri)] = text;
    }
    return { texts, events: [] };
  },

  // record returns what happened since, and the texts.
  record() {
    const taken = events;
    events = [];
    const accepted = new Set(taken.filter((e) => e.what === "end" && e.accepted).map((e) => e.call));
    for (const { what, call, versions } of taken) {
      if (what !== "begin" || !accepted.has(call)) continue;
      for (const change of taken) {
        if (change.what === "change" && change.version === versions[change.doc] + 1) change.call = call;
      }
    }
    for (const change of taken) {
      if (change.what === "change") change.who = change.call ? "agent" : "user";
    }
    const texts = {};
    for (const [uri, { name }] of docs) texts[name] = find(vscode.Uri.parse(uri)).getText();
    return { texts, events: taken };
  },

  // reset gives a document another text, as if it were a new one: opening one takes longer.
  async reset({ path, text }) {
    docs.clear();
    const doc = find(vscode.Uri.file(path));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(doc.uri, new vscode.Range(0, 0, doc.lineCount, 0), text);
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error(`VS Code did not take the new text of ${path}`);
  },

  // forget closes documents, with what is unsaved in them.
  async forget({ paths }) {
    for (const path of paths) {
      await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
  },
};

// A formatter, as people have one: it takes blanks away that are too many, with an edit for
// each line.
vscode.languages.registerDocumentFormattingEditProvider(
  { language: "plaintext" },
  {
    provideDocumentFormattingEdits: (document) =>
      Array.from({ length: document.lineCount }, (_, i) => document.lineAt(i))
        .map(({ range, text }) => [range, text, text.trimEnd().replace(/(\S) {2,}/g, "$1 ")])
        .filter(([, text, wanted]) => text !== wanted)
        .map(([range, , wanted]) => vscode.TextEdit.replace(range, wanted)),
  },
);

// Reads and controls documents for driver.mjs, which listens on the Unix socket
// that is named in PATCHLS_PROBE_SOCKET. It is no part of the product.
const vscode = require("vscode");
const net = require("node:net");
const readline = require("node:readline");
const observer = require("./observer");

exports.activate = function () {
  observer.watch("patchls.patchls");
  vscode.window.registerCustomEditorProvider("probe.bytes", bytes);
  const socket = net.connect(process.env.PATCHLS_PROBE_SOCKET);
  const send = (message) => socket.write(JSON.stringify(message) + "\n");
  socket.on("error", () => {});
  socket.on("connect", () => send({ hello: true, version: vscode.version, app: vscode.env.appName }));
  readline.createInterface({ input: socket }).on("line", async (line) => {
    const { id, op, ...args } = JSON.parse(line);
    try {
      send({ id, result: (await ops[op](args)) ?? null });
    } catch (error) {
      send({ id, error: String(error?.message ?? error) });
    }
  });
};

// bytes is an editor of its own, which keeps what a file holds and what was typed.
const changed = new vscode.EventEmitter();
const bytes = {
  onDidChangeCustomDocument: changed.event,
  async openCustomDocument(uri) {
    return { uri, text: String(await vscode.workspace.fs.readFile(uri)), dispose() {} };
  },
  resolveCustomEditor(document, { webview }) {
    webview.html = document.text;
    bytes.last = document;
  },
  async saveCustomDocument({ uri, text }) {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
  },
};

const uriOf = (path) => (path.startsWith("untitled:") ? vscode.Uri.parse(path) : vscode.Uri.file(path));

const find = (path) => {
  const wanted = uriOf(path).toString();
  return vscode.workspace.textDocuments.find((d) => d.uri.toString() === wanted);
};

const show = async (path) =>
  vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uriOf(path)), { preview: false });

// settle waits until this process has heard of every change that the page knew
// of: the command is answered by the page, on the channel that changes come by.
const settle = () => vscode.commands.executeCommand("setContext", "patchls-e2e.settled", Date.now());

// held is the next save, which waits until it is released.
let held;

const place = (p) => ({ line: p.line, column: p.character });

const ops = {
  async open({ path }) {
    await show(path);
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
  },

  async goto({ path, line, column }) {
    const editor = await show(path);
    const at = new vscode.Position(line, column);
    editor.selection = new vscode.Selection(at, at);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    await settle();
  },

  settle,

  async text({ path }) {
    await settle();
    const doc = find(path);
    if (!doc) return { open: false };
    const wanted = doc.uri.toString();
    const tabs = vscode.window.tabGroups.all.flatMap((g) => g.tabs);
    return {
      open: true,
      text: doc.getText(),
      dirty: doc.isDirty,
      version: doc.version,
      tab: tabs.some((t) => t.input instanceof vscode.TabInputText && t.input.uri.toString() === wanted),
    };
  },

  // active names the document that has the focus, and the cursor in it.
  async active() {
    await settle();
    const editor = vscode.window.activeTextEditor;
    if (!editor) return null;
    const uri = editor.document.uri;
    return { path: uri.scheme === "file" ? uri.fsPath : uri.toString(), ...place(editor.selection.active) };
  },

  // openWith shows a file in an editor of another kind, or has only a tab for it.
  async openWith({ path, view, background = false }) {
    await vscode.commands.executeCommand("vscode.openWith", uriOf(path), view, { background, preview: false });
    await settle();
  },

  async diff({ path, other }) {
    await vscode.commands.executeCommand("vscode.diff", uriOf(path), uriOf(other));
    await settle();
  },

  // cells are the texts of the cells of a notebook that is open, after another cell is put below them if text is given.
  async cells({ path, text }) {
    const wanted = uriOf(path).toString();
    const notebook = vscode.workspace.notebookDocuments.find((d) => d.uri.toString() === wanted);
    if (!notebook) return null;
    if (text !== undefined) {
      const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, text, "python");
      const edit = new vscode.WorkspaceEdit();
      edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(notebook.cellCount, [cell])]);
      await vscode.workspace.applyEdit(edit);
    }
    return notebook.getCells().map(({ document }) => document.getText());
  },

  // bytes types into the custom editor that was shown last.
  bytes({ text }) {
    bytes.last.text += text;
    changed.fire({ document: bytes.last, undo() {}, redo() {} });
  },

  // shut closes the tabs of a file.
  async shut({ path }) {
    const tabs = vscode.window.tabGroups.all.flatMap((g) => g.tabs);
    await vscode.window.tabGroups.close(tabs.filter(({ input }) => input?.uri?.toString() === uriOf(path).toString()));
    await settle();
  },

  // hold has the next save wait, after what the extensions do that began before.
  hold() {
    held = {};
    held.begun = new Promise((begin) => {
      const listener = vscode.workspace.onWillSaveTextDocument((event) => {
        listener.dispose();
        event.waitUntil(new Promise((release) => Object.assign(held, { release })));
        begin();
      });
    });
  },

  held: () => held.begun,

  release: () => held.release(),

  // set changes the user's settings, which every extension has heard of then.
  async set({ settings }) {
    for (const [name, value] of Object.entries(settings)) {
      await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
    }
  },

  problems({ path }) {
    return vscode.languages.getDiagnostics(uriOf(path)).map(({ message }) => ({ message }));
  },

  // tabs are those of all groups; a diff has the texts of its two sides.
  async tabs() {
    await settle();
    const tabs = vscode.window.tabGroups.all.flatMap((g) => g.tabs);
    const textOf = async (uri) => (await vscode.workspace.openTextDocument(uri)).getText();
    return Promise.all(
      tabs.map(async ({ label, isActive, input }) => {
        if (!(input instanceof vscode.TabInputTextDiff)) return { label, active: isActive };
        const [before, after] = await Promise.all([textOf(input.original), textOf(input.modified)]);
        return { label, active: isActive, before, after };
      }),
    );
  },

  async command({ command, args = [] }) {
    const result = await vscode.commands.executeCommand(command, ...args);
    await settle();
    try {
      return JSON.parse(JSON.stringify(result ?? null));
    } catch {
      return null; // a result that is no data is none to the driver
    }
  },

  // tools are those that the agent mode has of MCP servers and extensions.
  tools() {
    return vscode.lm.tools.map(({ name }) => name);
  },

  // tool calls one of them, as the agent mode does.
  async tool({ name, input }) {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return content.map((part) => part.value).join("");
  },

  async untitled({ text }) {
    const doc = await vscode.workspace.openTextDocument({ content: text });
    await vscode.window.showTextDocument(doc, { preview: false });
    await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
    return { uri: doc.uri.toString() };
  },

  // api calls a function of what another extension exports.
  async api({ extension, name, args = [] }) {
    const found = vscode.extensions.getExtension(extension);
    if (!found) throw new Error(`the extension ${extension} is not installed`);
    if (!found.isActive) throw new Error(`the extension ${extension} is not active`);
    if (typeof found.exports?.[name] !== "function") throw new Error(`${extension} exports no ${name}`);
    await settle();
    return found.exports[name](...args);
  },

  ...observer.operations,
};

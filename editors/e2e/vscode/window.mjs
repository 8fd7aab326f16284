// One window of VS Code for a test: the driver as a program that is spoken to in
// lines of JSON, a folder with files, and patchls as an agent calls it.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));

const need = (name, what) => {
  if (!process.env[name]) throw new Error(`${name} has to name ${what}`);
  return path.resolve(process.env[name]);
};

// What a test needs is named by these variables.
export const given = {
  tools: need("E2E_TOOLS", "the folder that install.sh was given"),
  patchls: need("E2E_PATCHLS", "the patchls program"),
  extension: need("E2E_EXTENSION", "the extension: its .vsix or its folder"),
};

export class Window {
  #waiting = new Map();
  #last = 0;

  // open starts a window; files are put into its folder first. folder: null is a window without one.
  static async open({ files = {}, settings = {}, folder, viewport } = {}) {
    const window = new Window();
    window.root = fs.mkdtempSync(path.join(os.tmpdir(), "vscode-e2e-"));
    window.folder = path.join(window.root, "menu");
    for (const [name, text] of Object.entries(files)) window.write(name, text);
    fs.mkdirSync(window.folder, { recursive: true });
    const runtime = path.join(window.root, "run");
    fs.mkdirSync(runtime, { mode: 0o700 });
    window.env = { ...process.env, XDG_RUNTIME_DIR: runtime, HOME: window.root };
    delete window.env.PATCHLS_SOCKET;
    const config = {
      folder: folder === null ? undefined : window.folder,
      extensions: [given.extension],
      // A .vsix has a program of its own, which is taken where none is named.
      settings: { ...(given.extension.endsWith(".vsix") ? {} : { "patchls.path": given.patchls }), ...settings },
      state: path.join(window.root, "state"),
      code_server: path.join(given.tools, "code-server"),
      node: path.join(given.tools, "node"),
      chromium: path.join(given.tools, "chromium"),
      env: { XDG_RUNTIME_DIR: runtime, HOME: window.root },
      viewport,
    };
    window.settings = config.settings;
    window.driver = spawn(process.execPath, [path.join(here, "driver.mjs"), JSON.stringify(config)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    window.exited = new Promise((resolve) => window.driver.once("exit", resolve));
    await window.#listen();
    return window;
  }

  #listen() {
    return new Promise((resolve, reject) => {
      readline.createInterface({ input: this.driver.stdout }).on("line", (line) => {
        const message = JSON.parse(line);
        if (message.ready === true) return resolve(message);
        if (message.ready === false) return reject(new Error(`${message.error}\n${message.log}`));
        const { yes, no } = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (message.error === undefined) yes(message.result);
        else no(new Error(message.error));
      });
    });
  }

  // do asks the driver for an operation.
  do(op, args = {}) {
    const id = ++this.#last;
    this.driver.stdin.write(JSON.stringify({ id, op, ...args }) + "\n");
    return new Promise((yes, no) => this.#waiting.set(id, { yes, no }));
  }

  path(name) {
    return path.join(this.folder, name);
  }

  write(name, text) {
    fs.mkdirSync(path.dirname(this.path(name)), { recursive: true });
    fs.writeFileSync(this.path(name), text);
  }

  disk(name) {
    return fs.readFileSync(this.path(name), "utf8");
  }

  async text(name) {
    return (await this.do("text", { path: this.path(name) })).text;
  }

  // run runs patchls as an agent's shell does, and does not judge how it ends.
  run(...args) {
    return new Promise((resolve) => {
      execFile(given.patchls, args, { cwd: this.folder, env: this.env, timeout: 150_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? (error.code ?? -1) : 0, stdout, stderr }),
      );
    });
  }

  // call runs a command that has to succeed, and returns its result.
  async call(command, args, ...options) {
    const { code, stdout, stderr } = await this.run("call", command, JSON.stringify(args), "--json", ...options);
    assert.equal(code, 0, `${command} ${JSON.stringify(args)}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  // fails runs a command that has to fail, and returns its error.
  async fails(command, args) {
    const { code, stdout, stderr } = await this.run("call", command, JSON.stringify(args), "--json");
    assert.equal(code, 1, `${command} ${JSON.stringify(args)} did not fail: ${stdout}${stderr}`);
    return JSON.parse(stdout).error;
  }

  // found waits until agents find the window, and gives what patchls editors says of it.
  found() {
    return this.until(
      "agents find the window",
      async () => JSON.parse((await this.run("editors", "--json")).stdout)[0],
    );
  }

  // until polls for what a condition gives. If that takes too long it fails, and says what VS Code has said.
  async until(what, condition, milliseconds = 20_000) {
    const deadline = Date.now() + milliseconds;
    for (;;) {
      const value = await condition();
      if (value) return value;
      if (Date.now() > deadline) {
        const said = JSON.stringify(await this.do("messages"));
        assert.fail(`${what}: not in ${milliseconds} ms, and VS Code has said ${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // said waits for a notification.
  said(pattern) {
    return this.until(`a notification like ${pattern}`, async () =>
      (await this.do("messages")).find((text) => pattern.test(text)),
    );
  }

  // set changes the user's settings; VS Code has them once it ends.
  set(settings) {
    return this.do("set", { settings });
  }

  async close() {
    await this.do("close");
    await this.exited;
    fs.rmSync(this.root, { recursive: true, force: true });
  }
}

// tip is what the item in the status bar says on hover.
export async function tip(window) {
  return (await window.do("tips")).find((text) => /\bpatchls\b/.test(text)) ?? "";
}

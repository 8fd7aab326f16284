import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));

// What tests need so that a text is what was typed, and nothing asks or fetches.
const settings = {
  "chat.commandCenter.enabled": false,
  "chat.disableAIFeatures": true,
  "editor.acceptSuggestionOnEnter": "off",
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
  "editor.autoIndent": "none",
  "editor.minimap.enabled": false,
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.suggestOnTriggerCharacters": false,
  "editor.trimAutoWhitespace": false,
  "editor.wordBasedSuggestions": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "window.restoreWindows": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

// CodeServer is the part of VS Code that runs on the machine.
export class CodeServer {
  log = "";

  constructor(config, probe) {
    this.config = config;
    this.entry = path.join(config.code_server, "node_modules/code-server/out/node/entry.js");
    this.data = path.join(config.state, "data");
    this.extensions = path.join(config.state, "extensions");
    const home = path.join(config.state, "home");
    for (const folder of [this.extensions, home]) fs.mkdirSync(folder, { recursive: true });
    this.env = { ...process.env, HOME: home, ...config.env, PATCHLS_PROBE_SOCKET: probe };
  }

  // start returns the address of the page.
  async start() {
    const all = { ...settings, ...this.config.settings };
    // Settings of the machine, such as where a program is, are not taken from the user's here.
    for (const scope of ["User", "Machine"]) {
      fs.mkdirSync(path.join(this.data, scope), { recursive: true });
      fs.writeFileSync(path.join(this.data, scope, "settings.json"), JSON.stringify(all, null, 2));
    }
    await this.install();
    const args = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
    args.push("--disable-workspace-trust", "--disable-getting-started-override", ...this.places());
    args.push("--config", path.join(this.config.state, "config.yaml"));
    // A process group of its own, so that all of it can be ended.
    this.process = spawn(this.config.node, [this.entry, ...args], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`code-server ${why}\n${this.log}`));
      const timer = setTimeout(() => fail("did not start in 30 s"), 30_000);
      this.process.once("error", (error) => fail(String(error)));
      this.process.once("exit", (code) => fail(`ended with ${code}`));
      const hear = (chunk) => {
        this.log += chunk;
        const found = /listening on (http:\S+)/.exec(this.log);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[1]);
      };
      this.process.stdout.on("data", hear);
      this.process.stderr.on("data", hear);
    });
  }

  places() {
    return ["--user-data-dir", this.data, "--extensions-dir", this.extensions];
  }

  // install puts the probe and the extensions to be tested in. A .vsix goes the
  // way that a person's would; a folder is taken as it stands.
  async install() {
    for (const source of [path.join(here, "probe"), ...(this.config.extensions ?? [])]) {
      if (source.endsWith(".vsix")) {
        const args = [this.entry, ...this.places(), "--install-extension", source, "--force"];
        const { stdout, stderr } = await promisify(execFile)(this.config.node, args, {
          env: this.env,
          timeout: 60_000,
        });
        this.log += stdout + stderr;
        continue;
      }
      const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(source, "package.json"), "utf8"));
      const target = path.join(this.extensions, `${publisher}.${name}-${version}`);
      if (!fs.existsSync(target)) fs.symlinkSync(path.resolve(source), target);
    }
  }

  // stop ends the whole group, and looks that nothing is left.
  async stop() {
    if (!this.process?.pid) return;
    for (const signal of ["SIGTERM", "SIGKILL"]) {
      this.signal(signal);
      const deadline = Date.now() + 5000;
      while (this.members().length > 0 && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      if (this.members().length === 0) return;
    }
  }

  signal(name) {
    try {
      process.kill(-this.process.pid, name);
    } catch {
      // The group is empty.
    }
  }

  // kill ends the editor's own processes, those that run on its Node, and no others.
  kill() {
    const node = fs.realpathSync(this.config.node);
    for (const pid of this.members()) {
      try {
        if (fs.realpathSync(`/proc/${pid}/exe`) === node) process.kill(pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  // members are the processes of the group that still run.
  members() {
    return fs.readdirSync("/proc").filter((pid) => {
      try {
        const fields = fs
          .readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ");
        return fields[0] !== "Z" && Number(fields[2]) === this.process.pid;
      } catch {
        return false;
      }
    });
  }
}

import fs from "node:fs";
import path from "node:path";
import { Browser } from "./browser.mjs";
import { CodeServer } from "./codeserver.mjs";
import { Probe } from "./probe.mjs";

// Editor is one window of VS Code, with all that it needs to run.
export class Editor {
  constructor(config) {
    for (const name of ["state", "code_server", "node", "chromium"]) {
      if (!config[name]) throw new Error(`the configuration lacks ${name}`);
    }
    this.config = config;
    fs.mkdirSync(config.state, { recursive: true });
  }

  async start() {
    const { config } = this;
    this.probe = await Probe.listen();
    this.server = new CodeServer(config, this.probe.address);
    const url = await this.server.start();
    // ew asks for a window without a folder.
    let query = config.folder ? `folder=${encodeURIComponent(config.folder)}` : "ew=true";
    if (config.second) {
      const file = path.join(config.state, "two.code-workspace");
      fs.writeFileSync(file, JSON.stringify({ folders: [{ path: config.folder }, { path: config.second }] }));
      query = `workspace=${encodeURIComponent(file)}`;
    }
    this.browser = new Browser(config);
    await this.browser.open(`${url}?${query}`);
    return this.probe.hello(60_000);
  }

  // reload loads the window anew, and waits for the probe there.
  async reload() {
    this.probe.forget();
    await this.browser.reload();
    await this.probe.hello(60_000);
  }

  // close ends everything and waits until it has ended.
  async close() {
    await this.browser?.close();
    await this.server?.stop();
    await this.probe?.close();
  }

  // kill leaves the editor no time for anything. What it had started, a language
  // server among it, is not killed: it has to notice.
  async kill() {
    this.server?.kill();
    this.browser?.kill();
    await this.probe?.close();
  }

  log() {
    return this.server?.log.slice(-4000) ?? "";
  }
}

import { createRequire } from "node:module";
import path from "node:path";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// Browser is the page that shows the editor, and the keys that are typed there.
export class Browser {
  constructor(config) {
    this.config = config;
  }

  async open(url) {
    const load = createRequire(path.join(this.config.code_server, "package.json"));
    const { chromium } = load("playwright-core");
    // launchServer, because only there the process is known, to be killed.
    this.server = await chromium.launchServer({ executablePath: this.config.chromium, args: flags });
    this.browser = await chromium.connect(this.server.wsEndpoint());
    const context = await this.browser.newContext({ viewport: this.config.viewport ?? { width: 1280, height: 800 } });
    this.page = await context.newPage();
    await this.page.addInitScript(collectNotifications);
    await this.page.goto(url, { waitUntil: "domcontentloaded", timeout: 60_000 });
    await this.page.waitForSelector(".monaco-workbench", { timeout: 60_000 });
  }

  // focused waits until keys go to a part of the page: a text editor if none is named.
  async focused(part = ".editor-instance") {
    await this.page.waitForFunction((part) => document.activeElement?.closest(part), part, { timeout: 10_000 });
  }

  async type(text, delay = 0) {
    await this.page.keyboard.type(text, { delay });
  }

  async press(keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  // click clicks a button of a notification, of the newest one that has it.
  async click(name) {
    const buttons = this.page.locator(".notifications-toasts").getByRole("button", { name });
    await buttons.first().click({ timeout: 10_000 });
  }

  // messages are the texts of all notifications so far.
  async messages() {
    return this.page.evaluate(() => window.patchlsNotifications);
  }

  async screenshot(file) {
    await this.page.screenshot({ path: file });
  }

  async close() {
    await this.browser?.close();
    await this.server?.close();
  }

  kill() {
    this.server?.process().kill("SIGKILL");
  }
}

// collectNotifications runs in the page: a notification may be gone when one looks.
function collectNotifications() {
  window.patchlsNotifications = [];
  const seen = new WeakMap();
  const look = () => {
    for (const toast of document.querySelectorAll(".notifications-toasts .notification-list-item")) {
      const text = toast.querySelector(".notification-list-item-message")?.textContent?.trim();
      if (!text || seen.get(toast) === text) continue;
      seen.set(toast, text);
      window.patchlsNotifications.push(text);
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
}

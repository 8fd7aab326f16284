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

// launch starts Chromium, which crashes at its start now and then: that says nothing of the editor. launchServer, because
// only there the process is known, to be killed.
async function launch(chromium, executablePath, tries = 3) {
  try {
    return await chromium.launchServer({ executablePath, args: flags });
  } catch (error) {
    if (tries === 1) throw error;
    console.error(`Chromium is started once more: ${error}`);
    return launch(chromium, executablePath, tries - 1);
  }
}

// Browser is the page that shows the editor, and the keys that are typed there.
export class Browser {
  constructor(config) {
    this.config = config;
  }

  async open(url) {
    const load = createRequire(path.join(this.config.code_server, "package.json"));
    const { chromium } = load("playwright-core");
    this.server = await launch(chromium, this.config.chromium);
    this.browser = await chromium.connect(this.server.wsEndpoint());
    const context = await this.browser.newContext({ viewport: this.config.viewport ?? { width: 1280, height: 800 } });
    this.page = await context.newPage();
    await this.page.addInitScript(collectNotifications);
    await this.page.goto(url, { waitUntil: "domcontentloaded", timeout: 60_000 });
    await this.page.waitForSelector(".monaco-workbench", { timeout: 60_000 });
  }

  // reload loads the page anew, which is VS Code's "Reload Window".
  async reload() {
    await this.page.reload({ waitUntil: "domcontentloaded", timeout: 60_000 });
    await this.page.waitForSelector(".monaco-workbench", { timeout: 60_000 });
  }

  // focused waits until keys go to a part of the page: a text editor if none is named.
  async focused(part = ".editor-instance") {
    await this.page.waitForFunction((part) => document.activeElement?.closest(part), part, { timeout: 10_000 });
  }

  // seen waits until a part of the page is to be seen.
  async seen(part) {
    await this.page.locator(part).first().waitFor({ timeout: 10_000 });
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

  // answer clicks a link in a notification.
  async answer(name) {
    const links = this.page.locator(".notifications-toasts .notification-list-item-message a", {
      hasText: exactly(name),
    });
    await links.first().click({ timeout: 10_000 });
  }

  // agree clicks a button of a dialog.
  async agree(name) {
    await this.page.locator(".monaco-dialog-box").getByRole("button", { name }).click({ timeout: 10_000 });
  }

  // asked are the texts of the notifications that are to be seen now.
  async asked() {
    return this.page.locator(".notifications-toasts .notification-list-item-message").allTextContents();
  }

  // lenses are the code lenses that are to be seen, each line of them with its links, from the top.
  async lenses() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".editor-instance .codelens-decoration")]
        .filter((line) => line.checkVisibility())
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
        .map((line) => [...line.querySelectorAll("a")].map((link) => link.textContent.trim()))
        .filter((links) => links.length > 0),
    );
  }

  // lens clicks one of the lenses with that title, counted from the top.
  async lens(title, nth) {
    const link = await this.#lens(title, nth);
    await link.click({ timeout: 10_000 });
  }

  // point moves the mouse there, and draws an arrow, since a picture of the page does not show the mouse.
  async point(title, nth) {
    const link = await this.#lens(title, nth);
    await link.hover({ timeout: 10_000 });
    const { x, y, width, height } = await link.boundingBox();
    await this.page.evaluate(
      ([left, top]) => {
        const arrow = document.body.appendChild(document.createElement("div"));
        arrow.style.cssText = `position: fixed; left: ${left}px; top: ${top}px; width: 16px; height: 22px; z-index: 9999;
          background: black; clip-path: polygon(0 0, 0 20px, 5px 16px, 15px 15px); pointer-events: none`;
      },
      [x + width / 2, y + height / 2],
    );
  }

  // VS Code takes lenses away for a moment when something was typed.
  async #lens(title, nth) {
    const named = this.page.locator(".editor-instance .codelens-decoration a", { hasText: exactly(title) });
    await named.nth(nth).waitFor({ timeout: 10_000 });
    const links = await named.all();
    const placed = await Promise.all(
      links.map(async (link) => ({ link, top: (await link.boundingBox())?.y ?? Infinity })),
    );
    placed.sort((a, b) => a.top - b.top);
    if (placed[nth] === undefined) throw new Error(`there are ${placed.length} lenses ${title}`);
    return placed[nth].link;
  }

  // status are the texts of the status bar.
  async status() {
    return this.page.locator(".statusbar-item").allTextContents();
  }

  // tips are the same with what is shown of each on hover, as they are read out.
  async tips() {
    const items = await this.page.locator(".statusbar-item a[aria-label]").all();
    return Promise.all(items.map((item) => item.getAttribute("aria-label")));
  }

  // titled are the words of the buttons in the title of the active editor that have no icon.
  async titled() {
    const texts = await this.page.locator(`${title} a`).allTextContents();
    return texts.map((text) => text.trim()).filter((text) => text !== "");
  }

  // title clicks one of them.
  async title(name) {
    await this.page.locator(`${title} a`, { hasText: exactly(name) }).click({ timeout: 10_000 });
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

const title = ".editor-group-container.active .editor-actions";

// exactly matches a text and nothing around it.
function exactly(text) {
  return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*$`);
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

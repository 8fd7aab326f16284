// What driver.mjs can be asked to do. A path may be the URI of an untitled document.

// show gives a document the focus, and the page's keys with it.
async function show({ probe, browser }, { path }) {
  await probe.ask("open", { path });
  await browser.focused();
}

// press shows a document and presses keys in it.
async function press(editor, { path }, key) {
  await show(editor, { path });
  await editor.browser.press([key]);
  await editor.probe.ask("settle");
}

// until polls for what a condition gives, for some seconds at most.
async function until(condition, milliseconds = 5000) {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const found = await condition();
    if (found || Date.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export const operations = {
  open: show,

  async goto(editor, { path, line, column }) {
    await editor.probe.ask("goto", { path, line, column });
    await editor.browser.focused();
  },

  async type({ browser, probe }, { text, delay }) {
    await browser.type(text, delay);
    await probe.ask("settle");
  },

  async keys({ browser, probe }, { keys }) {
    await browser.press(keys);
    await probe.ask("settle");
  },

  // press presses keys and waits for nothing, as the rhythm of a user is.
  press: ({ browser }, { keys }) => browser.press(keys),

  openWith: ({ probe }, args) => probe.ask("openWith", args),

  diff: ({ probe }, args) => probe.ask("diff", args),

  cells: ({ probe }, args) => probe.ask("cells", args),

  bytes: ({ probe }, args) => probe.ask("bytes", args),

  shut: ({ probe }, args) => probe.ask("shut", args),

  observe: ({ probe }, { paths }) => probe.ask("observe", { paths }),

  async record({ probe }) {
    await probe.ask("settle");
    return probe.ask("record");
  },

  reset: ({ probe }, { path, text }) => probe.ask("reset", { path, text }),

  forget: ({ probe }, { paths }) => probe.ask("forget", { paths }),

  text: ({ probe }, { path }) => probe.ask("text", { path }),

  active: ({ probe }) => probe.ask("active"),

  undo: (editor, args) => press(editor, args, "Control+z"),

  redo: (editor, args) => press(editor, args, "Control+Shift+z"),

  // save presses Ctrl+S and says whether the document is saved then.
  async save(editor, args) {
    await press(editor, args, "Control+s");
    const saved = await until(async () => !(await editor.probe.ask("text", args)).dirty);
    return { saved };
  },

  hold: ({ probe }) => probe.ask("hold"),

  held: ({ probe }) => probe.ask("held"),

  release: ({ probe }) => probe.ask("release"),

  reload: (editor) => editor.reload(),

  async revert(editor, args) {
    await show(editor, args);
    await editor.probe.ask("command", { command: "workbench.action.files.revert" });
  },

  async command({ probe }, { command, args }) {
    return { result: await probe.ask("command", { command, args }) };
  },

  async terminal({ browser, probe }) {
    await probe.ask("command", { command: "workbench.action.terminal.new" });
    await browser.focused(".xterm");
  },

  set: ({ probe }, { settings }) => probe.ask("set", { settings }),

  untitled: ({ probe }, { text }) => probe.ask("untitled", { text }),

  screenshot: ({ browser }, { file }) => browser.screenshot(file),

  marks: ({ probe }, { path }) => probe.ask("api", { extension: "patchls.patchls", name: "marks", args: [path] }),

  seen: ({ browser }, { part }) => browser.seen(part),

  // messages are all notifications that were shown so far.
  messages: ({ browser }) => browser.messages(),

  click: ({ browser }, { button }) => browser.click(button),

  answer: ({ browser }, { choice }) => browser.answer(choice),

  // into types a text into the box that asks for one, and Enter.
  async into({ browser }, { text }) {
    await browser.focused(".quick-input-widget");
    await browser.type(text);
    await browser.press(["Enter"]);
  },

  asked: ({ browser }) => browser.asked(),

  status: ({ browser }) => browser.status(),

  tips: ({ browser }) => browser.tips(),

  titled: ({ browser }) => browser.titled(),

  title: ({ browser }, { name }) => browser.title(name),

  tools: ({ probe }) => probe.ask("tools"),

  // tool calls one of them, and agrees when VS Code asks.
  async tool({ browser, probe }, { name, input }) {
    const answer = probe.ask("tool", { name, input });
    await browser.agree("Yes");
    return answer;
  },

  lenses: ({ browser }) => browser.lenses(),

  lens: ({ browser }, { title, nth = 0 }) => browser.lens(title, nth),

  point: ({ browser }, { title, nth = 0 }) => browser.point(title, nth),

  problems: ({ probe }, { path }) => probe.ask("problems", { path }),

  tabs: ({ probe }) => probe.ask("tabs"),

  close: (editor) => editor.close(),

  kill: (editor) => editor.kill(),
};

// Drives the real VS Code for the end-to-end tests: code-server with a browser,
// where keys are really typed, and a probe extension that reads documents.
//
//   node driver.mjs '{"folder": …, "extensions": […], "state": …, …}'
//
// It speaks lines of JSON: {"id":1,"op":"open","path":"/abs"} on stdin gives
// {"id":1,"result":…} or {"id":1,"error":"…"} on stdout. The first line, once
// all is up, is {"ready":true,"editor":…,"version":…}. README.md has the rest.
import readline from "node:readline";
import { Editor } from "./editor.mjs";
import { operations } from "./operations.mjs";

const print = (message) => process.stdout.write(JSON.stringify(message) + "\n");

const config = JSON.parse(process.argv[2] ?? "{}");
const editor = new Editor(config);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => end(1));

async function end(code) {
  await editor.close().catch(() => {});
  process.exit(code);
}

try {
  const { app, version } = await editor.start();
  print({ ready: true, editor: "VS Code", app, version });
} catch (error) {
  print({ ready: false, error: String(error?.stack ?? error), log: editor.log() });
  await end(1);
}

// One at a time, as a person does one thing at a time.
for await (const line of readline.createInterface({ input: process.stdin })) {
  if (line.trim() === "") continue;
  const { id, op, ...args } = JSON.parse(line);
  try {
    if (!Object.hasOwn(operations, op)) throw new Error(`no operation is called ${op}`);
    print({ id, result: (await operations[op](editor, args)) ?? null });
  } catch (error) {
    print({ id, error: String(error?.message ?? error) });
  }
  if (op === "close" || op === "kill") process.exit(0);
}
await end(0);

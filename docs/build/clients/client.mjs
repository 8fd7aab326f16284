// Views a file in the open editor, replaces a text in it, and prints the verified answer. Node 20; Linux and macOS.
// Usage: node client.mjs FILE OLD NEW
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";

/** Returns a path that other users cannot write to: they would get the token. @param {string} path */
function own(path) {
  const { uid, mode } = lstatSync(path);
  if (uid !== process.getuid?.() || mode & 0o77) throw new Error(`${path} is open to other users.`);
  return path;
}

/** Sends a request, and returns its result. @param {string} method @param {object} params */
async function request(method, params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  for (;;) {
    const [head = "", length = Infinity] = /^Content-Length: (\d+)\r\n\r\n/.exec(held.toString("latin1")) ?? [];
    const end = head.length + Number(length);
    if (held.length >= end) {
      const { id, error, result } = JSON.parse(held.toString("utf8", head.length, end));
      held = held.subarray(end);
      if (error) throw new Error(`${error.data?.kind ?? "refused"}: ${error.message}`); // results.md: what to do after each kind
      if (id) return result; // without an id it is a notification
    } else {
      const { value, done } = await received.next();
      if (done) throw new Error("The editor has ended: view the file before you send an edit again.");
      held = Buffer.concat([held, value]);
    }
  }
}

/** @type {<C extends keyof import("patchls").Commands>(command: C, args: import("patchls").Commands[C]["arguments"]) => Promise<import("patchls").Commands[C]["answer"]>} */
const execute = (command, args) => request("workspace/executeCommand", { command, arguments: [args] });

const [path = "", old_str = "", new_str = ""] = process.argv.slice(2);
const root = process.cwd();
const folder = own(homedir() + "/.local/state/patchls/editors");
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
/** @type {{ roots: string[], socket: string, token: string }[]} */
const editors = files.map((name) => JSON.parse(readFileSync(own(`${folder}/${name}`), "utf8")));
const editor = editors.find(({ roots }) => roots.some((open) => `${root}/`.startsWith(realpathSync(open) + "/")));
if (!editor) throw new Error("No editor has this folder open: patchls doctor says why.");
const socket = connect(editor.socket);
const received = socket[Symbol.asyncIterator]();
let held = Buffer.alloc(0);
const { token } = editor;
await request("initialize", { clientInfo: { name: "mine" }, initializationOptions: { token, root }, capabilities: {} });
console.log((await execute("patchls.view", { path })).text);
const edit = await execute("patchls.str_replace", { path, old_str, new_str });
console.log(edit.message, edit.verified);
socket.end();

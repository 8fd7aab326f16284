// Views a file in the open editor, replaces a text in it, and prints the verified answer. Node 20; Linux and macOS.
// Usage: node client.mjs FILE OLD NEW
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";

/** Returns what the discovery file says of an editor in which this folder is open. @param {string} here */
function find(here) {
  const folder = homedir() + "/.local/state/patchls/editors";
  for (const file of readdirSync(folder).filter((name) => /^\d+\.json$/.test(name))) {
    for (const { uid, mode } of [lstatSync(folder), lstatSync(`${folder}/${file}`)])
      if (uid !== process.getuid?.() || mode & 0o77) throw new Error(`${folder} is open to others, who would get the token.`);
    const editor = JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
    if (editor.roots.some((/** @type {string} */ root) => (here + "/").startsWith(realpathSync(root) + "/"))) return editor;
  }
  throw new Error("No editor has this folder open: patchls doctor says why.");
}

/** Sends a request, and returns its result. @param {string} method @param {object} params */
async function request(method, params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  for (;;) {
    const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(held.toString("latin1")) ?? ["", Infinity];
    const [start, end] = [head.length, head.length + Number(length)];
    if (held.length < end) {
      const { value, done } = await data.next();
      if (done) throw new Error("The editor has ended: view the file before you send an edit again.");
      held = Buffer.concat([held, value]);
      continue;
    }
    const { id, error, result } = JSON.parse(held.toString("utf8", start, end));
    held = held.subarray(end);
    if (error) throw new Error(`${error.data.kind}: ${error.message}`); // results.md: what to do after each kind
    if (id !== undefined) return result; // without one it was a notification
  }
}

/** @type {<C extends keyof import("patchls").Commands>(command: C, args: import("patchls").Commands[C]["arguments"]) => Promise<import("patchls").Commands[C]["answer"]>} */
const execute = (command, args) => request("workspace/executeCommand", { command, arguments: [args] });

const [path = "", old_str = "", new_str = ""] = process.argv.slice(2);
const { socket: name, token } = find(process.cwd());
const socket = connect(name);
const data = socket[Symbol.asyncIterator]();
let held = Buffer.alloc(0);
await request("initialize", { clientInfo: { name: "my-agent" }, initializationOptions: { token, root: process.cwd() }, capabilities: {} });
console.log((await execute("patchls.view", { path })).text);
const edit = await execute("patchls.str_replace", { path, old_str, new_str });
console.log(edit.message, edit.verified);
socket.end();

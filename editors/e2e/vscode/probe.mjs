import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";

// Probe is the connection with the probe extension, which comes to us.
export class Probe {
  #waiting = new Map();
  #last = 0;
  #greeted = deferred();

  static async listen() {
    const probe = new Probe();
    // Not in the state folder: the path of a socket has few characters.
    probe.folder = fs.mkdtempSync(path.join(os.tmpdir(), "probe-"));
    probe.address = path.join(probe.folder, "s");
    probe.server = net.createServer((socket) => probe.#serve(socket));
    await new Promise((resolve) => probe.server.listen(probe.address, resolve));
    return probe;
  }

  #serve(socket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => this.#fail(new Error("the editor's extension host has ended")));
    readline.createInterface({ input: socket }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.hello) {
        this.#greeted.resolve(message);
        return;
      }
      const { resolve, reject } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error === undefined) resolve(message.result);
      else reject(new Error(message.error));
    });
  }

  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  // forget has hello wait for the extension of the next window.
  forget() {
    this.#greeted = deferred();
  }

  // hello waits for the extension, and gives what it says of the editor.
  async hello(milliseconds) {
    const { promise, reject } = this.#greeted;
    const timer = setTimeout(() => reject(new Error(`no word of the probe in ${milliseconds} ms`)), milliseconds);
    return promise.finally(() => clearTimeout(timer));
  }

  ask(op, args = {}) {
    const id = ++this.#last;
    const { promise, resolve, reject } = deferred();
    this.#waiting.set(id, { resolve, reject });
    this.socket.write(JSON.stringify({ id, op, ...args }) + "\n");
    return promise;
  }

  async close() {
    this.socket?.destroy();
    this.server.close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

function deferred() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

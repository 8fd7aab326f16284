import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { type TestContext, test } from "node:test";
import { MissingError, ask, locate } from "../src/program";

/** folders makes folders with a program in those that are named. */
function folders(t: TestContext, ...withProgram: string[]) {
  const root = mkdtempSync(path.join(tmpdir(), "program-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const name of ["extension/bin", "one", "two"]) {
    const folder = path.join(root, name);
    mkdirSync(folder, { recursive: true });
    if (withProgram.includes(name)) {
      program(path.join(folder, "patchls"), `echo "patchls of ${name}"`);
    }
  }
  const searched = ["one", "two"].map((name) => path.join(root, name)).join(path.delimiter);
  return {
    root,
    surroundings: { configured: "", extension: path.join(root, "extension"), searched, platform: "linux" as const },
  };
}

function program(file: string, script: string) {
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

test("the configured program comes first, then the extension's own, then the PATH's", (t) => {
  const { root, surroundings } = folders(t, "extension/bin", "two");
  const configured = path.join(root, "two/patchls");
  assert.equal(locate({ ...surroundings, configured }), configured);
  assert.equal(locate(surroundings), path.join(root, "extension/bin/patchls"));
  rmSync(path.join(root, "extension/bin/patchls"));
  assert.equal(locate(surroundings), configured);
});

test("a configured program that is none is not replaced by another", (t) => {
  const { root, surroundings } = folders(t, "extension/bin");
  writeFileSync(path.join(root, "one/patchls"), "no program");
  for (const configured of [path.join(root, "nowhere"), path.join(root, "one"), path.join(root, "one/patchls")]) {
    assert.throws(() => locate({ ...surroundings, configured }), { name: "Error", message: /patchls\.path is/ });
  }
});

test("where there is none, that is said", (t) => {
  const { surroundings } = folders(t);
  assert.throws(() => locate(surroundings), MissingError);
  assert.throws(() => locate({ ...surroundings, searched: "relative:." }), MissingError);
});

test("a program says its version, and one that cannot is said to be broken", async (t) => {
  const { root, surroundings } = folders(t, "one");
  assert.deepEqual(await ask(locate(surroundings)), {
    path: path.join(root, "one/patchls"),
    version: "patchls of one",
  });
  const broken = path.join(root, "two/patchls");
  program(broken, "exit 3");
  await assert.rejects(ask(broken), MissingError);
});

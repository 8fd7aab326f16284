import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, afterEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { apply } from "../src/apply";
import { save } from "../src/save";
import { Document, workspace } from "./vscode";

// A workspace folder and one outside of it, with files of the same names. The folder "linked" leads to "d" in the workspace.
let base: string;
const inside = (name: string) => join(base, "ws", name);
const outside = (name: string) => join(base, "out", name);
const uri = (name: string) => pathToFileURL(inside(name)).toString();

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "patchls-leads-")));
  for (const name of ["a.txt", "b.txt", "d/c.txt"]) {
    for (const path of [inside(name), outside(name)]) {
      fs.mkdirSync(join(path, ".."), { recursive: true });
      fs.writeFileSync(path, "on disk\n");
    }
  }
  fs.symlinkSync("d", inside("linked"));
});

afterEach(() => {
  workspace.textDocuments = [];
  workspace.meanwhile = () => {};
  fs.rmSync(base, { recursive: true });
});

/** swap has a name of the workspace lead out, if it does not yet. */
function swap(name: string): void {
  const is = fs.lstatSync(inside(name), { throwIfNoEntry: false });
  if (is?.isSymbolicLink()) {
    fs.unlinkSync(inside(name));
  } else if (is) {
    fs.renameSync(inside(name), join(base, "away"));
  }
  fs.symlinkSync(outside(name === "linked" ? "d" : name), inside(name));
  workspace.meanwhile = () => {};
}

/** tree returns the files outside, and what they hold. */
function tree(): Record<string, string> {
  const names = fs.readdirSync(outside(""), { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => fs.statSync(outside(name)).isFile());
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(outside(name), "utf8")]));
}

// What leads out: a file, its folder, a link to its folder, a new file, and the folder of a new file.
const swaps = [
  { file: "a.txt", swapped: "a.txt" },
  { file: "d/c.txt", swapped: "d" },
  { file: "linked/c.txt", swapped: "linked", leads: "d/c.txt" },
  { file: "new.txt", swapped: "new.txt" },
  { file: "d/e/f/new.txt", swapped: "d" },
  { file: "e/f/new.txt", swapped: "e" },
];

for (const { file, swapped, leads = file } of swaps) {
  const isNew = file.endsWith("new.txt");
  const lead = () => ({
    [uri(file)]: inside(leads),
    [uri("b.txt")]: inside("b.txt"),
    [uri("other.txt")]: inside("other.txt"),
  });

  test(`${file} is saved, and not if ${swapped} has come to lead out`, async () => {
    const saves = async (meanwhile: () => void) => {
      workspace.textDocuments = [
        new Document(inside("b.txt"), "first\n", meanwhile),
        new Document(inside(file), "unsaved\n"),
      ];
      const { results } = await save({ uris: [uri("b.txt"), uri(file)], leads: lead() });
      assert.ok(results[0]?.saved);
      return results[1];
    };
    if (!isNew) {
      assert.ok((await saves(() => {}))?.saved);
    }
    const before = tree();
    const refused = await saves(() => swap(swapped));
    assert.match(refused?.error ?? "", /leads elsewhere now/);
    assert.deepEqual(tree(), before);
  });

  test(`${file} is not ${isNew ? "made" : "deleted"} if ${swapped} has come to lead out`, async () => {
    const before = tree();
    workspace.meanwhile = () => swap(swapped);
    const result = await apply(
      {
        edit: {
          documentChanges: isNew
            ? [{ kind: "create", uri: uri(file) }]
            : [
                { kind: "create", uri: uri("other.txt") },
                { kind: "delete", uri: uri(file) },
              ],
        },
        leads: lead(),
      },
      () => {},
    );
    assert.match(result.failureReason ?? "", /leads elsewhere now/);
    assert.equal(result.failedChange, isNew ? 0 : 1);
    assert.deepEqual(tree(), before);
  });

  test(`nothing is renamed ${isNew ? "to" : "from"} ${file} if ${swapped} has come to lead out`, async () => {
    const before = tree();
    const [from, to] = isNew ? ["b.txt", file] : [file, "other.txt"];
    workspace.meanwhile = () => swap(swapped);
    const result = await apply(
      { edit: { documentChanges: [{ kind: "rename", oldUri: uri(from), newUri: uri(to) }] }, leads: lead() },
      () => {},
    );
    assert.match(result.failureReason ?? "", /leads elsewhere now/);
    assert.deepEqual(tree(), before);
  });
}

test("files are made, saved, renamed and deleted where the server saw their names lead", async () => {
  const steps = [
    {
      edit: { kind: "create" as const, uri: uri("e/f/new.txt") },
      leads: { [uri("e/f/new.txt")]: inside("e/f/new.txt") },
    },
    {
      edit: { kind: "rename" as const, oldUri: uri("linked/c.txt"), newUri: uri("g/c.txt") },
      leads: { [uri("linked/c.txt")]: inside("d/c.txt"), [uri("g/c.txt")]: inside("G/c.txt") }, // as other systems spell it
    },
    { edit: { kind: "delete" as const, uri: uri("a.txt") }, leads: { [uri("a.txt")]: "" } }, // which is anywhere
  ];
  for (const { edit, leads } of steps) {
    assert.deepEqual(await apply({ edit: { documentChanges: [edit] }, leads }, () => {}), { applied: true });
  }
  workspace.textDocuments = [new Document(inside("removed/new.txt"), "unsaved\n")];
  const { results } = await save({
    uris: [uri("removed/new.txt")],
    leads: { [uri("removed/new.txt")]: inside("removed/new.txt") },
  });
  assert.deepEqual(results, [{ uri: uri("removed/new.txt"), saved: true }]);
});

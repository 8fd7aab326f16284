// What package.json tells VS Code is held to what the extension is.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { clauseHolds, keysOf } from "./clauses";

interface Step {
  id: string;
  description: string;
  media: { image?: string; markdown?: string };
  completionEvents: string[];
}

interface Entry {
  command: string;
  when?: string;
  enablement?: string;
}

const read = (file: string) => readFileSync(file, "utf8");
const manifest = JSON.parse(read("package.json"));
const { contributes } = manifest;
const commands: Entry[] = contributes.commands;
const menus: Record<string, Entry[]> = contributes.menus;
const steps: Step[] = contributes.walkthroughs.flatMap((walkthrough: { steps: Step[] }) => walkthrough.steps);
const source = readdirSync("src").map((name) => read(`src/${name}`));
const all = (pattern: RegExp, texts: string[]) =>
  new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = ""]) => found)));

const facts = [...all(/\bsetFact\("(\w+)"/g, source)].map((fact) => `patchls.${fact}`);
const clauses = [...commands, ...Object.values(menus).flat()].flatMap(({ when, enablement }) =>
  [when, enablement].filter((clause) => clause !== undefined),
);
const events = steps.flatMap((step) => step.completionEvents);

/** Names of VS Code's own that package.json has. */
const vscodeKeys = ["resourceScheme", "editorIsOpen"];
const vscodeCommands = ["workbench.action.terminal.new", "workbench.action.openSettings"];

test("each context key of package.json is set by the extension, and each that it sets is used", () => {
  const waited = events.flatMap((event) => (event.startsWith("onContext:") ? [event.replace("onContext:", "")] : []));
  const used = new Set([...clauses.flatMap(keysOf), ...waited]);
  assert.deepEqual([...used].sort(), [...facts, ...vscodeKeys].sort());
});

/** What the palette and the title of an editor have, by what is the case. */
const always = ["showTouched", "showLog", "restart"];
const inPalette: [context: Record<string, string | true>, commands: string[]][] = [
  [{}, always],
  [{ editorIsOpen: true }, always],
  [{ running: true, reachable: true, connected: true }, [...always, "pauseAgents"]],
  [{ running: true, paused: true }, [...always, "resumeAgents"]],
  [{ edited: true }, [...always, "undo"]],
  [{ edited: true, editorIsOpen: true }, [...always, "undo", "revert", "keep", "showDiff"]],
  [{ unsaved: true }, [...always, "saveTouched"]],
  [{ asking: true }, [...always, "answer"]],
  [{ asking: true, proposal: true }, [...always, "answer", "apply", "reject"]],
];
const inTitle: typeof inPalette = [
  [{ asking: true, resourceScheme: "file" }, []],
  [{ asking: true, resourceScheme: "patchls-side" }, []],
  [{ asking: true, resourceScheme: "multi-diff-editor" }, []],
  [{ asking: true, proposal: true, resourceScheme: "file" }, []],
  [{ asking: true, proposal: true, resourceScheme: "multi-diff-editor" }, ["apply", "reject"]],
  [{ asking: true, proposal: true, resourceScheme: "patchls-proposal" }, ["apply", "reject"]],
];

/** named gives the keys of the extension their prefix. */
const named = (context: Record<string, string | true>) =>
  new Map(Object.entries(context).map(([key, value]) => [vscodeKeys.includes(key) ? key : `patchls.${key}`, value]));
const short = ({ command }: Entry) => command.replace("patchls.", "");

test("the palette has the commands that can do something", () => {
  for (const [context, want] of inPalette) {
    const shown = commands.filter(({ command, enablement }) => {
      const whens = menus["commandPalette"]?.filter((item) => item.command === command).map(({ when }) => when) ?? [];
      return [enablement, ...whens].every((clause) => clauseHolds(clause, named(context)));
    });
    assert.deepEqual(shown.map(short).sort(), [...want].sort(), JSON.stringify(context));
  }
});

test("the title of a diff has the answers while an agent waits for one", () => {
  for (const [context, want] of inTitle) {
    const shown = menus["editor/title"]?.filter(({ when }) => clauseHolds(when, named(context))) ?? [];
    assert.deepEqual(shown.map(short), want, JSON.stringify(context));
  }
});

test("the schemes that clauses name are those of the extension, or VS Code's own", () => {
  const schemes = all(/resourceScheme == ([\w-]+)/g, clauses);
  assert.deepEqual(
    [...schemes].filter(
      (scheme) => scheme !== "multi-diff-editor" && !source.some((text) => text.includes(`"${scheme}"`)),
    ),
    [],
  );
});

test("each command of package.json is registered, and each that is registered and no server's is there", () => {
  const registered = all(/^ {4}"(patchls\.\w+)":/gm, [read("src/commands.ts")]);
  registered.delete("patchls.apply_document"); // a code lens of the server has it alone
  assert.deepEqual([...registered].sort(), commands.map(({ command }) => command).sort());
  const listed = Object.values(menus).flat();
  assert.deepEqual(
    listed.filter(({ command }) => !registered.has(command)),
    [],
  );
});

test("a walkthrough names what there is", () => {
  const known = [...vscodeCommands, ...commands.map(({ command }) => command)];
  assert.equal(steps.length, 4);
  for (const { id, description, completionEvents } of steps) {
    const linked = [...all(/\]\(command:([\w.]+)/g, [description])];
    const done = completionEvents.map((event) => event.replace(/^onCommand:/, ""));
    assert.ok(completionEvents.length > 0, id);
    assert.deepEqual(
      [...linked, ...done].filter((name) => !known.includes(name) && !facts.includes(name.replace("onContext:", ""))),
      [],
      id,
    );
  }
});

test("the lines that connect agents are those of the documentation", () => {
  const lines = all(/^ {4}(.+)$/gm, [read("media/agent.md")]);
  assert.equal(lines.size, 3);
  const guide = read("../../docs/agents.md");
  assert.deepEqual(
    [...lines].filter((line) => !guide.includes(line)),
    [],
  );
});

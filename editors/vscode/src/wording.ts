import { message, oneLine } from "./oneline";
import type { ConfirmParams } from "./protocol";

/** The answers that the user can give to a question, with the labels of its links. */
export const choices = {
  apply: "Apply",
  diff: "Show diff",
  reject: "Reject",
  word: "Reject with a word…",
} as const;

export type Choice = keyof typeof choices;

/** How many files a question names. */
const named = 3;

/** summary returns the question in one sentence: "May claude edit a.txt (2 lines added, 1 removed)?" */
export function summary({ agent, command, files, diff, why }: ConfirmParams): string {
  const takesBack = command === "undo" || command === "revert";
  const verb = takesBack ? "take back the edit of" : verbOf(files.map(({ change }) => change));
  const reason = why === undefined ? "" : ` ${why}`;
  const names = listed(files.map(({ path }) => oneLine(path)));
  return message(`May ${oneLine(agent)} ${verb} ${names} (${counted(diff)})?${reason}`);
}

/** linked is the summary with a link for each choice. */
export function linked(question: ConfirmParams): string {
  const links = Object.entries(choices).map(([choice, words]) => {
    const args = encodeURIComponent(JSON.stringify([question.id, choice]));
    return `[${words}](command:patchls.answer?${args})`;
  });
  return `${summary(question)} ${links.join(" | ")}`;
}

function verbOf(changes: string[]): string {
  const verbs: Record<string, string> = { create: "create", delete: "delete", rename: "rename" };
  const [first = ""] = changes;
  return changes.every((change) => change === first) ? (verbs[first] ?? "edit") : "edit";
}

function listed(names: string[]): string {
  const [shown, more] = [names.slice(0, named), names.length - named];
  if (more > 0) {
    return `${shown.join(", ")} and ${more} more`;
  }
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** counted says how many lines a unified diff adds and removes. */
function counted(diff: string): string {
  let [added, removed] = [0, 0];
  // How many lines of the hunk are left: outside of a hunk, a leading dash does not mean a removed line.
  let [before, after] = [0, 0];
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (before + after === 0) {
      [before, after] = hunk ? [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)] : [0, 0];
    } else if (line.startsWith("+")) {
      [added, after] = [added + 1, after - 1];
    } else if (line.startsWith("-")) {
      [removed, before] = [removed + 1, before - 1];
    } else if (line.startsWith(" ")) {
      [before, after] = [before - 1, after - 1];
    }
  }
  return `${added} ${added === 1 ? "line" : "lines"} added, ${removed} removed`;
}

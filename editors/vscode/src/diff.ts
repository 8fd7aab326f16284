import * as path from "node:path";
import * as vscode from "vscode";
import type { ConfirmParams, Sides } from "./protocol";

/** The scheme of the server's own documents, of which it gives the text itself (LSP 3.18). */
const scheme = "patchls-diff";

/** sidesOf names the two sides of an edit of a file, as the server does. */
export function sidesOf(edit_id: string, file: string): Sides {
  const side = (name: string) =>
    vscode.Uri.from({ scheme, path: `/${edit_id}/${name}/${file.replace(/^\//, "")}` }).toString();
  return { edit_id, path: file, before: side("before"), after: side("after") };
}

/** showSides shows an edit that was made. */
export async function showSides({ edit_id, path: file, before, after }: Sides): Promise<void> {
  await diff(before, after, `${path.posix.basename(file)} (agent's edit ${edit_id})`);
}

/** showProposal shows an edit that is asked about: the file, or all of them in one editor. */
export async function showProposal(question: ConfirmParams): Promise<void> {
  const { files } = question;
  const [first] = files;
  if (first !== undefined && files.length === 1) {
    await diff(first.before, first.after, titleOf(question));
    return;
  }
  const resources = files.map(({ uri, change, before, after }) => [
    vscode.Uri.parse(uri),
    change === "create" ? undefined : vscode.Uri.parse(before),
    change === "delete" ? undefined : vscode.Uri.parse(after),
  ]);
  await vscode.commands.executeCommand("vscode.changes", titleOf(question), resources);
}

/** closeProposal closes what showProposal has opened. The focus stays where it is. */
export async function closeProposal(question: ConfirmParams): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  // The input of an editor with several files is not told to extensions; its title is ours.
  const isOurs = ({ input, label }: vscode.Tab) =>
    input instanceof vscode.TabInputTextDiff
      ? input.modified.scheme === scheme && input.modified.path.startsWith(`/${question.id}/`)
      : question.files.length > 1 && label.startsWith(titleOf(question));
  await vscode.window.tabGroups.close(tabs.filter(isOurs), true);
}

/** titleOf has the id where an editor is known by its title alone; VS Code adds how many files it has. */
function titleOf({ id, agent, files }: ConfirmParams): string {
  const [first] = files;
  return files.length === 1 && first ? `${path.posix.basename(first.path)} (${agent} asks)` : `${agent} asks, ${id}`;
}

async function diff(before: string, after: string, title: string): Promise<void> {
  const [left, right] = [vscode.Uri.parse(before), vscode.Uri.parse(after)];
  await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
}

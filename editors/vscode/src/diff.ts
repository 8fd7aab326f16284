import * as path from "node:path";
import * as vscode from "vscode";
import { oneLine } from "./oneline";
import type { ConfirmFile, ConfirmParams, Sides } from "./protocol";

/** The scheme of the server's own documents, of which it gives the text itself (LSP 3.18). */
const scheme = "patchls-diff";

/**
 * The schemes by which we show them, those of an edit that was made and of one that is asked
 * about: the path is that of the file and the query the server's URI. By the latter alone VS
 * Code takes two sides for a file that was renamed. package.json knows the editors that ask by theirs.
 */
const shown = { made: "patchls-side", asked: "patchls-proposal" } as const;

/** registerSides has the server asked for the texts that are shown. */
export function registerSides(content: (uri: string) => Promise<string>): vscode.Disposable {
  const provider = { provideTextDocumentContent: ({ query }: vscode.Uri) => content(query) };
  return vscode.Disposable.from(
    ...Object.values(shown).map((name) => vscode.workspace.registerTextDocumentContentProvider(name, provider)),
  );
}

/** sidesOf names the two sides of an edit of a file, as the server does. */
export function sidesOf(edit_id: string, file: string): Sides {
  const side = (name: string) => vscode.Uri.from({ scheme, path: `/${edit_id}/${name}${rooted(file)}` }).toString();
  return { edit_id, path: file, before: side("before"), after: side("after") };
}

/** showSides shows an edit that was made. */
export async function showSides({ edit_id, path: file, before, after }: Sides): Promise<void> {
  const side = (document: string) => sideOf("made", document, file);
  await diff(side(before), side(after), `${oneLine(path.posix.basename(file))} (agent's edit ${edit_id})`);
}

/** showProposal shows an edit that is asked about: the file, or all of them in one editor. */
export async function showProposal(question: ConfirmParams): Promise<void> {
  const { files } = question;
  const [first] = files;
  if (first !== undefined && files.length === 1) {
    const [before, after] = sidesIn(first);
    await diff(before, after, titleOf(question));
    return;
  }
  const resources = files.map((file) => {
    const [before, after] = sidesIn(file);
    return [
      vscode.Uri.parse(file.uri),
      file.change === "create" ? undefined : before,
      file.change === "delete" ? undefined : after,
    ];
  });
  await vscode.commands.executeCommand("vscode.changes", titleOf(question), resources);
}

/** closeProposal closes what showProposal has opened. The focus stays where it is. */
export async function closeProposal(question: ConfirmParams): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(
    tabs.filter((tab) => isProposal(tab, question)),
    true,
  );
}

/** isProposal says whether showProposal has opened a tab for that question. */
export function isProposal({ input, label }: vscode.Tab, question: ConfirmParams): boolean {
  // The input of an editor with several files is not told to extensions; its title is ours.
  return input instanceof vscode.TabInputTextDiff
    ? input.modified.scheme === shown.asked && input.modified.query.startsWith(`${scheme}:/${question.id}/`)
    : question.files.length > 1 && label.startsWith(titleOf(question));
}

/** titleOf has the id where an editor is known by its title alone; VS Code adds how many files it has. */
function titleOf({ id, agent, files }: ConfirmParams): string {
  const [first] = files;
  return files.length === 1 && first
    ? `${oneLine(path.posix.basename(first.path))} (${oneLine(agent)} asks)`
    : `${oneLine(agent)} asks, ${id}`;
}

async function diff(before: vscode.Uri, after: vscode.Uri, title: string): Promise<void> {
  await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: true });
}

function sidesIn({ path: file, new_path, before, after }: ConfirmFile): [vscode.Uri, vscode.Uri] {
  return [sideOf("asked", before, file), sideOf("asked", after, new_path ?? file)];
}

/** sideOf is what is shown of one of the server's documents. */
function sideOf(what: keyof typeof shown, document: string, file: string): vscode.Uri {
  return vscode.Uri.from({ scheme: shown[what], path: rooted(file), query: document });
}

function rooted(file: string): string {
  return file.startsWith("/") ? file : `/${file}`;
}

import * as path from "node:path";
import * as vscode from "vscode";
import { oneLine } from "./oneline";
import type { ConfirmFile, ConfirmParams, Sides } from "./protocol";

/** The scheme of the server's own documents, whose text the server provides (LSP 3.18). */
const scheme = "patchls-diff";

/**
 * The schemes of the URIs by which we show these documents, for an edit that was made and for one that the user
 * is asked about. The path is the file's and the query is the server's URI: by the latter alone, VS Code would take
 * the two sides for a renamed file. package.json recognizes the editors of a proposal by their scheme.
 */
const shown = { made: "patchls-side", asked: "patchls-proposal" } as const;

/** registerSides has VS Code call content, which asks the server, for the texts that are shown. */
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

/** showProposal shows an edit that the user is asked about: its only file, or all of its files in one editor. */
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

/** closeProposal closes the tabs that showProposal has opened for a question. The focus stays where it is. */
export async function closeProposal(question: ConfirmParams): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(
    tabs.filter((tab) => isProposal(tab, question)),
    true,
  );
}

/** isProposal reports whether showProposal has opened this tab for the question. */
export function isProposal({ input, label }: vscode.Tab, question: ConfirmParams): boolean {
  // VS Code does not tell extensions the input of an editor with several files, but its title is ours.
  return input instanceof vscode.TabInputTextDiff
    ? input.modified.scheme === shown.asked && input.modified.query.startsWith(`${scheme}:/${question.id}/`)
    : question.files.length > 1 && label.startsWith(titleOf(question));
}

/** titleOf includes the id if the editor is known only by its title, to which VS Code appends the number of files. */
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

/** sideOf returns the URI by which one of the server's documents is shown. */
function sideOf(what: keyof typeof shown, document: string, file: string): vscode.Uri {
  return vscode.Uri.from({ scheme: shown[what], path: rooted(file), query: document });
}

function rooted(file: string): string {
  return file.startsWith("/") ? file : `/${file}`;
}

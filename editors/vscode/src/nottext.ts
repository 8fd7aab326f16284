import * as vscode from "vscode";

/** The custom editors of VS Code itself that only show a file: they have no text of their own that could differ. */
const viewers = ["vscode.markdown.preview.editor", "imagePreview.previewEditor"];

const notebook = "a notebook";
const custom = "a document of another editor than the text editor";

/**
 * notText returns the files that are open as something other than text, shown or not, and as what, by their URIs. The
 * text that the user sees there is in no text document: VS Code would open a second one, which the user does not see.
 */
export function notText(): Map<string, string> {
  const files = new Map<string, string>();
  for (const { input } of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)) {
    if (input instanceof vscode.TabInputNotebook) {
      files.set(input.uri.toString(), notebook);
    } else if (input instanceof vscode.TabInputNotebookDiff) {
      files.set(input.original.toString(), notebook).set(input.modified.toString(), notebook);
    } else if (input instanceof vscode.TabInputCustom && !viewers.includes(input.viewType)) {
      files.set(input.uri.toString(), custom);
    }
  }
  for (const { uri, isClosed } of vscode.workspace.notebookDocuments) {
    if (!isClosed) {
      files.set(uri.toString(), notebook);
    }
  }
  return files;
}

interface Contribution {
  priority?: string;
  selector?: { filenamePattern?: string }[];
}

/** opensAsText reports whether VS Code opens a file as text, unless it is told otherwise. The file need not exist. */
export function opensAsText(uri: vscode.Uri): boolean {
  const doc = { uri, languageId: "" } as vscode.TextDocument; // no more is looked at for a pattern
  const matches = (glob: string) =>
    vscode.languages.match({ pattern: glob.includes("/") ? glob : `**/${glob}` }, doc) > 0;
  const chosen = vscode.workspace.getConfiguration("workbench").get<Record<string, string>>("editorAssociations") ?? {};
  const glob = Object.keys(chosen).find(matches);
  if (glob !== undefined) {
    return chosen[glob] === "default";
  }
  const editors: Contribution[] = vscode.extensions.all.flatMap(({ packageJSON }) => [
    ...(packageJSON.contributes?.customEditors ?? []),
    ...(packageJSON.contributes?.notebooks ?? []),
  ]);
  return !editors.some(
    ({ priority, selector = [] }) =>
      priority !== "option" && selector.some(({ filenamePattern }) => filenamePattern && matches(filenamePattern)),
  );
}

/**
 * showAsText opens a tab for a document in the background, if VS Code would open one of another kind. It opens a tab for
 * each document that has had unsaved text for a second, and in a notebook that text would not be seen. So the tab has to
 * be there before the text is.
 */
export async function showAsText(doc: vscode.TextDocument): Promise<void> {
  const wanted = doc.uri.toString();
  const isText = ({ input }: vscode.Tab) => input instanceof vscode.TabInputText && input.uri.toString() === wanted;
  if (!opensAsText(doc.uri) && !vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isText))) {
    await vscode.commands.executeCommand("vscode.openWith", doc.uri, "default", { background: true, preview: false });
  }
}

/** onDidChangeNotText reports that these files may be others now. */
export function onDidChangeNotText(changed: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.tabGroups.onDidChangeTabs(changed),
    vscode.workspace.onDidOpenNotebookDocument(changed),
    vscode.workspace.onDidCloseNotebookDocument(changed),
  );
}

import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { lineEnd, nameOf, readText } from "./documents";
import { oneLine } from "./oneline";
import { withLineEnds } from "./splice";

/**
 * isReadOnly says whether the user could not edit a document either. VS Code
 * applies an edit of an extension even then. That the user made an editor read-only
 * for the session is not told to extensions; for that there is warnIfStuck.
 */
export async function isReadOnly(doc: vscode.TextDocument): Promise<boolean> {
  if (vscode.workspace.fs.isWritableFileSystem(doc.uri.scheme) === false) {
    return true;
  }
  if (doc.uri.scheme !== "file") {
    return false;
  }
  const files = vscode.workspace.getConfiguration("files", doc.uri);
  if (matches(doc, files.get("readonlyExclude"))) {
    return false;
  }
  if (matches(doc, files.get("readonlyInclude"))) {
    return true;
  }
  return files.get("readonlyFromPermissions") === true && !(await isWritable(doc.uri));
}

/**
 * warnIfStuck tells the user of a document that an agent edited, that has another
 * text than its file, and that VS Code does not hold to be unsaved: so it is where an
 * editor is read-only for the session. It would close without a question.
 */
export async function warnIfStuck(doc: vscode.TextDocument): Promise<void> {
  if (doc.isDirty || doc.uri.scheme !== "file") {
    return;
  }
  const onDisk = await readText(doc.uri).catch(() => undefined);
  if (onDisk !== undefined && !doc.isDirty && withLineEnds(onDisk, lineEnd(doc)) !== doc.getText()) {
    const name = oneLine(nameOf(doc.uri));
    await vscode.window.showWarningMessage(
      `An agent has edited ${name}, which is read-only in this window: VS Code neither saves it nor counts it as unsaved.`,
    );
  }
}

async function isWritable(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await stat(uri.fsPath)).mode & 0o222) !== 0;
  } catch {
    return true; // there is no file that could be protected
  }
}

/** matches says whether a document matches one of the patterns, which a setting turns on or off. */
function matches(doc: vscode.TextDocument, patterns: Record<string, boolean> | undefined): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(doc.uri);
  return Object.entries(patterns ?? {}).some(([glob, on]) => {
    const pattern = folder && !glob.startsWith("/") ? new vscode.RelativePattern(folder, glob) : glob;
    return on && vscode.languages.match({ pattern }, doc) > 0;
  });
}

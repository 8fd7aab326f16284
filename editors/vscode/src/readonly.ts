import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { lineEnd, nameOf, readText } from "./documents";
import { oneLine } from "./oneline";
import { withLineEnds } from "./splice";

/**
 * isReadOnly reports whether a document is read-only for the user; VS Code applies
 * an extension's edit even then. Extensions cannot know that the user made an editor
 * read-only for the session; warnIfStuck covers that case.
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
 * warnIfStuck warns the user if a document that an agent has edited differs from its
 * file and VS Code does not count it as unsaved, as when an editor is read-only for
 * the session. VS Code would close such a document without a question.
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
    return true; // there is no file, so none is write-protected
  }
}

/** matches reports whether a document matches one of the patterns that are turned on. */
function matches(doc: vscode.TextDocument, patterns: Record<string, boolean> | undefined): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(doc.uri);
  return Object.entries(patterns ?? {}).some(([glob, on]) => {
    const pattern = folder && !glob.startsWith("/") ? new vscode.RelativePattern(folder, glob) : glob;
    return on && vscode.languages.match({ pattern }, doc) > 0;
  });
}

import * as vscode from "vscode";
import type { CreateFile, DeleteFile, RenameFile, TextDocumentEdit, TextEdit } from "vscode-languageclient";
import type { Applied, Versions } from "./attempt";
import { findDocument, lineEnd, nameOf } from "./documents";
import { type Leads, checkLeads } from "./leads";
import { opensAsText, showAsText } from "./nottext";
import { Refusal } from "./refusal";
import { withLineEnds } from "./splice";

/** A change of a document or file that is ready to be made. */
export interface Prepared {
  /** check throws if the change cannot be made to things as they are. It does not wait. */
  check(): void;
  /** apply makes the change. It returns an open document's versions before and after it, if they are known. */
  apply(applied: Applied): Promise<Versions | undefined>;
}

/** prepareFile prepares to create a file with its content, or to rename or delete one. It changes nothing. */
export async function prepareFile(
  operation: CreateFile | DeleteFile | RenameFile,
  leads: Leads,
  content?: TextDocumentEdit,
): Promise<Prepared> {
  switch (operation.kind) {
    case "create":
      return create(operation, leads, content);
    case "delete":
      return remove(operation, leads);
    case "rename":
      return rename(operation, leads);
  }
}

/** ask has VS Code create, rename or delete files, if their names still lead where the server saw them lead. */
async function ask(name: string, edit: vscode.WorkspaceEdit, leads: Leads, ...uris: string[]): Promise<void> {
  uris.forEach((uri) => checkLeads(vscode.Uri.parse(uri, true), leads[uri]));
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Refusal(`VS Code refused to do that to ${name}`);
  }
}

/**
 * create makes a file and puts its text only into the buffer, so that it can be undone in one step. A file that VS Code
 * would not open as text takes two: see showAsText.
 */
async function create({ uri, options }: CreateFile, leads: Leads, content?: TextDocumentEdit): Promise<Prepared> {
  const target = vscode.Uri.parse(uri, true);
  const name = nameOf(target);
  const there = await exists(target);
  if (there && options?.ignoreIfExists !== true) {
    throw new Refusal(`${name} exists`);
  }
  if (there && !findDocument(target) && (await vscode.workspace.fs.stat(target)).size > 0) {
    throw new Refusal(`${name} exists, and is not empty`);
  }
  const text = content?.edits.map((edit) => (edit as TextEdit).newText).join("") ?? "";
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(target, { overwrite: false, ignoreIfExists: options?.ignoreIfExists === true });
  const insert = opensAsText(target) ? edit : new vscode.WorkspaceEdit();
  if (text !== "") {
    insert.insert(target, new vscode.Position(0, 0), text);
  }
  return {
    check() {
      if (findDocument(target)?.getText()) {
        throw new Refusal(`${name} is open, and is not empty`);
      }
    },
    async apply(applied) {
      await ask(name, edit, leads, uri);
      const made = await vscode.workspace.openTextDocument(target);
      if (insert !== edit) {
        await showAsText(made);
        await ask(name, insert, leads, uri);
      }
      const wanted = withLineEnds(text, lineEnd(made));
      if (!made.getText().startsWith(wanted)) {
        throw new Refusal(`VS Code made ${name}, and its text is another than expected`);
      }
      applied(made, wanted === "" ? [] : [{ start: 0, end: wanted.length }]);
    },
  };
}

async function remove({ uri, options }: DeleteFile, leads: Leads): Promise<Prepared> {
  const target = vscode.Uri.parse(uri, true);
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(target, { recursive: false, ignoreIfNotExists: options?.ignoreIfNotExists === true });
  return {
    check() {},
    async apply() {
      await ask(nameOf(target), edit, leads, uri);
      if (await exists(target)) {
        throw new Refusal(`VS Code said that it had deleted ${nameOf(target)}, which is still there`);
      }
    },
  };
}

async function rename({ oldUri, newUri, options }: RenameFile, leads: Leads): Promise<Prepared> {
  const from = vscode.Uri.parse(oldUri, true);
  const to = vscode.Uri.parse(newUri, true);
  if (options?.ignoreIfExists !== true && (await exists(to))) {
    throw new Refusal(`${nameOf(to)} exists`);
  }
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from, to, { overwrite: false, ignoreIfExists: options?.ignoreIfExists === true });
  return {
    check() {},
    async apply() {
      await ask(nameOf(from), edit, leads, oldUri, newUri);
      if ((await exists(from)) || !(await exists(to))) {
        throw new Refusal(`VS Code said that it had renamed ${nameOf(from)}, which is still there`);
      }
    },
  };
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}

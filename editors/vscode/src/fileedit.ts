import * as vscode from "vscode";
import type { CreateFile, DeleteFile, RenameFile, TextDocumentEdit, TextEdit } from "vscode-languageclient";
import type { Applied } from "./attempt";
import { findDocument, lineEnd, nameOf } from "./documents";
import { Refusal } from "./refusal";
import { withLineEnds } from "./splice";

/** FileChange makes, moves or removes a file. */
export class FileChange {
  private constructor(
    private readonly name: string,
    private readonly edit: vscode.WorkspaceEdit,
    private readonly verify: (applied: Applied) => Promise<void>,
  ) {}

  static async prepare(
    operation: CreateFile | DeleteFile | RenameFile,
    content?: TextDocumentEdit,
  ): Promise<FileChange> {
    switch (operation.kind) {
      case "create":
        return create(operation, content);
      case "delete":
        return remove(operation);
      case "rename":
        return rename(operation);
    }
  }

  static make(name: string, edit: vscode.WorkspaceEdit, verify: (applied: Applied) => Promise<void>): FileChange {
    return new FileChange(name, edit, verify);
  }

  check(): void {
    // What there is to check is a file's, which VS Code itself looks at when it is asked.
  }

  async apply(applied: Applied): Promise<void> {
    if (!(await vscode.workspace.applyEdit(this.edit))) {
      throw new Refusal(`VS Code refused to do that to ${this.name}`);
    }
    await this.verify(applied);
  }
}

/** create makes a file and puts its text into the buffer alone, so that it can be undone in one step. */
async function create({ uri, options }: CreateFile, content?: TextDocumentEdit): Promise<FileChange> {
  const target = vscode.Uri.parse(uri, true);
  const name = nameOf(target);
  const doc = findDocument(target);
  const there = await exists(target);
  if (there && options?.ignoreIfExists !== true) {
    throw new Refusal(`${name} exists`);
  }
  if (doc ? doc.getText() !== "" : there && (await vscode.workspace.fs.stat(target)).size > 0) {
    throw new Refusal(`${name} exists, and is not empty`);
  }
  const text = content?.edits.map((edit) => (edit as TextEdit).newText).join("") ?? "";
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(target, { overwrite: false, ignoreIfExists: options?.ignoreIfExists === true });
  if (text !== "") {
    edit.insert(target, new vscode.Position(0, 0), text);
  }
  return FileChange.make(name, edit, async (applied) => {
    const made = await vscode.workspace.openTextDocument(target);
    const wanted = withLineEnds(text, lineEnd(made));
    if (!made.getText().startsWith(wanted)) {
      throw new Refusal(`VS Code made ${name}, and its text is another than expected`);
    }
    applied(made, wanted === "" ? [] : [{ start: 0, end: wanted.length }]);
  });
}

async function remove({ uri, options }: DeleteFile): Promise<FileChange> {
  const target = vscode.Uri.parse(uri, true);
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(target, { recursive: false, ignoreIfNotExists: options?.ignoreIfNotExists === true });
  return FileChange.make(nameOf(target), edit, async () => {
    if (await exists(target)) {
      throw new Refusal(`VS Code said that it had deleted ${nameOf(target)}, which is still there`);
    }
  });
}

async function rename({ oldUri, newUri, options }: RenameFile): Promise<FileChange> {
  const from = vscode.Uri.parse(oldUri, true);
  const to = vscode.Uri.parse(newUri, true);
  if (options?.ignoreIfExists !== true && (await exists(to))) {
    throw new Refusal(`${nameOf(to)} exists`);
  }
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from, to, { overwrite: false, ignoreIfExists: options?.ignoreIfExists === true });
  return FileChange.make(nameOf(from), edit, async () => {
    if ((await exists(from)) || !(await exists(to))) {
      throw new Refusal(`VS Code said that it had renamed ${nameOf(from)}, which is still there`);
    }
  });
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}

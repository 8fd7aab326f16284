import * as vscode from "vscode";

/** The schemes of documents that agents may edit. */
export const schemes = ["file", "untitled"];

/** findDocument returns the document of a URI, if VS Code has it open. */
export function findDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((doc) => doc.uri.toString() === wanted);
}

/** onDidClose reports closed documents. VS Code's own event also fires when a document only changes its language. */
export function onDidClose(closed: (doc: vscode.TextDocument) => void): vscode.Disposable {
  return vscode.workspace.onDidCloseTextDocument((doc) => {
    if (doc.isClosed) {
      closed(doc);
    }
  });
}

/** nameOf returns the name of a document in texts for the user or a model. */
export function nameOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}

/** lineEnd returns the line end of a document. */
export function lineEnd(doc: vscode.TextDocument): string {
  return doc.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
}

/** readText reads what a file holds. */
export async function readText(uri: vscode.Uri): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

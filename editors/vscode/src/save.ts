import * as vscode from "vscode";
import type { SaveParams, SaveResult } from "./protocol";
import { findDocument, nameOf } from "./documents";
import { checkLeads } from "./leads";

/** The documents that are being saved because an agent asked for it. */
const forAgents = new Set<string>();

/** save answers patchls/save. It saves these documents and no others, with the save participants of each. */
export async function save({ uris, leads }: SaveParams): Promise<SaveResult> {
  const results: SaveResult["results"] = [];
  for (const uri of uris) {
    const parsed = vscode.Uri.parse(uri, true);
    forAgents.add(parsed.toString());
    const error = await saveOne(parsed, leads?.[uri]).finally(() => forAgents.delete(parsed.toString()));
    results.push(error === undefined ? { uri, saved: true } : { uri, saved: false, error });
  }
  return { results };
}

/** refuseToSave answers patchls/save with why nothing is saved. */
export function refuseToSave({ uris }: SaveParams, error: string): SaveResult {
  return { results: uris.map((uri) => ({ uri, saved: false, error })) };
}

/** onDidSaveByHand reports each document that the user saved, as opposed to an agent or a timer. */
export function onDidSaveByHand(saved: (doc: vscode.TextDocument) => void): vscode.Disposable {
  const byHand = new Set<string>();
  return vscode.Disposable.from(
    vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
      const uri = document.uri.toString();
      if (reason === vscode.TextDocumentSaveReason.Manual && !forAgents.has(uri)) {
        byHand.add(uri);
      } else {
        byHand.delete(uri);
      }
    }),
    vscode.workspace.onDidSaveTextDocument((doc) => {
      if (byHand.delete(doc.uri.toString())) {
        saved(doc);
      }
    }),
  );
}

/**
 * saveOne saves a document, if its name leads where `leads` says. It returns why that failed, or undefined if it did not.
 */
export async function saveOne(uri: vscode.Uri, leads?: string): Promise<string | undefined> {
  const doc = findDocument(uri);
  if (doc === undefined) {
    return `${nameOf(uri)} is not open`;
  }
  if (doc.isUntitled) {
    return `${nameOf(uri)} has no file yet; the user has to save it under a name first`;
  }
  if (!doc.isDirty) {
    return undefined;
  }
  try {
    checkLeads(uri, leads);
    if (await doc.save()) {
      return undefined;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return `VS Code did not save ${nameOf(uri)}; it has shown the user why: the file may have changed on disk, or may not be written`;
}

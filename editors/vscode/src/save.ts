import * as vscode from "vscode";
import type { SaveParams, SaveResult } from "./protocol";
import { findDocument, nameOf } from "./documents";

/** save answers patchls/save: these documents, with what takes part in their saving, and no others. */
export async function save({ uris }: SaveParams): Promise<SaveResult> {
  const results: SaveResult["results"] = [];
  for (const uri of uris) {
    const error = await saveOne(vscode.Uri.parse(uri, true));
    results.push(error === undefined ? { uri, saved: true } : { uri, saved: false, error });
  }
  return { results };
}

/** saveOne returns why the document could not be saved. */
export async function saveOne(uri: vscode.Uri): Promise<string | undefined> {
  const doc = findDocument(uri);
  if (doc === undefined) {
    return `${nameOf(uri)} is not open`;
  }
  if (doc.isUntitled) {
    return `${nameOf(uri)} has no file yet; the person has to save it under a name first`;
  }
  if (!doc.isDirty) {
    return undefined;
  }
  try {
    if (await doc.save()) {
      return undefined;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return `VS Code did not save ${nameOf(uri)}; it has shown the person why: the file may have changed on disk, or may not be written`;
}

import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import type * as vscode from "vscode";
import { nameOf } from "./documents";
import { Refusal } from "./refusal";

/** Where names lead by the server's look, links followed, by URI as it spells it; "" if that is not known. */
export type Leads = Record<string, string>;

/**
 * checkLeads throws if the name of a file does not lead to `want`, where the server saw it lead; "" is anywhere. Another
 * program may put a link there at any time, so nothing must be awaited between this look and what is done to the file.
 */
export function checkLeads(uri: vscode.Uri, want: string | undefined): void {
  if (want && uri.scheme === "file" && plain(leadsNow(uri.fsPath)) !== plain(want)) {
    throw new Refusal(`the name of ${nameOf(uri)} leads elsewhere now`);
  }
}

/** leadsNow returns where a name leads, also if it or its folder does not exist yet; "" if a link leads nowhere. */
function leadsNow(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false }) || dirname(path) === path) {
      return "";
    }
  }
  const folder = leadsNow(dirname(path));
  return folder && join(folder, basename(path));
}

/** plain returns a path without what systems spell in several ways. */
function plain(path: string): string {
  return normalize(path).normalize("NFC").toLowerCase();
}

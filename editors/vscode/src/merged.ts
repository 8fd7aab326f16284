import { type Stats, closeSync, fstatSync, futimesSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { onDidClose } from "./documents";

/** How long to wait for the server, in milliseconds. VS Code skips an extension that often takes more than 1500. */
const patience = 1000;

/** How long a file keeps its older time at most, in milliseconds. VS Code does not report a save that failed. */
const longest = 10_000;

/** Aged is a file that was given an older modification time. */
interface Aged {
  readonly path: string;
  /** `now` has the stats with the older time, and `own` those before it was set. */
  readonly now: Stats;
  readonly own: Stats;
  readonly timer: NodeJS.Timeout;
}

/**
 * MergedFiles has VS Code save merged files without a question. VS Code refuses to save if the file is newer than the
 * text that it has read, and no extension can tell it that the document contains both texts. So, for the time of the
 * save, the file gets the modification time that it had when it was opened. If another program writes it after that,
 * it is newer again, and VS Code asks (decision: older-time-while-saving).
 */
export class MergedFiles implements vscode.Disposable {
  /** The modification times of files when they were opened. What VS Code has read since is not older. */
  private readonly opened = new Map<string, Date>();
  private readonly merged = new Set<string>();
  private readonly aged = new Map<string, Aged>();
  private readonly listeners: vscode.Disposable;

  /** isMerged asks the server whether all text of a file was merged into its document. */
  constructor(private readonly isMerged: (uri: string) => Promise<boolean>) {
    vscode.workspace.textDocuments.forEach((doc) => this.open(doc));
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument((doc) => this.open(doc)),
      vscode.workspace.onWillSaveTextDocument((event) => {
        this.putBack(event.document.uri.toString());
        if (this.merged.has(event.document.uri.toString())) {
          event.waitUntil(this.age(event.document.uri).catch(() => {}));
        }
      }),
      vscode.workspace.onDidSaveTextDocument((doc) => this.merged.delete(doc.uri.toString())),
      vscode.workspace.onDidChangeTextDocument(({ document, reason }) => {
        if (reason === vscode.TextDocumentChangeReason.Undo) {
          this.putBack(document.uri.toString());
        }
      }),
      onDidClose((doc) => {
        this.opened.delete(doc.uri.toString());
        this.merged.delete(doc.uri.toString());
      }),
    );
  }

  /** add records that a file was merged into its document. */
  add(uri: vscode.Uri): void {
    this.merged.add(uri.toString());
  }

  private open({ uri }: vscode.TextDocument): void {
    if (uri.scheme === "file" && !this.opened.has(uri.toString())) {
      void stat(uri.fsPath).then(
        ({ mtime }) => this.opened.set(uri.toString(), mtime),
        () => {},
      );
    }
  }

  /** age gives a file the modification time that it had when it was opened, if all of its text was merged. */
  private async age(uri: vscode.Uri): Promise<void> {
    const key = uri.toString();
    const own = await stat(uri.fsPath);
    const opened = this.opened.get(key);
    if (opened === undefined || own.mtime <= opened) {
      return;
    }
    if (!(await Promise.race([this.isMerged(key), sleep(patience, false)]))) {
      return;
    }
    const now = setTime(uri.fsPath, own, opened);
    if (now) {
      this.aged.set(key, { path: uri.fsPath, own, now, timer: setTimeout(() => this.putBack(key), longest) });
    }
  }

  /** putBack restores a file's own modification time, unless the file was written since. */
  private putBack(key: string): void {
    const aged = this.aged.get(key);
    if (aged) {
      this.aged.delete(key);
      clearTimeout(aged.timer);
      try {
        setTime(aged.path, aged.now, aged.own.mtime);
      } catch {
        // The file was deleted, or is not writable any more.
      }
    }
  }

  dispose(): void {
    this.listeners.dispose();
    [...this.aged.keys()].forEach((key) => this.putBack(key));
  }
}

/** setTime sets a file's modification time and returns its new stats, or undefined if it was written after `since`. */
function setTime(path: string, since: Stats, time: Date): Stats | undefined {
  const file = openSync(path, "r+");
  try {
    const { size, mtimeMs, atime } = fstatSync(file);
    if (size !== since.size || mtimeMs !== since.mtimeMs) {
      return undefined;
    }
    futimesSync(file, atime, time);
    return fstatSync(file);
  } finally {
    closeSync(file);
  }
}

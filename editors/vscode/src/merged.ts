import { type Stats, closeSync, fstatSync, futimesSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { onDidClose } from "./documents";

/** How long the server is waited for, in milliseconds. VS Code leaves out an extension that often takes more than 1500. */
const patience = 1000;

/** How long a file keeps the older time that it was given, in milliseconds. VS Code does not tell of a save that failed. */
const longest = 10_000;

/** A file that was given an older time. */
interface Aged {
  readonly path: string;
  /** What the file was given, and what it had before. */
  readonly now: Stats;
  readonly own: Stats;
  readonly timer: NodeJS.Timeout;
}

/**
 * MergedFiles has VS Code save without a question what the server has merged. VS Code refuses to save where the file
 * is newer than the one that it has read, and no extension can tell it that both texts are in the document. So the file
 * has the time of when it was opened while it is saved. Where it is written once more after that, it is newer again,
 * and VS Code asks (decision: older-time-while-saving).
 */
export class MergedFiles implements vscode.Disposable {
  /** The times that the files had when they were opened. What VS Code has read since is not older. */
  private readonly opened = new Map<string, Date>();
  private readonly merged = new Set<string>();
  private readonly aged = new Map<string, Aged>();
  private readonly listeners: vscode.Disposable;

  /** isMerged asks the server whether a file holds nothing but what was merged. */
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

  /** add says that a file was merged into its document. */
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

  /** age gives a file the time of when it was opened, if all that it holds was merged. */
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

  /** putBack gives a file its own time again, if it was not saved. */
  private putBack(key: string): void {
    const aged = this.aged.get(key);
    if (aged) {
      this.aged.delete(key);
      clearTimeout(aged.timer);
      try {
        setTime(aged.path, aged.now, aged.own.mtime);
      } catch {
        // It was deleted, or may not be written any more.
      }
    }
  }

  dispose(): void {
    this.listeners.dispose();
    [...this.aged.keys()].forEach((key) => this.putBack(key));
  }
}

/** setTime gives a file a time, unless it was written since, and returns what it is then. */
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

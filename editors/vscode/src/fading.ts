import type * as vscode from "vscode";
import type { MarkBook } from "./markbook";
import { setting } from "./settings";

/** Fading removes marks when they have been there for long enough. */
export class Fading implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly book: () => MarkBook) {}

  /** changed waits for the mark that has to go next. */
  changed(): void {
    clearTimeout(this.timer);
    const stay = setting<number>("marks.fadeAfter") * 1000;
    const oldest = this.book().oldest();
    if (stay === 0 || oldest === undefined) {
      return;
    }
    this.timer = setTimeout(() => this.fade(stay), Math.max(0, oldest + stay - Date.now()));
  }

  private fade(stay: number): void {
    const now = Date.now();
    this.book().dropEverywhere((mark) => mark.since + stay <= now);
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}

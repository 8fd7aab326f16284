import type * as vscode from "vscode";
import type { MarkBook } from "./markbook";
import { setting } from "./settings";

/** The longest wait of a timer, in milliseconds; a timer with a longer one would not wait at all. */
const longest = 2 ** 31 - 1;

/** Fading removes marks when they have been there for long enough. */
export class Fading implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly book: () => MarkBook) {}

  /** changed sets the timer for the mark that is to be removed next. */
  changed(): void {
    clearTimeout(this.timer);
    const stay = setting<number>("marks.fadeAfter") * 1000;
    const oldest = this.book().oldest();
    if (stay === 0 || oldest === undefined) {
      return;
    }
    const wait = Math.min(Math.max(0, oldest + stay - Date.now()), longest);
    this.timer = setTimeout(() => this.fade(stay), wait);
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

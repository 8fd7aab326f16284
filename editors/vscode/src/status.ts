import * as vscode from "vscode";
import { nameOf } from "./documents";
import { oneLine } from "./oneline";
import type { Touched } from "./touched";

/** What the server is doing, as far as the user cares. */
export type ServerState = "starting" | "running" | "waiting" | "stopped";

const icons: Record<ServerState, string> = {
  starting: "$(loading~spin)",
  running: "$(edit)",
  waiting: "$(loading~spin)",
  stopped: "$(error)",
};

const words: Record<ServerState, string> = {
  starting: "The server is starting.",
  running: "Agents can edit in this window.",
  waiting: "The server ended and is started again.",
  stopped: "The server does not run. Click to restart it.",
};

/** Status is the item in the status bar. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("patchls", vscode.StatusBarAlignment.Right, 10);
  private readonly listener: vscode.Disposable;
  private state: ServerState = "starting";
  private paused = false;

  constructor(private readonly touched: Touched) {
    this.item.name = "patchls";
    this.listener = touched.onDidChange(() => this.render());
    this.render();
    this.item.show();
  }

  setState(state: ServerState): void {
    this.state = state;
    this.render();
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    this.render();
  }

  private render(): void {
    const dirty = this.touched.dirty();
    const count = dirty.length > 0 ? ` ${dirty.length} unsaved` : "";
    const paused = this.paused && this.state === "running";
    this.item.text = `${paused ? "$(debug-pause)" : icons[this.state]} patchls${count}`;
    const lines = [paused ? "Agents are paused in this window." : words[this.state]];
    if (dirty.length > 0) {
      lines.push("Edited by agents, and not saved:", ...dirty.map((doc) => oneLine(nameOf(doc.uri))));
    }
    this.item.tooltip = lines.join("\n");
    this.item.command = this.state === "stopped" ? "patchls.restart" : "patchls.showTouched";
  }

  dispose(): void {
    this.listener.dispose();
    this.item.dispose();
  }
}

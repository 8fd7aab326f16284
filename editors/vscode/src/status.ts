import * as vscode from "vscode";
import { setFact } from "./context";
import { nameOf } from "./documents";
import type { ListeningParams } from "./protocol";
import { type ServerState, type Situation, statusText, statusTooltip } from "./statusline";
import type { Touched } from "./touched";

/** Status is the item in the status bar, and sets the context keys for the same facts. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("patchls", vscode.StatusBarAlignment.Right, 10);
  private readonly listener: vscode.Disposable;
  private situation: Omit<Situation, "unsaved"> = { state: "starting", listening: {}, paused: false };

  constructor(private readonly touched: Touched) {
    this.item.name = "patchls";
    this.listener = touched.onDidChange(() => this.render());
    this.render();
    this.item.show();
  }

  setState(state: ServerState): void {
    this.set({ state });
  }

  setListening(listening: ListeningParams): void {
    this.set({ listening });
  }

  setPaused(paused: boolean): void {
    this.set({ paused });
  }

  private set(what: Partial<Situation>): void {
    this.situation = { ...this.situation, ...what };
    this.render();
  }

  private render(): void {
    const unsaved = this.touched.dirty().map((doc) => nameOf(doc.uri));
    const situation = { ...this.situation, unsaved };
    this.item.text = statusText(situation);
    this.item.tooltip = statusTooltip(situation);
    const { state, listening, paused } = situation;
    const reachable = state === "running" && listening.socket !== undefined;
    setFact("running", state === "running");
    setFact("reachable", reachable);
    setFact("connected", reachable && (listening.agents ?? []).length > 0);
    setFact("paused", paused);
    setFact("unsaved", unsaved.length > 0);
    this.item.command = state === "stopped" ? "patchls.restart" : "patchls.showTouched";
  }

  dispose(): void {
    this.listener.dispose();
    this.item.dispose();
  }
}

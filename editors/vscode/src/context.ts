import * as vscode from "vscode";

/** Fact names a fact about the window for the `when` clauses and the walkthrough of package.json. */
export type Fact =
  "running" | "reachable" | "connected" | "paused" | "edited" | "reviewed" | "unsaved" | "asking" | "proposal";

const known = new Map<Fact, boolean>();

/** setFact sets the context key patchls.FACT. */
export function setFact(fact: Fact, value: boolean): void {
  if (known.get(fact) !== value) {
    known.set(fact, value);
    void vscode.commands.executeCommand("setContext", `patchls.${fact}`, value);
  }
}

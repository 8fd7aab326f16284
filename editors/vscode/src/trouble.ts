import * as vscode from "vscode";
import { message } from "./oneline";

const guide = "https://github.com/patchls/patchls/blob/main/docs/editors/vscode.md";

/** explain tells the user why no server runs, and offers remedies. */
export async function explain(why: string, missing: boolean): Promise<void> {
  const actions: Record<string, () => unknown> = missing
    ? {
        "Choose the Program": () => vscode.commands.executeCommand("workbench.action.openSettings", "patchls.path"),
        "How to Install": () => vscode.env.openExternal(vscode.Uri.parse(guide)),
        Restart: () => vscode.commands.executeCommand("patchls.restart"),
      }
    : {
        Restart: () => vscode.commands.executeCommand("patchls.restart"),
        "Show Log": () => vscode.commands.executeCommand("patchls.showLog"),
      };
  const picked = await vscode.window.showErrorMessage(
    `${message(why)} Agents cannot edit in this window.`,
    ...Object.keys(actions),
  );
  if (picked !== undefined) {
    await actions[picked]?.();
  }
}

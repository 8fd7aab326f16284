import * as vscode from "vscode";
import { allowed, union } from "./strictest";

export const section = "patchls";

/** setting returns one of the user's settings; package.json has the defaults. */
export function setting<T>(name: string): T {
  return vscode.workspace.getConfiguration(section).get<T>(name) as T;
}

/** protectedPaths are the user's, and those of each folder of the workspace. */
function protectedPaths(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return union(
    [undefined, ...folders].map((folder) =>
      vscode.workspace.getConfiguration(section, folder).inspect<string[]>("protectedPaths"),
    ),
  );
}

/** serverSettings are the settings that are the server's, in its words. */
export function serverSettings(): Record<string, unknown> {
  return {
    ...setting<Record<string, number>>("bounds"),
    agent_socket: allowed(vscode.workspace.getConfiguration(section).inspect<boolean>("agentSocket")),
    allow_outside_workspace: setting("allowOutsideWorkspace"),
    protected_paths: protectedPaths(),
    match: setting("match"),
    save_after_edit: setting("saveAfterEdit"),
    absorb: setting("absorb"),
    apply_timeout_ms: setting("applyTimeout"),
    max_document_bytes: setting("maxDocumentBytes"),
    review: { codeLens: setting("review.codeLens") },
  };
}

/**
 * initializationOptions are the settings and that no command is advertised: the
 * client would register each one for the whole of VS Code, where ids are global.
 */
export function initializationOptions(): Record<string, unknown> {
  return { ...serverSettings(), advertise_commands: false };
}

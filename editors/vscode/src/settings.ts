import * as vscode from "vscode";
import { allowed, union } from "./strictest";

export const section = "patchls";

/** setting returns one of the user's settings; package.json has the defaults. */
export function setting<T>(name: string): T {
  return vscode.workspace.getConfiguration(section).get<T>(name) as T;
}

/** protectedPaths returns the protected paths of the user, the workspace and each of its folders. */
function protectedPaths(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return union(
    [undefined, ...folders].map((folder) =>
      vscode.workspace.getConfiguration(section, folder).inspect<string[]>("protectedPaths"),
    ),
  );
}

/** serverSettings returns the settings of the server, by the names that it knows. */
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
 * initializationOptions returns the server's settings and that it is to advertise no commands: the
 * client would register each of them for all of VS Code, where command ids are global.
 */
export function initializationOptions(): Record<string, unknown> {
  return { ...serverSettings(), advertise_commands: false };
}

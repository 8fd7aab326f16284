import * as path from "node:path";
import * as vscode from "vscode";
import type { Program } from "./program";
import type { ListeningParams } from "./protocol";

/** Way is how an agent reaches this window: it runs `program` with PATCHLS_SOCKET set to `window`. */
interface Way {
  program: string;
  version: string;
  window: string;
}

/** McpApi is the part of VS Code's API that exists since 1.101, but not in the version that package.json requires. */
interface McpApi {
  lm: {
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: { onDidChangeMcpServerDefinitions: vscode.Event<void>; provideMcpServerDefinitions(): object[] },
    ): vscode.Disposable;
  };
  McpStdioServerDefinition: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version: string,
  ) => object;
}

/**
 * Access gives agents what they need to edit in this window. Terminals get the name of the window and the program
 * in their environment, and VS Code's own agent mode gets an MCP server.
 */
export class Access implements vscode.Disposable {
  private way: Way | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly provider: vscode.Disposable | undefined;

  constructor(private readonly variables: vscode.EnvironmentVariableCollection) {
    variables.persistent = false;
    variables.description = "Agents in the terminal edit in this window, by the program `patchls` that serves it.";
    const { lm, McpStdioServerDefinition: Server } = vscode as unknown as McpApi;
    this.provider = lm.registerMcpServerDefinitionProvider?.("patchls.window", {
      onDidChangeMcpServerDefinitions: this.changed.event,
      provideMcpServerDefinitions: () => {
        const { way } = this;
        const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
        const root = folder === undefined ? [] : ["--root", folder.uri.fsPath];
        return way === undefined
          ? []
          : [new Server("patchls", way.program, ["mcp", ...root], { PATCHLS_SOCKET: way.window }, way.version)];
      },
    });
  }

  /** set records whether and how agents can connect. It does nothing if that has not changed. */
  set({ socket, window = socket }: ListeningParams, { path: program, version }: Program): void {
    const way = window === undefined ? undefined : { program, version, window };
    if (JSON.stringify(way) === JSON.stringify(this.way)) {
      return;
    }
    this.way = way;
    this.prepareTerminals();
    this.changed.fire();
  }

  /** prepareTerminals sets the environment of the terminals that are opened from now on. */
  private prepareTerminals(): void {
    const { way, variables } = this;
    variables.clear();
    if (way === undefined) {
      return;
    }
    variables.replace("PATCHLS_SOCKET", way.window);
    if (path.parse(way.program).name === "patchls") {
      variables.append("PATH", path.delimiter + path.dirname(way.program)); // appended: the user's own comes first
    }
  }

  dispose(): void {
    this.provider?.dispose();
    this.changed.dispose();
  }
}

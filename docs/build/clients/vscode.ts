// An extension of VS Code that starts a patchls of its own, through VS Code's language client, and adds a command: it views
// the file in the active editor, replaces a text in it, and shows the verified answer. Agents do not connect to this server.
import type { Commands, ErrorData } from "patchls";
import * as vscode from "vscode";
import { LanguageClient, ResponseError } from "vscode-languageclient/node";

let client: LanguageClient;

export async function activate(context: vscode.ExtensionContext) {
  client = new LanguageClient(
    "my-extension",
    { command: "patchls", args: ["serve"] },
    {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }], // files of every type
      initializationOptions: { agent_socket: false, advertise_commands: false },
    },
  );
  await client.start();
  context.subscriptions.push(client, vscode.commands.registerCommand("my-extension.replace", replace));
}

/** Sends a command, whose name and arguments are checked by the compiler. */
function execute<C extends keyof Commands>(command: C, args: Commands[C]["arguments"]): Promise<Commands[C]["answer"]> {
  return client.sendRequest("patchls/execute", { command, arguments: [args] });
}

async function replace(old_str: string, new_str: string) {
  const path = vscode.window.activeTextEditor?.document.uri.toString();
  if (!path) return;
  try {
    const { text } = await execute("patchls.view", { path });
    if (!text.includes(old_str)) return;
    const edit = await execute("patchls.str_replace", { path, old_str, new_str });
    vscode.window.showInformationMessage(`${edit.message} ${edit.verified ? "Verified." : edit.notes.join(" ")}`);
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const { kind } = error.data as ErrorData; // docs/build/results.md says what to do after each kind
    vscode.window.showErrorMessage(`${kind}: ${error.message}`);
  }
}

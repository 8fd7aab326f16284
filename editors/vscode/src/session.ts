import { type ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";
import {
  type ApplyWorkspaceEditParams,
  type ApplyWorkspaceEditResult,
  type ClientCapabilities,
  CloseAction,
  ErrorAction,
  RevealOutputChannelOn,
  TextDocumentContentRequest,
} from "vscode-languageclient";
import { LanguageClient } from "vscode-languageclient/node";
import { Backoff } from "./backoff";
import { schemes } from "./documents";
import { MissingError, type Program, ask, locate } from "./program";
import {
  type CommandResult,
  type ConfirmParams,
  type Decision,
  type EditedParams,
  type ListeningParams,
  Method,
  type SaveParams,
  type SaveResult,
  type ServerCapabilities,
  clientCapabilities,
  serverCapabilities,
} from "./protocol";
import { reasonOf } from "./refusal";
import { initializationOptions, section, serverSettings, setting } from "./settings";
import type { ServerState } from "./statusline";

/** Handlers handle the requests and notifications of the server. */
export interface Handlers {
  apply(params: ApplyWorkspaceEditParams): Promise<ApplyWorkspaceEditResult>;
  save(params: SaveParams): Promise<SaveResult>;
  /** listening reports whether agents can connect to the server, which runs this program. */
  listening(params: ListeningParams, program: Program): void;
  edited(params: EditedParams): void;
  confirm(params: ConfirmParams): Promise<Decision | null>;
  /** withdraw reports that the server no longer waits for the answer to a question. */
  withdraw(id: string): void;
  /** lensed reports how many code lenses a document has. */
  lensed(doc: vscode.TextDocument, count: number): void;
  /** ended reports that the server has ended, for now or for good. */
  ended(): void;
  state(state: ServerState): void;
  /** failed reports that no server will run until the user does something. */
  failed(why: string, missing: boolean): void;
}

/** Wish is one request by the user to run a server. */
interface Wish {
  /** The program that the settings named at the time. */
  readonly path: string;
}

/** QuietClient shows no errors: Session tells the user, once, that the server does not run and what helps. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Session is the server of this window: it is started, watched, and started again when it crashes. */
export class Session implements vscode.Disposable {
  private readonly backoff = new Backoff();
  private client: LanguageClient | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The newest wish for a server. A start that is in progress for an older wish is abandoned. */
  private wish: Wish | undefined;

  constructor(
    private readonly extension: string,
    private readonly window: string,
    private readonly log: vscode.LogOutputChannel,
    private readonly handlers: Handlers,
  ) {}

  /** restart starts the server, after stopping the one that runs, and forgets earlier crashes. */
  async restart(): Promise<void> {
    const wish = (this.wish = { path: setting("path") });
    this.backoff.reset();
    await this.stop();
    await this.start(wish);
  }

  async execute<Result = CommandResult>(command: string, args: object): Promise<Result> {
    return this.running().sendRequest<Result>(Method.execute, { command, arguments: [args] });
  }

  /** isMerged reports whether saving a document loses nothing that another program wrote to its file. */
  async isMerged(uri: string): Promise<boolean> {
    const params = { textDocument: { uri } };
    return (await this.running().sendRequest<{ merged: boolean }>(Method.merged, params)).merged;
  }

  /** hadInCommon tells the server what the file of a document with unsaved text held when VS Code last read or saved it. */
  async hadInCommon(uri: string, file: string): Promise<void> {
    await this.running().sendRequest(Method.synced, { textDocument: { uri, file } });
  }

  /** openAs tells the server which files VS Code has open as something other than text, and as what, by their URIs. */
  async openAs(files: ReadonlyMap<string, string>): Promise<void> {
    await this.tell(Method.notText, { files: [...files].map(([uri, as]) => ({ uri, as })) });
  }

  private running(): LanguageClient {
    if (!this.client?.isRunning()) {
      throw new Error("The patchls server does not run.");
    }
    return this.client;
  }

  /** content returns the text of one of the server's own documents. */
  async content(uri: string): Promise<string> {
    return (await this.running().sendRequest(TextDocumentContentRequest.type, { uri })).text;
  }

  /**
   * settingsChanged sends the settings to the server, or starts another program if they name one now. VS Code also
   * reports a change of a setting that another one overrides; the server, or the wait for it, then goes on.
   */
  settingsChanged(): void {
    if (this.wish !== undefined && setting("path") !== this.wish.path) {
      void this.restart();
      return;
    }
    void this.tell("workspace/didChangeConfiguration", { settings: { [section]: serverSettings() } });
  }

  private async tell(method: string, params: unknown): Promise<void> {
    if (this.client?.isRunning()) {
      await this.client
        .sendNotification(method, params)
        .catch((error) => this.log.debug(`${method}: ${reasonOf(error)}`));
    }
  }

  private async start(wish: Wish): Promise<void> {
    if (wish !== this.wish) {
      return;
    }
    this.handlers.state("starting");
    let program: Program;
    try {
      program = await ask(
        locate({
          configured: wish.path,
          extension: this.extension,
          searched: process.env["PATH"] ?? "",
          platform: process.platform,
        }),
      );
    } catch (error) {
      this.fail(wish, reasonOf(error), error instanceof MissingError);
      return;
    }
    if (wish !== this.wish) {
      return;
    }
    this.log.info(`${program.path}: ${program.version}`);
    this.backoff.start(Date.now());
    const client = this.newClient(program);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(`the server did not start: ${reasonOf(error)}`);
      this.crashed(client);
      return;
    }
    if (wish !== this.wish) {
      await this.end(client); // this was not possible before it ran
      return;
    }
    const own = client.initializeResult?.capabilities.experimental?.["patchls"] as ServerCapabilities | undefined;
    if (serverCapabilities.some((name) => own?.[name] !== true)) {
      await this.stop();
      this.fail(wish, `${program.path} (${program.version}) is too old for this extension.`, true);
      return;
    }
    this.handlers.state("running");
  }

  private newClient(program: Program): LanguageClient {
    const client = new QuietClient("patchls", "patchls", () => this.spawn(program), {
      documentSelector: schemes.map((scheme) => ({ scheme })),
      initializationOptions,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.crashed(client);
          return {
            action: CloseAction.DoNotRestart,
            handled: true,
            message: "The connection to the server has ended.",
          };
        },
      },
      middleware: {
        provideCodeLenses: async (doc, token, next) => {
          const lenses = await next(doc, token);
          if (lenses && !token.isCancellationRequested) {
            this.handlers.lensed(doc, lenses.length);
          }
          return lenses;
        },
        workspace: {
          handleApplyEdit: (params) => this.handlers.apply(params),
          // The server asks only for its own settings, which have other names in VS Code.
          configuration: ({ items }) => items.map((item) => (item.section === section ? serverSettings() : null)),
        },
      },
    });
    const { window } = this;
    client.registerFeature({
      fillClientCapabilities(capabilities: ClientCapabilities) {
        capabilities.experimental = {
          ...(capabilities.experimental as object),
          patchls: { ...clientCapabilities, window },
        };
      },
      initialize() {},
      getState: () => ({ kind: "static" }),
      clear() {},
    });
    client.onRequest(Method.save, (params: SaveParams) => this.handlers.save(params));
    client.onRequest(Method.confirm, (params: ConfirmParams) => this.handlers.confirm(params));
    client.onNotification(Method.withdraw, ({ id }: { id: string }) => this.handlers.withdraw(id));
    client.onNotification(Method.listening, (params: ListeningParams) => {
      if (client === this.client) {
        this.handlers.listening(params, program);
      }
    });
    client.onNotification(Method.edited, (params: EditedParams) => this.handlers.edited(params));
    return client;
  }

  private async spawn(program: Program): Promise<ChildProcess> {
    const cwd = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
    const child = spawn(program.path, ["serve"], { stdio: "pipe", ...(cwd === undefined ? {} : { cwd }) });
    child.on("exit", (code, signal) => this.log.info(`the server has ended: ${signal ?? code}`));
    return new Promise((resolve, reject) => {
      child.once("spawn", () => resolve(child));
      child.once("error", reject);
    });
  }

  /** crashed restarts the server, later each time, and at last gives up. The buffers are VS Code's, so they stay. */
  private crashed(client: LanguageClient): void {
    const { wish } = this;
    if (client !== this.client || wish === undefined) {
      return;
    }
    this.client = undefined;
    this.handlers.ended();
    const wait = this.backoff.crashed(Date.now());
    if (wait === undefined) {
      this.fail(wish, "The patchls server crashed too often, and was not restarted.", false);
      return;
    }
    this.log.warn(`the server is started again in ${wait} ms`);
    this.handlers.state("waiting");
    this.timer = setTimeout(() => {
      void client.dispose().catch(() => {});
      void this.start(wish);
    }, wait);
  }

  private fail(wish: Wish, why: string, missing: boolean): void {
    this.log.error(why);
    if (wish !== this.wish) {
      return;
    }
    this.handlers.state("stopped");
    this.handlers.failed(why, missing);
  }

  private async stop(): Promise<void> {
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    if (client) {
      this.handlers.ended();
      await this.end(client);
    }
  }

  private async end(client: LanguageClient): Promise<void> {
    await client.dispose().catch((error) => this.log.debug(`stop: ${reasonOf(error)}`));
  }

  async dispose(): Promise<void> {
    this.wish = undefined;
    await this.stop();
  }
}

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { Access } from "./access";
import { Agreement } from "./agree";
import { apply } from "./apply";
import { registerCommands } from "./commands";
import { Answers, QuestionView } from "./confirm";
import { setFact } from "./context";
import { Decorations, rangeOf } from "./decorate";
import { Fading } from "./fading";
import { Gate } from "./gate";
import { MarkBook } from "./markbook";
import { KnownFiles } from "./known";
import { MergedFiles } from "./merged";
import { type EditedParams, type Listing, disk } from "./protocol";
import { notText, onDidChangeNotText } from "./nottext";
import { Questions } from "./questions";
import { Reviewer } from "./reviewer";
import { registerSides } from "./diff";
import { findDocument, onDidClose } from "./documents";
import { onDidSaveByHand, refuseToSave, save } from "./save";
import { type Handlers, Session } from "./session";
import { section, setting } from "./settings";
import { Status } from "./status";
import { Touched } from "./touched";
import { explain } from "./trouble";

let session: Session | undefined;

/** Api is what this extension offers to other extensions. */
export interface Api {
  /** marks returns the marks of agents' edits in a document, by path or URI. */
  marks(
    document: string,
  ): { start: vscode.Position; end: vscode.Position; edit_id: string; agent: string; command: string }[];
}

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel("patchls", { log: true });
  const touched = new Touched();
  const status = new Status(touched);
  const decorations = new Decorations(() => book);
  const fading = new Fading(() => book);
  const book = new MarkBook((uri) => {
    decorations.changed(uri);
    fading.changed();
  });
  const access = new Access(context.environmentVariableCollection);
  const gate = new Gate((now) => status.setPaused(now));
  const agreement = new Agreement(book, () => running.execute<Listing>("patchls.list", {}));
  const view = new QuestionView();
  const questions = new Questions(view);
  const paused = "agents are paused in this editor";
  const handlers: Handlers = {
    save: async (params) => (gate.isShut(undefined) ? refuseToSave(params, paused) : save(params)),
    apply: async (params) =>
      gate.isShut(params.label)
        ? { applied: false, failureReason: paused }
        : apply(params, (doc, places) => {
            book.add(doc.uri.toString(), places, Date.now());
            touched.add(doc.uri);
          }),
    edited: (params) => {
      if (params.agent === disk) {
        params.files.forEach(({ uri }) => merged.add(vscode.Uri.parse(uri)));
      }
      edited(book, agreement, params);
    },
    confirm: async (params) => (gate.isShut(undefined) ? { decision: "reject", text: paused } : questions.ask(params)),
    withdraw: (id) => questions.close(id),
    lensed: (doc, count) => agreement.lensed(doc, count),
    listening: (params, program) => {
      status.setListening(params);
      access.set(params, program);
    },
    // Agents keep what they need to reach the window: the next server gets the same name.
    ended: () => {
      status.setListening({});
      questions.closeAll();
      setFact("edited", false);
    },
    state: (state) => {
      status.setState(state);
      if (state === "running") {
        void running.openAs(notText());
        vscode.workspace.textDocuments.forEach(restored);
      }
    },
    failed: (why, missing) => void explain(why, missing),
  };
  const running = new Session(context.extensionPath, windowName(context.workspaceState), log, handlers);
  session = running;
  const merged = new MergedFiles((uri) => running.isMerged(uri));
  const known = new KnownFiles(context.workspaceState);
  const restored = async (doc: vscode.TextDocument) => {
    const file = doc.isDirty ? await known.fileOf(doc).catch(() => undefined) : undefined;
    if (file !== undefined) {
      await running.hadInCommon(doc.uri.toString(), file).catch(() => {}); // the server has ended
    }
  };
  const reviewer = new Reviewer(running, book, agreement, gate);
  context.subscriptions.push(
    log,
    touched,
    merged,
    known,
    status,
    access,
    decorations,
    fading,
    agreement,
    view,
    running,
    registerCommands({ session: running, reviewer, answers: new Answers(questions), touched, gate, log }),
    registerSides((uri) => running.content(uri)),
    ...follow(book),
    vscode.workspace.onDidOpenTextDocument(restored),
    onDidChangeNotText(() => void running.openAs(notText())),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(section)) {
        running.settingsChanged();
        decorations.showAll();
        fading.changed();
      }
    }),
  );
  void running.restart();
  return { marks: (document) => marks(book, document) };
}

export async function deactivate(): Promise<void> {
  await session?.dispose();
}

/** follow moves the marks along with their text, and removes those of a document that the user saves or closes. */
function follow(book: MarkBook): vscode.Disposable[] {
  return [
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) =>
      book.follow(
        document.uri.toString(),
        contentChanges.map(({ rangeOffset, rangeLength, text }) => ({ start: rangeOffset, length: rangeLength, text })),
      ),
    ),
    onDidSaveByHand(({ uri }) => {
      if (setting<boolean>("marks.clearOnSave")) {
        book.drop(uri.toString());
      }
    }),
    onDidClose(({ uri }) => book.drop(uri.toString())),
  ];
}

/** edited records which edit the new marks belong to, or removes its marks if the edit was taken back. */
function edited(
  book: MarkBook,
  agreement: Agreement,
  { edit_id, agent, command, undone, hunks, files }: EditedParams,
): void {
  const uris = files.map(({ uri }) => vscode.Uri.parse(uri).toString());
  setFact("edited", true);
  if (!undone) {
    uris.forEach((uri) => book.name(uri, { id: edit_id, agent, command }));
    return;
  }
  uris.forEach((uri) => book.drop(uri, (mark) => mark.author === undefined));
  if (hunks !== undefined) {
    agreement.soon();
  } else if (edit_id !== "") {
    book.dropEverywhere((mark) => mark.author?.id === edit_id);
  }
}

/**
 * windowName returns the name of this window for its servers. It outlives a reload of the window, as terminals do, so
 * that the agents in them find the window again.
 */
function windowName(state: vscode.Memento): string {
  const name = state.get<string>("window") ?? `vscode-${randomUUID()}`;
  void state.update("window", name);
  return name;
}

function marks(book: MarkBook, document: string): ReturnType<Api["marks"]> {
  const doc = findDocument(document.startsWith("untitled:") ? vscode.Uri.parse(document) : vscode.Uri.file(document));
  if (doc === undefined) {
    return [];
  }
  return book.list(doc.uri.toString()).map((mark) => {
    const { start, end } = rangeOf(doc, mark);
    const { id = "", agent = "", command = "" } = mark.author ?? {};
    return { start, end, edit_id: id, agent, command };
  });
}

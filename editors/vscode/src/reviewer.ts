import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Agreement } from "./agree";
import { setFact } from "./context";
import { sidesOf, showSides } from "./diff";
import type { Gate } from "./gate";
import type { MarkBook } from "./markbook";
import { message as fit } from "./oneline";
import type { Reviewed, Sides } from "./protocol";
import { reasonOf } from "./refusal";
import { type Hunk, hunkAt } from "./review";
import type { Session } from "./session";

const nothing = "There is no edit of an agent under the cursor.";

/**
 * Reviewer carries out the user's decisions about agents' edits. All of them go through
 * the server, so that lenses, marks and what agents are told agree.
 */
export class Reviewer {
  constructor(
    private readonly session: Session,
    private readonly book: MarkBook,
    private readonly agreement: Agreement,
    private readonly gate: Gate,
  ) {}

  /** undo takes back what it is given, such as a turn, else the newest edit. */
  async undo(what: object = {}): Promise<void> {
    await this.told(() => this.edit("patchls.undo", what));
  }

  /** revert takes back what it is given, else the hunk under the cursor. */
  async revert(what?: Reviewed): Promise<void> {
    await this.told(async () => {
      const chosen = what ?? reviewed(await this.hunkAtCursor());
      if (chosen === undefined) {
        void vscode.window.showInformationMessage(nothing);
        return;
      }
      await this.edit("patchls.revert", chosen);
      setFact("reviewed", true);
    });
  }

  /** keep accepts what it is given, else the hunk under the cursor, else all hunks of the file. */
  async keep(what?: Reviewed): Promise<void> {
    await this.told(async () => {
      const chosen = what ?? reviewed(await this.hunkAtCursor()) ?? this.file();
      if (chosen === undefined) {
        return;
      }
      const { message } = await this.session.execute("patchls.keep", chosen);
      setFact("reviewed", true);
      vscode.window.setStatusBarMessage(fit(message), 5000);
      await this.agreement.reach();
    });
  }

  /** showDiff shows a file before and after an edit: the given one, else the one under the cursor. */
  async showDiff(sides: Partial<Sides> = {}): Promise<void> {
    await this.told(async () => {
      const { edit_id, path, before, after } = sides;
      if (edit_id !== undefined && path !== undefined && before !== undefined && after !== undefined) {
        await showSides({ edit_id, path, before, after });
        return;
      }
      const hunk = await this.hunkAtCursor(edit_id);
      if (hunk === undefined) {
        void vscode.window.showInformationMessage(nothing);
        return;
      }
      await showSides(sidesOf(hunk.edit_id, hunk.path));
    });
  }

  /** applyDocument applies a patch, or a hunk of one, that is in a document; a dry run says what would happen. */
  async applyDocument(what: { dry_run?: boolean }): Promise<void> {
    await this.told(async () => {
      if (what.dry_run === true) {
        const { message } = await this.session.execute("patchls.apply_document", what);
        void vscode.window.showInformationMessage(fit(message));
      } else {
        await this.edit("patchls.apply_document", what);
      }
    });
  }

  /** edit has the server run a command whose edits pass the gate even while agents are paused. */
  private async edit(command: string, what: object): Promise<void> {
    const label = `${command} ${randomUUID()}`;
    const run = () => this.session.execute(command, { ...what, label });
    const { message } = await this.gate.pass(label, run);
    vscode.window.setStatusBarMessage(fit(message), 5000);
    await this.agreement.reach();
  }

  /** told does the work, and tells the user why if it fails. */
  private async told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      void vscode.window.showWarningMessage(fit(reasonOf(error)));
    }
  }

  private async hunkAtCursor(edit_id?: string): Promise<Hunk | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return undefined;
    }
    const { document, selection } = editor;
    const mark = this.book.at(document.uri.toString(), document.offsetAt(selection.active));
    const hunks = await this.agreement.hunks(document);
    return edit_id === undefined
      ? hunkAt(hunks, selection.active.line, mark?.author?.id)
      : hunks.find((hunk) => hunk.edit_id === edit_id);
  }

  private file(): Reviewed | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri && { path: uri.toString() };
  }
}

function reviewed(hunk: Hunk | undefined): Reviewed | undefined {
  return hunk && { edit_id: hunk.edit_id, hunk: hunk.hunk };
}

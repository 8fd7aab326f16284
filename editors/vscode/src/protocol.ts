import type { Leads } from "./leads";

/** The methods of patchls in addition to those of LSP (docs/build/editor.md). */
export const Method = {
  execute: "patchls/execute",
  save: "patchls/save",
  merged: "patchls/merged",
  synced: "patchls/synced",
  notText: "patchls/notText",
  listening: "patchls/listening",
  edited: "patchls/edited",
  confirm: "patchls/confirm",
  withdraw: "patchls/withdraw",
} as const;

/** The agent name of edits that take in what another program has written to a file. */
export const disk = "disk";

/** The additions that this client supports, for capabilities.experimental.patchls. */
export const clientCapabilities = {
  save: true,
  listening: true,
  edited: true,
  confirm: true,
  diff: true,
  versions: true,
};

/** The additions that a server must announce at the same place of its answer; one that does not is too old. */
export const serverCapabilities = ["listening", "edited", "confirm", "diff"] as const;
export type ServerCapabilities = Partial<Record<(typeof serverCapabilities)[number], boolean>>;

export interface SaveParams {
  uris: string[];
  leads?: Leads;
}

export interface SaveResult {
  results: { uri: string; saved: boolean; error?: string }[];
}

/** Whether agents can connect, and which are connected. */
export interface ListeningParams {
  /** Where agents connect; absent if they cannot. */
  socket?: string;
  /** The name that this window has given itself. */
  window?: string;
  /** The names of the connected agents. */
  agents?: string[];
  /** Why agents cannot connect, if the server gives a reason. */
  problem?: string;
}

/**
 * An edit has appeared in the text or, with `undone`, was taken back. If the
 * edit was undone and its id is empty, it failed halfway.
 */
export interface EditedParams {
  edit_id: string;
  agent: string;
  command: string;
  undone: boolean;
  /** The numbers of the hunks that were taken back; absent if all were. */
  hunks?: number[];
  files: { uri: string }[];
}

/** An edit that the user is asked about before it is made. */
export interface ConfirmParams {
  id: string;
  agent: string;
  command: string;
  message: string;
  /** Why the user is asked, if the agent did not ask for it. */
  why?: string;
  diff: string;
  files: ConfirmFile[];
}

/** A file of such an edit; before and after are documents with its text without the edit and with it. */
export interface ConfirmFile {
  uri: string;
  path: string;
  change: "update" | "create" | "delete" | "rename";
  new_path?: string;
  before: string;
  after: string;
}

/** The user's decision about such an edit, and the words for the agent. */
export interface Decision {
  decision: "apply" | "reject";
  text?: string;
}

/** What is kept or reverted: a hunk of an edit, an edit, or all that is to be reviewed in a file. */
export interface Reviewed {
  edit_id?: string;
  path?: string;
  hunk?: number;
}

/** The two sides of an edit of a file, as arguments of patchls.showDiff. */
export interface Sides {
  edit_id: string;
  path: string;
  before: string;
  after: string;
}

/** The part of the result of patchls.list that lists the hunks to be reviewed. */
export interface Listing {
  documents: { path: string; uri: string }[];
  edits: {
    edit_id: string;
    agent: string;
    /** Lines count from 1; end_line is start_line - 1 if text was only removed. */
    marked: { path: string; hunk: number; start_line: number; end_line: number }[];
  }[];
}

/** The part of a command's result that the user is shown. */
export interface CommandResult {
  message: string;
}

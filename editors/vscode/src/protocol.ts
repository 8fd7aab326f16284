/** The methods that patchls has beside those of LSP (docs/architecture.md). */
export const Method = {
  execute: "patchls/execute",
  save: "patchls/save",
  merged: "patchls/merged",
  listening: "patchls/listening",
  edited: "patchls/edited",
  confirm: "patchls/confirm",
  withdraw: "patchls/withdraw",
} as const;

/** The agent that what another program writes to a file is by. */
export const disk = "disk";

/** What this client has of them, in capabilities.experimental.patchls. */
export const clientCapabilities = {
  save: true,
  listening: true,
  edited: true,
  confirm: true,
  diff: true,
  versions: true,
};

/** What a server has, at the same place of its answer. One that has not is too old. */
export const serverCapabilities = ["listening", "edited", "confirm", "diff"] as const;
export type ServerCapabilities = Partial<Record<(typeof serverCapabilities)[number], boolean>>;

export interface SaveParams {
  uris: string[];
}

export interface SaveResult {
  results: { uri: string; saved: boolean; error?: string }[];
}

/** Whether agents can connect, and which are connected. */
export interface ListeningParams {
  /** Where they connect; absent when they cannot. */
  socket?: string;
  /** The name that this window has given itself. */
  window?: string;
  /** The names of those that are connected. */
  agents?: string[];
  /** Why they cannot, if there is a reason to say. */
  problem?: string;
}

/**
 * An edit was seen in the text. With `undone` it was taken back; without an id
 * then, it is one that failed halfway.
 */
export interface EditedParams {
  edit_id: string;
  agent: string;
  command: string;
  undone: boolean;
  /** The numbers of those that alone were taken back; absent for all. */
  hunks?: number[];
  files: { uri: string }[];
}

/** An edit that is not made yet: the user is asked about it. */
export interface ConfirmParams {
  id: string;
  agent: string;
  command: string;
  message: string;
  /** Why the user is asked, where the agent did not want that. */
  why?: string;
  diff: string;
  files: ConfirmFile[];
}

/** A file of it; before and after name documents that have its text without the edit and with it. */
export interface ConfirmFile {
  uri: string;
  path: string;
  change: "update" | "create" | "delete" | "rename";
  new_path?: string;
  before: string;
  after: string;
}

/** What the user says to it, and to the agent. */
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

/** The two sides of an edit of a file, as patchls.showDiff is given them. */
export interface Sides {
  edit_id: string;
  path: string;
  before: string;
  after: string;
}

/** The part of the answer of patchls.list that says what is to be reviewed. */
export interface Listing {
  documents: { path: string; uri: string }[];
  edits: {
    edit_id: string;
    agent: string;
    /** Lines from 1; end_line is the one before start_line where text was only taken out. */
    marked: { path: string; hunk: number; start_line: number; end_line: number }[];
  }[];
}

/** The part of a command's result that the user is shown. */
export interface CommandResult {
  message: string;
}

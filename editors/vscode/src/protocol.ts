/** The methods that patchls has beside those of LSP (docs/architecture.md). */
export const Method = {
  execute: "patchls/execute",
  save: "patchls/save",
  activity: "patchls/activity",
  listening: "patchls/listening",
  edited: "patchls/edited",
} as const;

/** What this client has of them, in capabilities.experimental.patchls. */
export const clientCapabilities = { save: true, activity: true, listening: true, edited: true };

/** What a server has, at the same place of its answer. One that has not is too old. */
export interface ServerCapabilities {
  listening?: boolean;
  edited?: boolean;
}

export interface SaveParams {
  uris: string[];
}

export interface SaveResult {
  results: { uri: string; saved: boolean; error?: string }[];
}

/** The socket at which agents connect; absent when they no longer can. */
export interface ListeningParams {
  socket?: string;
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
  files: { uri: string }[];
}

/** The part of a command's result that a person is shown. */
export interface CommandResult {
  message: string;
}

// Made by `make generate`. Do not edit.

/** The commands: what the one object in `arguments` of workspace/executeCommand is, and what it is answered. */
export interface Commands {
  "patchls.view": { arguments: ViewArguments; answer: View };
  "patchls.str_replace": { arguments: StrReplaceArguments; answer: Result };
  "patchls.insert": { arguments: InsertArguments; answer: Result };
  "patchls.delete_lines": { arguments: DeleteLinesArguments; answer: Result };
  "patchls.edit_lines": { arguments: EditLinesArguments; answer: Result };
  "patchls.apply_patch": { arguments: ApplyPatchArguments; answer: Result };
  "patchls.create": { arguments: CreateArguments; answer: Result };
  "patchls.write": { arguments: WriteArguments; answer: Result };
  "patchls.undo": { arguments: UndoArguments; answer: Result };
  "patchls.save": { arguments: SaveArguments; answer: Result };
  "patchls.list": { arguments: ListArguments; answer: List };
  "patchls.keep": { arguments: KeepArguments; answer: Kept };
  "patchls.revert": { arguments: RevertArguments; answer: Result };
  "patchls.apply_document": { arguments: ApplyDocumentArguments; answer: Result };
  "patchls.edit_file": { arguments: EditFileArguments; answer: Result };
  "patchls.read_file": { arguments: ReadFileArguments; answer: Reading };
  "patchls.write_file": { arguments: WriteFileArguments; answer: Result };
  "patchls.text_editor": { arguments: TextEditorArguments; answer: Result | Reading };
  "patchls.str_replace_editor": { arguments: StrReplaceEditorArguments; answer: Result | Reading };
}

/** Shows lines of a text with their numbers, as the user sees it, unsaved changes included; or the entries of a directory, two levels deep. */
export type ViewArguments = {
  /** the file or directory: relative to a workspace folder, absolute, or a URI */
  path: string;
  /** the first line, from 1 (default 1) */
  start_line?: number;
  /** the last line; -1 is the last one of the text (default -1) */
  end_line?: number;
};

/** Replaces old_str by new_str. old_str must match exactly and in only one place; a line break in it matches the document's own line ends. Several matches are an error that lists them, unless near_line or replace_all is set. A shell sees the edit only after a save. */
export type StrReplaceArguments = {
  /** relative to a workspace folder, absolute, or a URI */
  path: string;
  /** the text to replace, with enough around it to be unique */
  old_str: string;
  /** the text to put there; empty deletes */
  new_str?: string;
  /** replace every occurrence */
  replace_all?: boolean;
  /** of several occurrences, take the one nearest to this line, within 10 lines; 0 is off */
  near_line?: number;
  /** lenient: if there is no exact match, old_str may differ in line ends, blanks at line ends, indentation, look-alike characters, quoted line numbers or literal \n and \t, if only one place matches (default exact) */
  match?: "exact" | "lenient";
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Inserts whole lines after or before a line. Line numbers are those you last saw: they follow lines that have moved, and lines that have changed are an error. A shell sees the edit only after a save. */
export type InsertArguments = {
  /** relative to a workspace folder, absolute, or a URI */
  path: string;
  /** insert after this line; 0 is the top */
  after_line?: number;
  /** insert before this line, from 1; 0 is off */
  before_line?: number;
  /** whole lines; the last line break may be left out */
  content: string;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Deletes whole lines. Line numbers are those you last saw: they follow lines that have moved, and lines that have changed are an error. A shell sees the edit only after a save. */
export type DeleteLinesArguments = {
  /** relative to a workspace folder, absolute, or a URI */
  path: string;
  /** the first line to delete, from 1 */
  start_line: number;
  /** the last line to delete */
  end_line: number;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Replaces, inserts and deletes lines in several places at once, numbered as before the call. Line numbers are those you last saw: they follow lines that have moved, and lines that have changed are an error. A shell sees the edit only after a save. */
export type EditLinesArguments = {
  /** relative to a workspace folder, absolute, or a URI */
  path: string;
  /** the edits; no line may be in two of them */
  edits: Array<{
    /** the first line, from 1; without to, the line to insert before (the number of lines + 1 appends) */
    from: number;
    /** the last line to replace or delete; absent or 0 inserts */
    to?: number;
    /** the new lines; absent deletes */
    content?: string;
    /** the text that the lines must have now; lines that have moved are found by it; empty is off */
    expect?: string;
  }>;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Applies a patch to all of its files or to none: *** Begin Patch with Add, Update and Delete File and Move to, a unified or context diff, SEARCH/REPLACE blocks, or bare @@ hunks with path. Every hunk must match exactly one place. A shell sees the edit only after a save. */
export type ApplyPatchArguments = {
  /** the patch */
  patch: string;
  /** the file, for a patch that names none, or two that were compared */
  path?: string;
  /** what to do if a hunk matches several places: first takes the first one below the hunk before (default error) */
  on_ambiguous?: "error" | "first";
  /** exact: context and deleted lines must be in the text exactly as in the patch (default lenient) */
  match?: "lenient" | "exact";
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Creates a text file with its content. Fails if the file exists, unless overwrite is set; then what others have changed since you saw it stays, or the command fails. A shell sees the edit only after a save. */
export type CreateArguments = {
  /** relative to a workspace folder, absolute, or a URI */
  path: string;
  /** the whole text */
  content: string;
  /** replace the text of an existing file */
  overwrite?: boolean;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Sets the whole text of a file, by edits of only what differs. Creates the file if there is none. What others have changed since you saw it stays, or the command fails. A shell sees the edit only after a save. */
export type WriteArguments = {
  /** relative to a workspace folder, absolute, or a URI */
  path: string;
  /** the whole text */
  content: string;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Undoes an agent's edit: the one with edit_id, the newest of the file path or of all, or a turn. Keeps what was written elsewhere since. Undoes it in all of its files, or, if its text has changed since, in none, and shows both texts. */
export type UndoArguments = {
  /** the edit to undo, by the id in its answer */
  edit_id?: string;
  /** undo the newest edit of this file */
  path?: string;
  /** undo all edits for one prompt, by the turn's id in list, or last */
  turn?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Has the editor save the files in paths, or without paths those that agents have edited. Saves no other files. */
export type SaveArguments = {
  /** the files; absent: all that agents have edited and that are unsaved */
  paths?: Array<string>;
  /** has no effect */
  label?: string;
};

/** Lists the documents that are open in the editor, and the agents' edits that can be undone. */
export type ListArguments = Record<string, unknown>;

/** Ends the review of an agent's edit, of one hunk of it, or of all that agents changed in a file, and removes the marks. The text stays, and the edit can still be undone. */
export type KeepArguments = {
  /** the edit, by the id in its answer; e7.2 is its hunk 2 */
  edit_id?: string;
  /** all that agents changed in this file and the user has not reviewed; with edit_id, its part in this file */
  path?: string;
  /** only this hunk of the edit, counted through all files of its answer; 0 is all */
  hunk?: number;
};

/** Reverts one hunk of an agent's edit, all of them, or all that agents changed in a file and the user has not reviewed. Keeps what was typed and edited elsewhere since, or does nothing, as undo. */
export type RevertArguments = {
  /** the edit, by the id in its answer; e7.2 is its hunk 2 */
  edit_id?: string;
  /** all that agents changed in this file and the user has not reviewed; with edit_id, its part in this file */
  path?: string;
  /** only this hunk of the edit, counted through all files of its answer; 0 is all */
  hunk?: number;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Applies a patch that is in a document, as apply_patch does: a .patch or .diff file, or the patches in a Markdown document, as they are in the buffer. It is for editors, which offer it where they show the patch. rev and hunk are those of this document. A shell sees the edit only after a save. */
export type ApplyDocumentArguments = {
  /** the document that contains the patch: relative to a workspace folder, absolute, or a URI */
  path: string;
  /** the hunk to apply, counted from 1 through the document, where a part without hunks counts as one; 0 is all */
  hunk?: number;
  /** of several patches in a Markdown document, the one to apply, counted from 1; 0 is all, as one patch */
  block?: number;
  /** the rev of the document that hunk and block are counted in: if it has changed, the command fails */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** SmartHole's edit_file: replaces a text, or does one line operation (insert_after_line or insert_before_line with content, or delete_lines), not both. Line numbers are those you last saw: they follow lines that have moved, and lines that have changed are an error. A shell sees the edit only after a save. */
export type EditFileArguments = {
  /** the file to edit */
  path: string;
  /** the text to replace; without replace_all it must occur once */
  old_text?: string;
  /** the text to put there */
  new_text?: string;
  /** replace every occurrence of old_text */
  replace_all?: boolean;
  /** insert content after this line; 0 is the top */
  insert_after_line?: number;
  /** insert content before this line, from 1; 0 is off */
  insert_before_line?: number;
  /** {start, end}: the first and the last line to delete, from 1 */
  delete_lines?: {
    /** the first line, from 1 */
    start?: number;
    /** the last line */
    end?: number;
  };
  /** the lines to insert; the last line break may be left out */
  content?: string;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** SmartHole's read_file: shows lines as N: text, as many as fit an answer. */
export type ReadFileArguments = {
  /** the file to read */
  path: string;
  /** the first line, from 1; absent is the first */
  start_line?: number;
  /** the last line; absent is the last */
  end_line?: number;
};

/** SmartHole's write_file: sets the whole text of a file, and makes the folders that it needs. What others have changed since you saw it stays, or the command fails. A shell sees the edit only after a save. */
export type WriteFileArguments = {
  /** the file to write; missing folders are made */
  path: string;
  /** the whole text */
  content: string;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** Agent Zero's text_editor. A file must be read before its lines are edited. Line numbers are those you last saw: they follow lines that have moved, and lines that have changed are an error. In a text that is written, what others have changed since you saw it stays, or the command fails. A shell sees the edit only after a save. */
export type TextEditorArguments = {
  /** what to do */
  action: "read" | "write" | "patch";
  /** the file; ~ is the home folder */
  path: string;
  /** read: the first line, from 1; absent is the first */
  line_from?: number;
  /** read: the last line; absent is line_from + 199 */
  line_to?: number;
  /** write: the whole text */
  content?: string;
  /** patch: the edits; all line numbers are those of the text as this agent last saw it */
  edits?: Array<{
    /** the first line, from 1; without to, the line to insert before */
    from: number;
    /** the last line to replace or delete; absent, negative or below from inserts */
    to?: number;
    /** the new lines; absent deletes */
    content?: string;
  }>;
  /** patch: a context patch of this file, in any format of apply_patch; hunks need no envelope */
  patch_text?: string;
  /** patch: the text to replace, which must occur once */
  old_text?: string;
  /** patch: the text to put there; absent deletes */
  new_text?: string;
  /** accepted and ignored: the editor shows its texts itself */
  open_in_canvas?: boolean;
  /** as open_in_canvas */
  open_canvas?: boolean;
  /** as open_in_canvas */
  open_document?: boolean;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

/** The str_replace_editor of sidecar and Anthropic: view, create, str_replace, insert, and undo_edit, which undoes the newest edit of the file. Line numbers are those you last saw: they follow lines that have moved, and lines that have changed are an error. A shell sees the edit only after a save. */
export type StrReplaceEditorArguments = {
  /** what to do */
  command: "view" | "create" | "str_replace" | "insert" | "undo_edit";
  /** the file, or for view a directory */
  path: string;
  /** view: [first line, last line], from 1; -1 is the last line of the text */
  view_range?: Array<number>;
  /** create: the whole text */
  file_text?: string;
  /** str_replace: the text to replace, which must occur once */
  old_str?: string;
  /** str_replace: the text to put there, absent deletes; insert: the lines */
  new_str?: string;
  /** insert: the line to insert after; 0 is the top */
  insert_line?: number;
  /** insert: as new_str */
  insert_text?: string;
  /** the rev of the text that this is based on, seen whole */
  rev?: string;
  /** only show what would change */
  dry_run?: boolean;
  /** for the editor's undo menu */
  label?: string;
  /** then save the files that had no unsaved text before */
  save?: boolean;
  /** ask the user first; the answer has what they say */
  confirm?: boolean;
};

export type Candidate = {
  start_line: number;
  end_line: number;
  similarity: number;
  difference: string;
  text: string;
  text_line?: number;
  first_difference?: {
    line: number;
    column: number;
    sent: string;
    found: string;
  };
};

export type Decision = {
  answer: string;
  text?: string;
};

export type Document = {
  path: string;
  uri: string;
  rev: string;
  version: number;
  dirty: boolean;
  unsaved: boolean;
  total_lines: number;
  out_of_step?: string;
  as?: string;
};

export type Edit = {
  edit_id: string;
  command: string;
  agent: string;
  time: string;
  paths: Array<string>;
  turn?: string;
  prompt?: string;
  marked: Array<Mark>;
};

export type ErrorData = {
  kind: ErrorKind;
  /** the file and the text that the error is about */
  path?: string;
  /** the file and the text that the error is about */
  rev?: string;
  /** of a patch, from 0 */
  file_index?: number;
  /** of a patch, from 0 */
  hunk_index?: number;
  /** the nearest places: `start_line`, `end_line`, `similarity` (0.7 to 1), `difference` (of `undo_conflict`: the text `now` and that `before the edit`), `text` (from `text_line` on, if that is not `start_line`), and `first_difference` with `line`, which is in `text`, `column`, `sent` and `found`, in which blanks and what looks alike are visible */
  candidates?: Array<Candidate>;
  /** the places of a text that occurs several times: `line`, `column`, and a line (`context`) that distinguishes the place: nearby, or the one that `opens` its block */
  matches?: Array<Match>;
  /** the lines as they are now */
  snippet?: string;
  /** `command` and `arguments` of a call that would succeed now, if one is certain */
  suggestion?: Suggestion;
  /** the answer of the user who rejected the edit */
  decision?: Decision;
};

export type ErrorKind = "invalid_params" | "file_not_found" | "already_exists" | "outside_workspace" | "protected" | "is_directory" | "binary_file" | "not_utf8" | "too_large" | "read_only" | "line_out_of_range" | "invalid_range" | "overlapping_edits" | "no_match" | "multiple_matches" | "no_change" | "already_applied" | "placeholder" | "patch_syntax" | "anchor_not_found" | "context_not_found" | "context_ambiguous" | "stale" | "rejected_by_editor" | "not_settled" | "editor_gone" | "timeout" | "cancelled" | "undo_conflict" | "nothing_to_undo" | "reverted" | "unsupported";

export type FileResult = {
  path: string;
  uri: string;
  /** `update`, `create`, `delete` or `rename`; then `new_path` is the new name */
  change: string;
  new_path: string;
  /** names the text in 12 characters; equal texts have equal ones. As the argument `rev` it says which text line numbers are about, and that the agent has seen all of it. Its first 6 characters are enough if they name one text. That of a dry run is of a text that is not there yet. Of a file that no editor has open, the last 16 texts that the agent was shown are known, up to 4 MiB together */
  rev: string;
  /** the editor's version of the document, 0 where it is closed */
  version: number;
  open: boolean;
  /** the disk has another text; the editor has written the file with this edit */
  dirty: boolean;
  /** the disk has another text; the editor has written the file with this edit */
  saved: boolean;
  total_lines: number;
  /** one for each run of changed lines, in lines of the new text; the second of all files together stays `e7-k3fq.2`; `end_line` is `start_line` - 1 if lines were only deleted. `match` is the tier that found the place */
  hunks: Array<Hunk>;
  /** the first hunk with four lines around it, numbered; a line of more than 2,000 characters is cropped */
  snippet: string;
  /** of a dry run: the LSP text edits */
  edits?: Array<Record<string, unknown>>;
};

export type Hunk = {
  start_line: number;
  end_line: number;
  old_lines: number;
  new_lines: number;
  match: string;
};

export type Kept = {
  message: string;
  hunks: number;
};

export type List = {
  documents: Array<Document>;
  edits: Array<Edit>;
  refused?: string;
};

export type Mark = {
  path: string;
  hunk: number;
  start_line: number;
  end_line: number;
};

export type Match = {
  line: number;
  column: number;
  context?: {
    line: number;
    text: string;
    opens?: boolean;
  };
};

export type Reading = {
  message: string;
  path: string;
  uri: string;
  rev: string;
  version: number;
  open: boolean;
  dirty: boolean;
  eol: string;
  final_newline: boolean;
  total_lines: number;
  start_line: number;
  end_line: number;
  next_line?: number;
  notes: Array<string>;
};

export type Result = {
  /** one sentence for a model to read */
  message: string;
  /** false for a dry run, and if the client has to apply `workspace_edit` itself */
  applied: boolean;
  /** true: the editor's own text was seen to hold the edit. False: it was not seen (a closed file that the editor did not report), and `notes` say so */
  verified: boolean;
  /** true: the text has changes that the agent had not seen when it sent the command, and the edit is planned on these */
  rebased: boolean;
  /** for `undo`, `keep` and `revert`, whose answers have the id of the edit that they are about; empty for a dry run. Its last four characters differ for each server, so no other editor has an edit of that id */
  edit_id: string;
  /** every leniency that was used, and other facts, such as another text on disk; the first one may say what others did to the agent's edits */
  notes: Array<string>;
  files: Array<FileResult>;
  /** the whole edit as a unified diff; `""` with a note if more than a megabyte is changed */
  diff: string;
  /** of `confirm`: `{"answer": "apply", "text": "…"}`, where `text` is what the user said */
  decision?: Decision;
  /** for a client without `workspace/applyEdit`: what it is to apply. An agent gets the error `unsupported` instead */
  workspace_edit?: Record<string, unknown>;
};

export type Suggestion = {
  command: string;
  arguments: Record<string, unknown>;
};

export type View = {
  path: string;
  uri: string;
  rev: string;
  version: number;
  open: boolean;
  dirty: boolean;
  eol: string;
  final_newline: boolean;
  total_lines: number;
  start_line: number;
  end_line: number;
  next_line?: number;
  notes: Array<string>;
  text: string;
};

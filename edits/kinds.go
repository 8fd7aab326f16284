package edits

// Kind names a class of failure, for programs.
type Kind string

// All kinds of failure, of every layer. To add one, write a line here, with the sentence that says when it is
// given, and the same sentence in the table of docs/build/results.md.
const (
	InvalidParams    Kind = "invalid_params"     // arguments are missing, unknown, of the wrong type or contradict each other; the command is unknown
	FileNotFound     Kind = "file_not_found"     // there is no such file; the message has the nearest existing paths
	AlreadyExists    Kind = "already_exists"     // something is to be created or moved where a file is
	OutsideWorkspace Kind = "outside_workspace"  // the path is in no workspace folder, and not open
	Protected        Kind = "protected"          // no command may edit that path, or the user has to be asked first and cannot be
	IsDirectory      Kind = "is_directory"       // a text is needed
	BinaryFile       Kind = "binary_file"        // the file on disk is no text
	NotUTF8          Kind = "not_utf8"           // the file on disk is not in UTF-8
	TooLarge         Kind = "too_large"          // one of the bounds is exceeded, and the message names it; or the edits would insert more than 64 MiB of new text into one file
	ReadOnly         Kind = "read_only"          // the file may not be written, or not even read
	LineOutOfRange   Kind = "line_out_of_range"  // a line number is not in the text
	InvalidRange     Kind = "invalid_range"      // the end is before the start
	Overlapping      Kind = "overlapping_edits"  // two edits of one call meet
	NoMatch          Kind = "no_match"           // the text is not there; the message says where the closest is, and how it differs
	MultipleMatches  Kind = "multiple_matches"   // the text is there several times
	NoChange         Kind = "no_change"          // the edit would change nothing
	AlreadyApplied   Kind = "already_applied"    // the new text is there, and the old one is not
	Placeholder      Kind = "placeholder"        // the new text leaves something out (`// existing code`) that the old text has
	PatchSyntax      Kind = "patch_syntax"       // the patch cannot be read; the message names its line
	AnchorNotFound   Kind = "anchor_not_found"   // the line that a hunk's `@@` names is not there
	ContextNotFound  Kind = "context_not_found"  // a hunk has no place
	ContextAmbiguous Kind = "context_ambiguous"  // a hunk has several places
	Stale            Kind = "stale"              // others have changed what the agent has not seen; `rev` is not one of the text; a file that is to be deleted or moved has unsaved text, or one that is to be saved, deleted or moved has some under another name; or `text_editor` is to edit lines that this agent has not read
	Rejected         Kind = "rejected_by_editor" // the editor or the user said no, or the user could not be asked, and the edit was not made
	NotSettled       Kind = "not_settled"        // the text did not become what the edit allows, or the outcome is not known; the message says what was done
	EditorGone       Kind = "editor_gone"        // the connection to the editor ended, or could not be made
	TimedOut         Kind = "timeout"            // the command took too long (`apply_timeout_ms`, `ask_timeout_ms`)
	Cancelled        Kind = "cancelled"          // the command was cancelled before anything was sent to the editor
	UndoConflict     Kind = "undo_conflict"      // the user, or another agent, has changed or moved the text of the edit since, or changed or added another letter of a word of it, or typed on a line that it put in
	NothingToUndo    Kind = "nothing_to_undo"    // there is no such edit, or it was taken back
	Reverted         Kind = "reverted"           // the edit would make again what the user or others took back since; sent once more, it is made
	Unsupported      Kind = "unsupported"        // the editor lacks what the command needs, or has the file open as something other than text, such as a notebook
)

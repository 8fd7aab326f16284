package commands

import "github.com/patchls/patchls/edits"

// The kinds of failure that taking back can give.
const (
	UndoConflict  edits.Kind = "undo_conflict"
	NothingToUndo edits.Kind = "nothing_to_undo"
)

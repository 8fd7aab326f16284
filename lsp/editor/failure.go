package editor

import (
	"errors"

	"github.com/patchls/patchls/edits"
)

// The kinds of failure of an edit that an editor is asked to make (docs/contract.md).
const (
	Rejected    edits.Kind = "rejected_by_editor"
	NotSettled  edits.Kind = "not_settled"
	Gone        edits.Kind = "editor_gone"
	TimedOut    edits.Kind = "timeout"
	Cancelled   edits.Kind = "cancelled"
	Unsupported edits.Kind = "unsupported"
)

// Failure returns err as a command answers it. An error that is no [edits.Error] is a fault
// of this program; after it the editor's text is not known.
func Failure(err error) *edits.Error {
	if e, ok := errors.AsType[*edits.Error](err); ok {
		return e
	}
	return edits.Errorf(NotSettled, "The patch failed by a fault of this program (%v).", err)
}

// The operations on a file that an editor is asked for, as results name them.
const (
	Update = "update"
	Create = "create"
	Delete = "delete"
	Rename = "rename"
)

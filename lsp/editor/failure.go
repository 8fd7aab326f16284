package editor

import (
	"errors"

	"github.com/patchls/patchls/edits"
)

// Failure returns err as a command answers it. An error that is no [edits.Error] is a fault
// of this program; after it the editor's text is not known.
func Failure(err error) *edits.Error {
	if e, ok := errors.AsType[*edits.Error](err); ok {
		return e
	}
	return edits.Errorf(edits.NotSettled, "The patch failed by a fault of this program (%v).", err)
}

// The operations on a file that an editor is asked for, as results name them.
const (
	Update = "update"
	Create = "create"
	Delete = "delete"
	Rename = "rename"
)

package commands

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Prefix makes the names of commands unique among those of an editor.
const Prefix = "patchls."

// Based is the argument of commands that are based on a text which their caller has seen: they name lines of
// it by number, or send it as a whole.
type Based struct {
	Rev string `json:"rev,omitempty" jsonschema:"the rev of the text that this is based on, all of which you have seen; absent: what you were shown last"`
}

// EditOptions are the arguments that every editing command takes.
type EditOptions struct {
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"plan only: change nothing, and show what would change"`
	Label  string `json:"label,omitempty" jsonschema:"a few words for the editor's undo menu"`
	Save   bool   `json:"save,omitempty" jsonschema:"save each file afterwards if it had no unsaved text before; else the answer says why not"`
	// Confirm is not a part of a plan: the command is planned, and the user asked, before it.
	Confirm bool `json:"confirm,omitempty" jsonschema:"show the change to the user and ask them first; the answer has their decision and their message"`
}

// Options returns o, so that arguments that embed EditOptions have this method.
func (o EditOptions) Options() EditOptions { return o }

// Edit are the arguments of a command that edits one text. They do not change.
type Edit interface {
	Options() EditOptions
	Target() Target
	// Plan returns the edits of src. It is called again with the newest text whenever an edit did not land.
	Plan(src edits.Source) (edits.Plan, error)
}

// Target says which text a command is about.
type Target struct {
	Path string // as it was sent

	Rev      string // of the text that the command is based on; "" for what the caller was shown last
	ByLine   bool   // the place is given by line numbers
	From, To int    // those lines, from 1
	Unread   string // if set, the error for lines that the agent was not shown

	Create *string // the text that the command makes if there is no such file
	// MustBeNew: it is an error if the file exists.
	MustBeNew bool
	// Find, if set, finds the file in place of [workspace.Workspace.Resolve].
	Find func(w *workspace.Workspace) (paths.Target, error)
}

// ByLines are arguments whose place is given by line numbers.
type ByLines interface {
	Edit
	// At returns the arguments with the numbers that their lines have now; ok is false if one
	// of the lines no longer exists unchanged.
	At(m *lines.Map) (now Edit, ok bool)
}

// Place finds the file that the target names.
func (t Target) Place(w *workspace.Workspace) (paths.Target, error) {
	if t.Find != nil {
		return t.Find(w)
	}
	return w.Resolve(t.Path)
}

// Sized is implemented by arguments whose size is limited.
type Sized interface{ Size() Size }

// Size is how large arguments are. A member that they do not have is 0.
type Size struct {
	Patch int // bytes of a patch
	Hunks int // of a patch
	Edits int // in a list
}

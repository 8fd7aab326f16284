// Package acts makes what a user does in VS Code and in Vim, such as joining lines,
// as the changes that those editors make of it. How they tell of each was recorded
// from real ones (testdata/acts).
package acts

import "github.com/patchls/patchls/edits"

// Act is one act of the user that an editor makes in several changes. Vim joins two
// lines in two: it puts the text of the second behind the first, and then takes the
// second out.
type Act struct {
	// Parts are made in order: the offsets of each are those of the text after the
	// ones before it.
	Parts []edits.Edit
	// ToldWhole and UndoneWhole mean that the editor tells of the act, or of its undo
	// and redo, as of one change of the text from the first part to the last, else as
	// of one change for each part.
	ToldWhole, UndoneWhole bool
}

// Package acts turns acts of a user in VS Code and Vim, such as joining lines, into the
// changes that those editors make. How the editors report each act was recorded from real
// ones (testdata/acts).
package acts

import "github.com/patchls/patchls/edits"

// Act is one act of the user that an editor makes in several changes. Vim joins two lines
// in two: it appends the text of the second line to the first, and then deletes the
// second.
type Act struct {
	// Parts are made in order: the offsets of each are those of the text after the
	// ones before it.
	Parts []edits.Edit
	// ToldWhole and UndoneWhole mean that the editor reports the act, or its undo and
	// redo, as one change of the text from the first part to the last. Otherwise it
	// reports one change for each part.
	ToldWhole, UndoneWhole bool
}

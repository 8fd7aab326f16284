package reference

import (
	"fmt"

	"github.com/patchls/patchls/lsp/commands"
)

// strReplaceEditorUndo is a call with the command undo_edit.
type strReplaceEditorUndo struct{ strReplaceEditor }

func (c *strReplaceEditorUndo) Undo() (path string, options commands.EditOptions) {
	return c.Path, c.EditOptions
}

func (c *strReplaceEditorUndo) Undone(snippet string) string {
	said := fmt.Sprintf("Last edit to %s undone successfully.", c.Path)
	if snippet != "" {
		said += " Here's the result of `cat -n` on a snippet of the file:\n" + snippet
	}
	return said
}

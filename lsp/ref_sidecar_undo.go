package lsp

import "fmt"

// strReplaceEditorUndo is a call with the command undo_edit.
type strReplaceEditorUndo struct{ strReplaceEditor }

func (c *strReplaceEditorUndo) undo() undoArgs {
	return undoArgs{Path: c.Path, editOptions: c.editOptions}
}

func (c *strReplaceEditorUndo) undone(r *Result) string {
	said := fmt.Sprintf("Last edit to %s undone successfully.", c.Path)
	if len(r.Files) > 0 && r.Files[0].Snippet != "" {
		said += " Here's the result of `cat -n` on a snippet of the file:\n" + r.Files[0].Snippet
	}
	return said
}

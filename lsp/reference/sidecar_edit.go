package reference

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
)

// strReplaceEditorEdit is a call with one of the commands that edit.
type strReplaceEditorEdit struct {
	strReplaceEditor
	edit commands.Edit // the native command that does it
}

func (c *strReplaceEditorEdit) Target() commands.Target {
	return commands.Target{Path: c.Path, Create: c.FileText, MustBeNew: c.Command == "create", ByLine: c.Command == "insert"}
}

func (c *strReplaceEditorEdit) At(m *lines.Map) (commands.Edit, bool) {
	now := *c
	var ok bool
	now.edit, ok = carried(c.edit, m)
	return &now, ok
}

func (c *strReplaceEditorEdit) Plan(src edits.Source) (edits.Plan, error) {
	if in, ok := c.edit.(commands.Insert); ok && (*in.AfterLine < 0 || *in.AfterLine > src.Text.Lines()) {
		return edits.Plan{}, &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf(
			"`insert_line` %d out of range [0, %d].", *in.AfterLine, src.Text.Lines())}
	}
	return c.edit.Plan(src)
}

func (c *strReplaceEditorEdit) Said(_ string, plan edits.Plan, now text.Text) string {
	rows := lines.Snippet(now, plan.Hunks)
	switch c.Command {
	case "create":
		return fmt.Sprintf(`File created successfully at: "%s"`, c.Path)
	case "insert":
		return fmt.Sprintf("The file \"%s\" has been edited. Here's the result of `cat -n` on a snippet of the edited file:\n%s\n"+
			"Review the changes and make sure they are correct (indentation, no duplicates, etc).", c.Path, rows)
	}
	return fmt.Sprintf("The file \"%s\" has been edited. Here's the result of `cat -n` on a snippet of \"%s\":\n%s\nReview the changes if necessary.", c.Path, c.Path, rows)
}

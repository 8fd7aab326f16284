package lsp

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// strReplaceEditorEdit is a call with one of the commands that edit.
type strReplaceEditorEdit struct{ strReplaceEditor }

func (c *strReplaceEditorEdit) target() target {
	return target{path: c.Path, create: c.FileText, mustBeNew: c.Command == "create", byLine: c.Command == "insert"}
}

func (c *strReplaceEditorEdit) at(lines *lineMap) (editArguments, bool) {
	now := *c
	var ok bool
	now.InsertLine, ok = carriedLine(*c.InsertLine, lines.after)
	return &now, ok
}

func (c *strReplaceEditorEdit) plan(src edits.Source) (edits.Plan, error) {
	if c.Command == "insert" {
		if n := src.Text.Lines(); *c.InsertLine < 0 || *c.InsertLine > n {
			return edits.Plan{}, &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf(
				"`insert_line` %d out of range [0, %d].", *c.InsertLine, n)}
		}
		return edits.Insert{After: *c.InsertLine, Content: *c.NewStr}.Plan(src)
	}
	r := edits.Replace{Old: *c.OldStr}
	if c.NewStr != nil {
		r.New = *c.NewStr
	}
	return r.Plan(src)
}

func (c *strReplaceEditorEdit) said(j *job, now text.Text) string {
	rows := snippet(now, j.plan.Hunks)
	switch c.Command {
	case "create":
		return fmt.Sprintf(`File created successfully at: "%s"`, c.Path)
	case "insert":
		return fmt.Sprintf("The file \"%s\" has been edited. Here's the result of `cat -n` on a snippet of the edited file:\n%s\n"+
			"Review the changes and make sure they are correct (indentation, no duplicates, etc).", c.Path, rows)
	}
	return fmt.Sprintf("The file \"%s\" has been edited. Here's the result of `cat -n` on a snippet of \"%s\":\n%s\nReview the changes if necessary.", c.Path, c.Path, rows)
}

package command

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
)

// Insert is the command insert: whole lines after line After, which is from 1,
// or 0 for the top; or, if Before is not 0, before line Before.
type Insert struct {
	After, Before int
	Content       string
}

// Plan returns the edits that insert the lines of Content.
func (c Insert) Plan(of edits.Source) (edits.Plan, error) {
	src := draft.Source{Source: of}
	n := src.Text.Lines()
	at, where := c.After, fmt.Sprintf("after line %d", c.After)
	if c.Before != 0 {
		at, where = c.Before-1, fmt.Sprintf("before line %d", c.Before)
	}
	switch {
	case at < 0 || c.After < 0:
		return edits.Plan{}, &edits.Error{Kind: edits.InvalidParams, Message: "after_line must be 0 (the top) or more, and before_line 1 or more."}
	case at > n || (c.Before != 0 && at >= max(n, 1)):
		return edits.Plan{}, src.NoLine(max(c.After, c.Before))
	}
	lines := draft.ContentLines(c.Content, true)
	p, err := src.PlanLines([]draft.LineChange{{From: at, To: at, Lines: lines}})
	if err != nil {
		return edits.Plan{}, err
	}
	p.Message = fmt.Sprintf("Inserted %s %s in %s.", edits.Count(len(lines), "line"), where, src.Path)
	return p, nil
}

// DeleteLines is the command delete_lines; both numbers are from 1, inclusive.
type DeleteLines struct{ Start, End int }

// Plan returns the edits that delete the lines and their terminators.
func (c DeleteLines) Plan(of edits.Source) (edits.Plan, error) {
	src := draft.Source{Source: of}
	if err := src.CheckRange(c.Start, c.End, "start_line", "end_line"); err != nil {
		return edits.Plan{}, err
	}
	p, err := src.PlanLines([]draft.LineChange{{From: c.Start - 1, To: c.End}})
	if err != nil {
		return edits.Plan{}, err
	}
	p.Message = fmt.Sprintf("Deleted %s (%s) in %s.", edits.LineRange(c.Start, c.End), edits.Count(c.End-c.Start+1, "line"), src.Path)
	return p, nil
}

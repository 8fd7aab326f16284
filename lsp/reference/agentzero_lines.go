package reference

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/workspace"
)

// parseLines reads a patch by line numbers, which are those of the text as this agent last saw
// it.
func (t *textEditor) parseLines(c *Call) error {
	if len(t.Edits) == 0 {
		return t.invalid(edits.InvalidParams, "edits array is required")
	}
	native := commands.EditLines{Path: t.Path, EditOptions: t.EditOptions}
	for i, e := range t.Edits {
		if e.To != nil && *e.To < e.From {
			e.To = nil
		}
		switch {
		case e.From < 1:
			return t.invalid(edits.InvalidParams, "edits[%d].from must be >= 1", i)
		case e.To == nil && e.Content == nil:
			return t.invalid(edits.InvalidParams, "edits[%d] has neither a line to replace (to) nor content", i)
		}
		native.Edits = append(native.Edits, commands.LineEdit{From: e.From, To: e.To, Content: e.Content})
	}
	c.Edit = &Edit{Edit: native, Said: t.patched(len(native.Edits)), ByLedger: planLines}
	return nil
}

// What a line edit of an unknown text is told.
const (
	notRead      = "read file before patching - line numbers unknown"
	changedSince = "file changed since last read - re-read to get current line numbers"
)

// planLines plans line edits at the lines that the agent means: the numbers are
// those of the text as it last saw it, and hold as long as those lines have at
// most moved. A rev says that it has seen the text as it is.
func planLines(native commands.Edit, s Session, snap workspace.Snapshot, work *edits.Work) (plan edits.Plan, moved bool, err error) {
	c, _ := native.(commands.EditLines)
	src := s.Source(snap.Path, snap.Text, work)
	if c.Rev != "" {
		plan, err = c.Plan(src)
		return plan, false, err
	}
	p, ok := s.Shown.Page(snap.Key)
	if !ok {
		return plan, false, staleLines(c, src, notRead)
	}
	if err := checkSeen(c, p, src); err != nil {
		return plan, false, err
	}
	if p.Text.Equal(snap.Text) {
		plan, err = c.Plan(src)
		return plan, false, err
	}
	m := lines.Since(p.Text, snap.Text)
	now, ok := c.At(m)
	if !ok {
		return plan, false, staleLines(c, src, changedSince)
	}
	plan, err = now.Plan(src)
	if note := m.Note(); note != "" {
		moved, plan.Notes = true, append(plan.Notes, note)
	}
	return plan, moved, err
}

// checkSeen refuses line numbers that the text never had, or that the agent cannot
// know.
func checkSeen(c commands.EditLines, p lines.Page, src edits.Source) error {
	n := p.Text.Lines()
	for _, e := range c.Edits {
		first, last := e.From, e.From
		if e.To != nil {
			last = *e.To
		}
		if e.To == nil && (e.From == 1 || e.From == n+1) {
			continue // the top and the end are where they are
		}
		switch {
		case last > n:
			return &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf("Line %d does not exist in file with %s.", last, edits.Count(n, "line"))}
		case p.Seen.Holds(first, last), e.To == nil && p.Seen.Holds(first-1, first-1):
		case p.Lost:
			return staleLines(c, src, changedSince)
		default:
			return staleLines(c, src, notRead)
		}
	}
	return nil
}

// staleLines refuses the numbers, and shows what is there now.
func staleLines(c commands.EditLines, src edits.Source, why string) error {
	e := &edits.Error{Kind: edits.Stale, Message: why}
	t := c.Target()
	from := max(1, t.From-lines.SnippetAround)
	if to := min(src.Text.Lines(), t.To+lines.SnippetAround, from+lines.MaxSnippet); from <= to {
		e.Snippet = edits.Numbered(src.Text, from, to)
	}
	return e
}

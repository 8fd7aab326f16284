package reference

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
)

// textEditorEdits are the members of an entry of edits.
var textEditorEdits = schema.Members(reflect.TypeFor[textEditorEdit]())

// lastLine returns the last line of an edit, that before the first one where it inserts.
func lastLine(e commands.LineEdit) int {
	if e.To == nil {
		return e.From - 1
	}
	return *e.To
}

// textEditorLines is a patch by line numbers: those of the text as this agent
// last saw it.
type textEditorLines struct {
	textEditor
	lines commands.EditLines // the native command that does it
	moved bool               // the numbers were carried over to a newer text
}

// sort orders the edits by line, those that insert first, and refuses two that
// meet.
func (c *textEditorLines) sort() error {
	slices.SortStableFunc(c.lines.Edits, func(a, b commands.LineEdit) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(min(lastLine(a)-a.From, 0), min(lastLine(b)-b.From, 0)))
	})
	for i, b := range c.lines.Edits[1:] {
		if a := c.lines.Edits[i]; b.From <= lastLine(a) {
			return c.worded(&edits.Error{Kind: edits.Overlapping},
				fmt.Sprintf("overlapping edits: edit at %d (to %d) and %d (to %d)", a.From, lastLine(a), b.From, lastLine(b)))
		}
	}
	return nil
}

func (c *textEditorLines) Target() commands.Target {
	return commands.Target{Path: c.path(), ByLine: true}
}

func (c *textEditorLines) Carried() bool { return c.moved }

// What a line edit of an unknown text is told.
const (
	notRead      = "read file before patching - line numbers unknown"
	changedSince = "file changed since last read - re-read to get current line numbers"
)

// PlanOn plans the edits at the lines that the agent means: the numbers are
// those of the text as it last saw it, and hold as long as those lines have at
// most moved. A rev says that it has seen the text as it is.
func (c *textEditorLines) PlanOn(s Session, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error) {
	c.moved = false
	src := s.Source(snap.Path, snap.Text, work)
	if c.Rev != "" {
		return c.Plan(src)
	}
	p, ok := s.Shown.Page(snap.Key)
	if !ok {
		return edits.Plan{}, c.stale(src, notRead)
	}
	if err := c.known(p, src); err != nil {
		return edits.Plan{}, err
	}
	if p.Text.Equal(snap.Text) {
		return c.Plan(src)
	}
	now, ok := c.at(lines.Since(p.Text, snap.Text))
	if !ok {
		return edits.Plan{}, c.stale(src, changedSince)
	}
	plan, err := now.Plan(src)
	for i, e := range c.lines.Edits {
		if to := now.Edits[i].From; to != e.From {
			c.moved = true
			plan.Notes = append(plan.Notes, fmt.Sprintf("The text has changed since it was read: its line %d is line %d now.", e.From, to))
		}
	}
	return plan, err
}

// known refuses line numbers that the text never had, or that the agent cannot
// know.
func (c *textEditorLines) known(p lines.Page, src edits.Source) error {
	n := p.Text.Lines()
	for _, e := range c.lines.Edits {
		last, inserts := max(e.From, lastLine(e)), e.To == nil
		switch beyond := last > n && !(inserts && e.From == n+1); {
		case beyond:
			return &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf("Line %d does not exist in file with %s.", last, edits.Count(n, "line"))}
		case inserts && (e.From == 1 || e.From == n+1 || p.Seen.Holds(e.From-1, e.From-1)):
		case p.Seen.Holds(e.From, last):
		case p.Lost:
			return c.stale(src, changedSince)
		default:
			return c.stale(src, notRead)
		}
	}
	return nil
}

// at returns the edits with the numbers that their lines have now; ok is false if one of the
// lines is not there as it was.
func (c *textEditorLines) at(m *lines.Map) (now commands.EditLines, ok bool) {
	e, ok := c.lines.At(m)
	now, _ = e.(commands.EditLines)
	return now, ok
}

func (c *textEditorLines) At(m *lines.Map) (commands.Edit, bool) {
	now, ok := c.at(m)
	return &textEditorLines{textEditor: c.textEditor, lines: now}, ok
}

// stale refuses the numbers, and shows what is there now.
func (c *textEditorLines) stale(src edits.Source, why string) error {
	e := &edits.Error{Kind: edits.Stale, Message: why}
	first, last := c.lines.Edits[0], c.lines.Edits[len(c.lines.Edits)-1]
	from := max(1, first.From-lines.SnippetAround)
	if to := min(src.Text.Lines(), lastLine(last)+lines.SnippetAround, from+lines.MaxSnippet); from <= to {
		e.Snippet = edits.Numbered(src.Text, from, to)
	}
	return e
}

func (c *textEditorLines) Plan(src edits.Source) (edits.Plan, error) { return c.lines.Plan(src) }

func (c *textEditorLines) Said(_ string, plan edits.Plan, now text.Text) string {
	return c.patched(plan, now, len(c.lines.Edits))
}

func (c *textEditorLines) Size() commands.Size { return c.lines.Size() }

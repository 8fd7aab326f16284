package reference

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
)

// textEditorEdits are the members of an entry of edits.
var textEditorEdits = schema.Members(reflect.TypeFor[textEditorEdit]())

// numberedEdit is one entry: it replaces the lines [from,to], or inserts before
// from where to is from-1. No content deletes.
type numberedEdit struct {
	from, to int
	content  *string
}

func (e numberedEdit) inserts() bool { return e.to < e.from }

// textEditorLines is a patch by line numbers: those of the text as this agent
// last saw it.
type textEditorLines struct {
	textEditor
	edits []numberedEdit
	moved bool // the numbers were carried over to a newer text
}

// sort orders the edits by line, those that insert first, and refuses two that
// meet.
func (c *textEditorLines) sort() error {
	slices.SortStableFunc(c.edits, func(a, b numberedEdit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(min(a.to-a.from, 0), min(b.to-b.from, 0)))
	})
	for i := 1; i < len(c.edits); i++ {
		if a, b := c.edits[i-1], c.edits[i]; b.from <= a.to {
			return c.worded(&edits.Error{Kind: edits.Overlapping},
				fmt.Sprintf("overlapping edits: edit at %d (to %d) and %d (to %d)", a.from, a.to, b.from, b.to))
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
	if c.opts.Rev != "" {
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
	now, ok := c.renumbered(p.Text, snap.Text)
	if !ok {
		return edits.Plan{}, c.stale(src, changedSince)
	}
	plan, err := now.Plan(src)
	for i, e := range c.edits {
		if to := now.edits[i].from; to != e.from {
			c.moved = true
			plan.Notes = append(plan.Notes, fmt.Sprintf("The text has changed since it was read: its line %d is line %d now.", e.from, to))
		}
	}
	return plan, err
}

// known refuses line numbers that the text never had, or that the agent cannot
// know.
func (c *textEditorLines) known(p lines.Page, src edits.Source) error {
	n := p.Text.Lines()
	for _, e := range c.edits {
		last := max(e.from, e.to)
		switch beyond := last > n && !(e.inserts() && e.from == n+1); {
		case beyond:
			return &edits.Error{Kind: edits.LineOutOfRange, Message: fmt.Sprintf("Line %d does not exist in file with %s.", last, edits.Count(n, "line"))}
		case e.inserts() && (e.from == 1 || e.from == n+1 || p.Seen.Holds(e.from-1, e.from-1)):
		case p.Seen.Holds(e.from, last):
		case p.Lost:
			return c.stale(src, changedSince)
		default:
			return c.stale(src, notRead)
		}
	}
	return nil
}

// renumbered returns the edits with the numbers that their lines have now; ok is
// false if one of the lines is not there as it was.
func (c *textEditorLines) renumbered(shown, now text.Text) (*textEditorLines, bool) {
	return c.through(lines.Since(shown, now))
}

// through returns the edits with the numbers that their lines have now.
func (c *textEditorLines) through(m *lines.Map) (*textEditorLines, bool) {
	to := &textEditorLines{textEditor: c.textEditor, edits: slices.Clone(c.edits)}
	for i, e := range c.edits {
		where := m.Before
		if !e.inserts() {
			where = func(from int) (int, bool) { return m.Lines(from, e.to) }
		}
		now, ok := where(e.from)
		if !ok {
			return nil, false
		}
		to.edits[i].from, to.edits[i].to = now, now+e.to-e.from
	}
	return to, true
}

func (c *textEditorLines) At(m *lines.Map) (commands.Edit, bool) {
	now, ok := c.through(m)
	return now, ok
}

// stale refuses the numbers, and shows what is there now.
func (c *textEditorLines) stale(src edits.Source, why string) error {
	e := &edits.Error{Kind: edits.Stale, Message: why}
	first, last := c.edits[0], c.edits[len(c.edits)-1]
	from := max(1, first.from-lines.SnippetAround)
	if to := min(src.Text.Lines(), last.to+lines.SnippetAround, from+lines.MaxSnippet); from <= to {
		e.Snippet = edits.Numbered(src.Text, from, to)
	}
	return e
}

func (c *textEditorLines) Plan(src edits.Source) (edits.Plan, error) {
	batch := command.EditLines{Edits: make([]command.LineEdit, len(c.edits))}
	for i, e := range c.edits {
		batch.Edits[i] = command.LineEdit{From: e.from, Content: e.content}
		if !e.inserts() {
			batch.Edits[i].To = &e.to
		}
	}
	return batch.Plan(src)
}

func (c *textEditorLines) Said(_ string, plan edits.Plan, now text.Text) string {
	return c.patched(plan, now, len(c.edits))
}

func (c *textEditorLines) Size() commands.Size { return commands.Size{Edits: len(c.edits)} }

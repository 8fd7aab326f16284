package reference

import (
	"fmt"
	"math"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/workspace"
)

// textEditorRead is a call of text_editor with the action read.
type textEditorRead struct {
	textEditor
	from, to int
}

func (t textEditor) parseRead(g given) (Call, error) {
	c := &textEditorRead{textEditor: t, from: 1}
	for name, dst := range map[string]*int{"line_from": &c.from, "line_to": &c.to} {
		if g.has(name) {
			g.values[name] = softNumber(g.values[name])
		}
		if err := g.into(name, dst); err != nil {
			return nil, err
		}
	}
	c.from = max(1, c.from)
	if !g.has("line_to") {
		c.to = min(c.from, math.MaxInt32) + textEditorCount - 1
	}
	return c, nil
}

func (c *textEditorRead) Read(s Session) (*Reading, error) {
	w := s.Workspace()
	place, err := w.Resolve(c.path())
	if err != nil {
		return nil, err
	}
	snap, err := s.Read(w, place)
	if err != nil {
		return nil, err
	}
	n := snap.Text.Lines()
	to := min(c.to, n)
	rows := &tokenRows{left: textEditorTokens}
	rows.add(snap.Text, c.from, to, len(fmt.Sprint(to)))
	r := s.reading(snap, c.from, max(rows.to, c.from-1), rows.fenced(fmt.Sprintf("%s %d lines", c.file, n)))
	if len(rows.rows) == 0 && n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("No line was shown: the text has %s.", edits.Count(n, "line")))
	}
	return r, nil
}

// textEditorWrite is a call of text_editor with the action write.
type textEditorWrite struct {
	textEditor
	content string
}

func (c *textEditorWrite) Target() commands.Target {
	return commands.Target{Path: c.path(), Create: &c.content}
}

func (c *textEditorWrite) Plan(src edits.Source) (edits.Plan, error) {
	return command.Write{Content: c.content}.Plan(src)
}

// PlanOn refuses to overwrite what others have made of the text since the agent
// saw it. One that it never saw it may overwrite.
func (c *textEditorWrite) PlanOn(s Session, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error) {
	if p, ok := s.Shown.Page(snap.Key); ok && (p.Lost || !p.Text.Equal(snap.Text)) {
		return edits.Plan{}, &edits.Error{Kind: edits.Stale, Message: changedSince}
	}
	return c.Plan(s.Source(snap.Path, snap.Text, work))
}

func (c *textEditorWrite) Carried() bool { return false }

func (c *textEditorWrite) Said(_ string, plan edits.Plan, now text.Text) string {
	return changedRows(now, plan.Hunks, textEditorEcho).fenced(fmt.Sprintf("%s written %d lines", c.file, now.Lines()))
}

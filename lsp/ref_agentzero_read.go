package lsp

import (
	"fmt"
	"math"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// textEditorRead is a call of text_editor with the action read.
type textEditorRead struct {
	textEditor
	from, to int
}

func (t textEditor) parseRead(g given) (toolCall, error) {
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

func (c *textEditorRead) read(s *caller) (*Reading, error) {
	w := s.workspace()
	place, err := w.Resolve(c.path())
	if err != nil {
		return nil, err
	}
	snap, err := s.read(w, place)
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

func (c *textEditorWrite) target() target { return target{path: c.path(), create: &c.content} }

func (c *textEditorWrite) plan(src edits.Source) (edits.Plan, error) {
	return edits.Write{Content: c.content}.Plan(src)
}

// planOn refuses to overwrite what others have made of the text since the agent
// saw it. One that it never saw it may overwrite.
func (c *textEditorWrite) planOn(s *caller, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error) {
	if p, ok := s.shown.page(snap.Key); ok && (p.lost || !p.text.Equal(snap.Text)) {
		return edits.Plan{}, &edits.Error{Kind: edits.Stale, Message: changedSince}
	}
	return c.plan(s.limitsNow().source(snap.Path, snap.Text, work))
}

func (c *textEditorWrite) carried() bool { return false }

func (c *textEditorWrite) said(j *job, now text.Text) string {
	return changedRows(now, j.plan.Hunks, textEditorEcho).fenced(fmt.Sprintf("%s written %d lines", c.file, now.Lines()))
}

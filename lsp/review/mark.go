package review

import (
	"cmp"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Mark is the part of one hunk of an agent's edit that is left in a document.
type Mark struct {
	history.Hunk
	Edit *Edit
	Step Step
}

// HunkNumber returns the number of the hunk in the edit's answer, from 1.
func (m Mark) HunkNumber() int { return m.Step.Before + m.Number }

// Marks returns the marks in a document, open or closed, in the order of its current text, and that text.
func (m *Log) Marks(docs *workspace.Documents, key paths.Key) ([]Mark, text.Text) {
	h := docs.History(key)
	if h == nil {
		return nil, text.Text{}
	}
	hunks, now := h.Hunks()
	if len(hunks) == 0 {
		return nil, now
	}
	steps := map[string]Mark{} // by the id of the edit
	for _, e := range m.List() {
		for _, st := range e.Steps {
			if st.Target.Key == key && (st.Change == editor.Update || st.Change == editor.Create) {
				steps[e.ID] = Mark{Edit: e, Step: st}
			}
		}
	}
	return lists.FilterMap(hunks, func(hunk history.Hunk) (Mark, bool) {
		left, ok := steps[hunk.ID]
		left.Hunk = hunk
		return left, ok
	}), now
}

// Lines returns the first and the last line that a mark is on, from 0.
func (m Mark) Lines(t text.Text) (first, last int) {
	return t.LineAt(m.Start), t.LineAt(max(m.Start, m.End-1))
}

// IsAt reports whether a mark is on one of the lines from and to, from 1; after line to, if from is to+1.
func (m Mark) IsAt(t text.Text, from, to int) bool {
	first, last := m.Lines(t)
	return first < max(to, from) && from <= last+1
}

// ShownLines returns the lines where a mark is shown. Not every editor has a line after the last
// newline, so a removal there is shown on the line before as well.
func (m Mark) ShownLines(t text.Text) (first, last int) {
	first, last = m.Lines(t)
	return min(first, max(t.Lines()-1, 0)), last
}

// Describe returns the size and the author of a mark in words: "3 lines by claude".
func (m Mark) Describe(t text.Text) string {
	first, last := m.Lines(t)
	what := edits.Count(last-first+1, "line")
	switch {
	case m.Start < m.End:
	case m.Removed > 0:
		what = edits.Count(m.Removed, "line") + " removed"
	default:
		what = "text removed"
	}
	return what + " by " + m.Edit.Author()
}

// maxName is the maximum number of characters of an agent's name that are shown.
const maxName = 40

// Author returns the name of the agent that made the edit, in a form that can be shown.
func (e *Edit) Author() string { return Author(e.Agent) }

// Author returns the name of an agent in a form that can be shown.
func Author(agent string) string {
	return cmp.Or(paths.OneLine(agent, maxName), "an agent")
}

func (m Mark) args() Args { return Args{EditID: m.Edit.ID, Hunk: m.HunkNumber()} }

func (r Args) command(title, name string) editor.Command {
	return editor.Command{Title: title, Command: name, Arguments: []any{r}}
}

// Lenses returns the lenses to show above the marks of a document. diff returns the argument of the
// command that shows a file before and after an edit; diff is nil if the editor has no such command.
func (m *Log) Lenses(docs *workspace.Documents, key paths.Key, diff func(id, path string) any) []editor.Lens {
	marks, now := m.Marks(docs, key)
	var lenses []editor.Lens
	for _, mark := range marks {
		first, _ := mark.ShownLines(now)
		at := protocol.Position{Line: uint32(first)} // an editor may show the lens above this very column
		said := editor.Command{Title: mark.Describe(now)}
		if diff != nil {
			said.Command, said.Arguments = "showDiff", []any{diff(mark.Edit.ID, mark.Step.ShownPath)}
		}
		for _, c := range []editor.Command{mark.args().command("patchls: keep", "keep"), mark.args().command("revert", "revert"), said} {
			lenses = append(lenses, editor.Lens{Range: protocol.Range{Start: at, End: at}, Command: c})
		}
	}
	return lenses
}

// Actions returns the actions for the lines from to to of a document, counted from 0.
func (m *Log) Actions(docs *workspace.Documents, doc *workspace.Document, from, to int) []editor.Action {
	marks, now := m.Marks(docs, doc.Key)
	here := lists.FilterMap(marks, func(mark Mark) (Mark, bool) {
		first, last := mark.ShownLines(now)
		return mark, first <= to && from <= last
	})
	if len(here) == 0 {
		return nil
	}
	var actions []editor.Action
	add := func(r Args, name, format string, args ...any) {
		title := fmt.Sprintf(format, args...)
		actions = append(actions, editor.Action{Title: title, Command: r.command(title, name)})
	}
	for _, mark := range here {
		add(mark.args(), "keep", "Keep %s", mark.Describe(now))
		add(mark.args(), "revert", "Revert %s", mark.Describe(now))
	}
	for _, e := range lists.Unique(lists.Map(here, func(mark Mark) *Edit { return mark.Edit })) {
		if lists.Sum(e.Steps, func(st Step) int { return st.Hunks }) > 1 { // when it was made
			add(Args{EditID: e.ID}, "revert", "Revert all of edit %s (%s by %s)", e.ID, e.Command, e.Author())
		}
	}
	for _, turn := range lists.Unique(lists.Map(here, func(mark Mark) *Turn { return mark.Edit.Turn })) {
		if turn == nil {
			continue
		}
		parts, err := m.Turn(turn.ID, nil)
		if n := CountEdits(parts); err == nil && n > 1 {
			title := fmt.Sprintf("Undo %s of %s (%s)", turn.Name(), parts[0].Edit.Author(), edits.Count(n, "edit"))
			actions = append(actions, editor.Action{Title: title, Command: editor.Command{Title: title, Command: "undo", Arguments: []any{map[string]string{"turn": turn.ID}}}})
		}
	}
	if len(marks) > 1 {
		add(Args{Path: doc.URI}, "keep", "Keep all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
		add(Args{Path: doc.URI}, "revert", "Revert all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
	}
	return actions
}

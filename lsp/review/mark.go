package review

import (
	"cmp"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Mark is what is left of one hunk of an agent's edit in one document.
type Mark struct {
	history.Hunk
	Edit *Edit
	Step Step
}

// HunkNumber is that of the hunk in the answer of the edit, from 1.
func (m Mark) HunkNumber() int { return m.Step.Before + m.Number }

// Marks returns what is marked in a document, open or closed, in the order of its text now,
// which comes along.
func (m *Log) Marks(docs *workspace.Documents, key paths.Key) ([]Mark, text.Text) {
	h := docs.History(key)
	if h == nil {
		return nil, text.Text{}
	}
	hunks, now := h.Hunks()
	if len(hunks) == 0 {
		return nil, now
	}
	steps := map[string]Mark{} // by id of the edit
	for _, e := range m.List() {
		for _, st := range e.Steps {
			if st.Target.Key == key && (st.Change == editor.Update || st.Change == editor.Create) {
				steps[e.ID] = Mark{Edit: e, Step: st}
			}
		}
	}
	var marks []Mark
	for _, hunk := range hunks {
		if left, ok := steps[hunk.ID]; ok {
			left.Hunk = hunk
			marks = append(marks, left)
		}
	}
	return marks, now
}

// Lines returns the first and the last line that a mark is on, from 0.
func (m Mark) Lines(t text.Text) (first, last int) {
	return t.LineAt(m.Start), t.LineAt(max(m.Start, m.End-1))
}

// Seen returns the lines where a mark is shown. Not every editor has a line behind the last
// newline, so a removal there is shown at the line before as well.
func (m Mark) Seen(t text.Text) (first, last int) {
	first, last = m.Lines(t)
	return min(first, max(t.Lines()-1, 0)), last
}

// Said words how much a mark is, and whose: "3 lines by claude".
func (m Mark) Said(t text.Text) string {
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

// maxName is how many characters of an agent's name are shown.
const maxName = 40

// Author is who made the edit, as one can show it.
func (e *Edit) Author() string { return Author(e.Agent) }

// Author returns the name of an agent in a form that can be shown.
func Author(agent string) string {
	return cmp.Or(paths.OneLine(agent, maxName), "an agent")
}

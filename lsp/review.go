package lsp

import (
	"cmp"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// What agents have changed is marked until the user has kept it, reverted it or closed
// the document. Where a mark is by now is in the document's history; whose it is, in what
// was made.

// mark is what is left of one hunk of an agent's edit in one document.
type mark struct {
	history.Hunk
	edit *madeEdit
	step madeStep
}

// number is that of the hunk in the answer of the edit, from 1.
func (m mark) number() int { return m.step.before + m.Number }

// marks returns those of a document, open or closed, in the order of its text now, which
// comes along.
func (s *server) marks(key paths.Key) ([]mark, text.Text) {
	h := s.docs.History(key)
	if h == nil {
		return nil, text.Text{}
	}
	hunks, now := h.Hunks()
	if len(hunks) == 0 {
		return nil, now
	}
	steps := map[string]mark{} // by id of the edit
	for _, e := range s.made.list() {
		for _, st := range e.steps {
			if st.target.Key == key && (st.kind == changeUpdate || st.kind == changeCreate) {
				steps[e.id] = mark{edit: e, step: st}
			}
		}
	}
	var marks []mark
	for _, hunk := range hunks {
		if m, ok := steps[hunk.ID]; ok {
			m.Hunk = hunk
			marks = append(marks, m)
		}
	}
	return marks, now
}

// lines returns the first and the last line that a mark is on, from 0.
func (m mark) lines(t text.Text) (first, last int) {
	return t.LineAt(m.Start), t.LineAt(max(m.Start, m.End-1))
}

// seen returns the lines where a mark is shown. Behind the last newline there is no line
// in every editor, so what was removed there is seen at the one before as well.
func (m mark) seen(t text.Text) (first, last int) {
	first, last = m.lines(t)
	return min(first, max(t.Lines()-1, 0)), last
}

// said words how much a mark is, and whose: "3 lines by claude".
func (m mark) said(t text.Text) string {
	first, last := m.lines(t)
	what := edits.Count(last-first+1, "line")
	switch {
	case m.Start < m.End:
	case m.Removed > 0:
		what = edits.Count(m.Removed, "line") + " removed"
	default:
		what = "text removed"
	}
	return what + " by " + m.edit.author()
}

// maxName is how many characters of an agent's name are shown.
const maxName = 40

// author is what the agent calls itself, as one can show it.
func (e *madeEdit) author() string {
	return cmp.Or(paths.OneLine(e.agent, maxName), "an agent")
}

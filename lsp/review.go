package lsp

import (
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// What agents have changed is marked until the person has kept it, reverted it or closed
// the document. Where a mark is by now is in the document's history; whose it is, in what
// was made.

// mark is what is left of one hunk of an agent's edit in one document.
type mark struct {
	workspace.Hunk
	edit *madeEdit
	step madeStep
}

// number is that of the hunk in the answer of the edit, from 1.
func (m mark) number() int { return m.step.before + m.Number }

// marks returns those of a document, open or closed, in the order of its text now, which
// comes along.
func (s *server) marks(key workspace.Key) ([]mark, text.Text) {
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

// longestName is how many characters of an agent's name are shown.
const longestName = 40

// author is what the agent calls itself, as one can show it.
func (e *madeEdit) author() string {
	name := []rune(strings.Join(strings.Fields(e.agent), " "))
	switch {
	case len(name) == 0:
		return "an agent"
	case len(name) > longestName:
		name = append(name[:longestName-1], '…')
	}
	return string(name)
}

// review are the arguments of keep and revert.
type review struct {
	EditID string `json:"edit_id,omitempty"`
	Path   string `json:"path,omitempty"`
	Hunk   int    `json:"hunk,omitempty"`
}

func (m mark) review() review { return review{EditID: m.edit.id, Hunk: m.number()} }

func (r review) command(title, name string) uiCommand {
	return uiCommand{Title: title, Command: prefix + name, Arguments: []any{r}}
}

// sides names the documents with the text of a file before and after an edit.
type sides struct {
	EditID string `json:"edit_id"`
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func (m mark) sides() sides {
	id, path := m.edit.id, m.step.given
	return sides{EditID: id, Path: path, Before: sideDocument(id, sideBefore, path), After: sideDocument(id, sideAfter, path)}
}

// reviewLenses returns what is shown over each mark.
func (s *server) reviewLenses(doc *workspace.Document) []lens {
	if !s.settings.Load().Review.CodeLens {
		return nil
	}
	marks, now := s.marks(doc.Key)
	var lenses []lens
	for _, m := range marks {
		at := position(now, m.Start, s.encoding)
		said := uiCommand{Title: m.said(now)}
		if s.client.Load().plugin.Diff {
			said.Command, said.Arguments = prefix+"showDiff", []any{m.sides()}
		}
		for _, c := range []uiCommand{m.review().command("patchls: keep", "keep"), m.review().command("revert", "revert"), said} {
			lenses = append(lenses, lens{Range: protocol.Range{Start: at, End: at}, Command: c})
		}
	}
	return lenses
}

// reviewActions returns the actions for the lines from to to, counted from 0.
func (s *server) reviewActions(doc *workspace.Document, from, to int) []codeAction {
	marks, now := s.marks(doc.Key)
	var here []mark
	for _, m := range marks {
		if first, last := m.lines(now); first <= to && from <= last {
			here = append(here, m)
		}
	}
	if len(here) == 0 {
		return nil
	}
	var actions []codeAction
	add := func(r review, name, format string, args ...any) {
		title := fmt.Sprintf(format, args...)
		actions = append(actions, codeAction{Title: title, Command: r.command(title, name)})
	}
	for _, m := range here {
		add(m.review(), "keep", "Keep %s", m.said(now))
		add(m.review(), "revert", "Revert %s", m.said(now))
	}
	var told []*madeEdit
	for _, m := range here {
		if !slices.Contains(told, m.edit) && m.edit.hunks() > 1 {
			told = append(told, m.edit)
			add(review{EditID: m.edit.id}, "revert", "Revert all of edit %s (%s by %s)", m.edit.id, m.edit.command, m.edit.author())
		}
	}
	if len(marks) > 1 {
		add(review{Path: doc.URI}, "keep", "Keep all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
		add(review{Path: doc.URI}, "revert", "Revert all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
	}
	if s.client.Load().shows.generatedTag {
		for i := range actions {
			actions[i].Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
		}
	}
	return actions
}

// hunks is how many the edit had when it was made.
func (e *madeEdit) hunks() int {
	n := 0
	for _, st := range e.steps {
		n += st.hunks
	}
	return n
}

// reviewHints returns a hint behind the first line of each mark that begins on the lines
// from to to, counted from 0.
func (s *server) reviewHints(doc *workspace.Document, from, to int) []inlayHint {
	if !s.settings.Load().Review.InlayHints {
		return nil
	}
	marks, now := s.marks(doc.Key)
	var hints []inlayHint
	for _, m := range marks {
		if first, _ := m.lines(now); from <= first && first <= to {
			at := now.LineStart(first)
			if first < now.Lines() {
				at = now.Line(first).End
			}
			hints = append(hints, inlayHint{Position: position(now, at, s.encoding), Label: m.said(now), PaddingLeft: true})
		}
	}
	return hints
}

// reviewDiagnostics returns a hint for each mark.
func (s *server) reviewDiagnostics(doc *workspace.Document) []protocol.Diagnostic {
	if !s.settings.Load().Review.Diagnostics {
		return nil
	}
	marks, now := s.marks(doc.Key)
	var hints []protocol.Diagnostic
	for _, m := range marks {
		hints = append(hints, protocol.Diagnostic{
			Range:    protocol.Range{Start: position(now, m.Start, s.encoding), End: position(now, m.End, s.encoding)},
			Severity: protocol.DiagnosticSeverityHint,
			Message:  protocol.String(fmt.Sprintf("%s (%s, edit %s): keep or revert", m.said(now), m.edit.command, m.edit.id)),
		})
	}
	return hints
}

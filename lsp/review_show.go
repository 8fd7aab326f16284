package lsp

import (
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace"
)

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
		first, _ := m.seen(now)
		at := protocol.Position{Line: uint32(first)} // an editor may put it over the very column
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
		if first, last := m.seen(now); first <= to && from <= last {
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

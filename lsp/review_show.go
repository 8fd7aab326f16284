package lsp

import (
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
)

// reviewArgs are the arguments of keep and revert.
type reviewArgs struct {
	EditID string `json:"edit_id,omitempty"`
	Path   string `json:"path,omitempty"`
	Hunk   int    `json:"hunk,omitempty"`
}

func reviewOf(m review.Mark) reviewArgs { return reviewArgs{EditID: m.Edit.ID, Hunk: m.HunkNumber()} }

func (r reviewArgs) command(title, name string) uiCommand {
	return uiCommand{Title: title, Command: prefix + name, Arguments: []any{r}}
}

// sides names the documents with the text of a file before and after an edit.
type sides struct {
	EditID string `json:"edit_id"`
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func sidesOf(m review.Mark) sides {
	id, path := m.Edit.ID, m.Step.Given
	return sides{EditID: id, Path: path, Before: sideDocument(id, sideBefore, path), After: sideDocument(id, sideAfter, path)}
}

// reviewLenses returns what is shown over each mark.
func (s *server) reviewLenses(doc *workspace.Document) []lens {
	if !s.settings.Load().Review.CodeLens {
		return nil
	}
	marks, now := s.made.Marks(s.docs, doc.Key)
	var lenses []lens
	for _, m := range marks {
		first, _ := m.Seen(now)
		at := protocol.Position{Line: uint32(first)} // an editor may put it over the very column
		said := uiCommand{Title: m.Said(now)}
		if s.client.Load().Plugin.Diff {
			said.Command, said.Arguments = prefix+"showDiff", []any{sidesOf(m)}
		}
		for _, c := range []uiCommand{reviewOf(m).command("patchls: keep", "keep"), reviewOf(m).command("revert", "revert"), said} {
			lenses = append(lenses, lens{Range: protocol.Range{Start: at, End: at}, Command: c})
		}
	}
	return lenses
}

// reviewActions returns the actions for the lines from to to, counted from 0.
func (s *server) reviewActions(doc *workspace.Document, from, to int) []codeAction {
	marks, now := s.made.Marks(s.docs, doc.Key)
	var here []review.Mark
	for _, m := range marks {
		if first, last := m.Seen(now); first <= to && from <= last {
			here = append(here, m)
		}
	}
	if len(here) == 0 {
		return nil
	}
	var actions []codeAction
	add := func(r reviewArgs, name, format string, args ...any) {
		title := fmt.Sprintf(format, args...)
		actions = append(actions, codeAction{Title: title, Command: r.command(title, name)})
	}
	for _, m := range here {
		add(reviewOf(m), "keep", "Keep %s", m.Said(now))
		add(reviewOf(m), "revert", "Revert %s", m.Said(now))
	}
	var told []*review.Edit
	for _, m := range here {
		if !slices.Contains(told, m.Edit) && m.Edit.Hunks() > 1 {
			told = append(told, m.Edit)
			add(reviewArgs{EditID: m.Edit.ID}, "revert", "Revert all of edit %s (%s by %s)", m.Edit.ID, m.Edit.Command, m.Edit.Author())
		}
	}
	if len(marks) > 1 {
		add(reviewArgs{Path: doc.URI}, "keep", "Keep all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
		add(reviewArgs{Path: doc.URI}, "revert", "Revert all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
	}
	if s.client.Load().Display.GeneratedTag {
		for i := range actions {
			actions[i].Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
		}
	}
	return actions
}

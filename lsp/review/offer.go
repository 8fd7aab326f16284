package review

import (
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

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
	var here []Mark
	for _, mark := range marks {
		if first, last := mark.ShownLines(now); first <= to && from <= last {
			here = append(here, mark)
		}
	}
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
	var told []*Edit
	for _, mark := range here {
		if !slices.Contains(told, mark.Edit) && mark.Edit.Hunks() > 1 {
			told = append(told, mark.Edit)
			add(Args{EditID: mark.Edit.ID}, "revert", "Revert all of edit %s (%s by %s)", mark.Edit.ID, mark.Edit.Command, mark.Edit.Author())
		}
	}
	if len(marks) > 1 {
		add(Args{Path: doc.URI}, "keep", "Keep all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
		add(Args{Path: doc.URI}, "revert", "Revert all that agents changed in this file (%s)", edits.Count(len(marks), "hunk"))
	}
	return actions
}

package lsp

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// reviewed returns the parts of edits that keep or revert is about, the newest first. A
// file alone means what is marked in it; an edit means all of it, kept or not.
func (s *caller) reviewed(r review.Args) ([]part, error) {
	var place paths.Target
	if r.Path != "" {
		var err error
		if place, err = s.workspace().Resolve(r.Path); err != nil {
			return nil, err
		}
	}
	if r.EditID == "" {
		return s.reviewedIn(place, r)
	}
	e := s.made.Find(r.EditID, place.Identity())
	if e == nil {
		return nil, s.nothingToUndo(r.EditID, r.Path)
	}
	var parts []part
	for _, pt := range partsOf(e) {
		st := pt.step
		number := r.Hunk - st.Before
		if r.Path != "" {
			number = r.Hunk
		}
		switch {
		case r.Path != "" && st.Target.Identity() != place.Identity():
		case r.Hunk == 0:
			parts = append(parts, pt)
		case 1 <= number && number <= st.Hunks && st.Change == editor.Update:
			return []part{{edit: e, step: st, hunks: []int{number}}}, nil
		case 1 <= number && number <= st.Hunks:
			return []part{pt}, nil // the file came or went as a whole
		}
	}
	switch {
	case len(parts) == 0 && r.Hunk == 0: // the file had that name before the edit
		return nil, s.nothingToUndo(r.EditID, r.Path)
	case len(parts) == 0:
		return nil, &edits.Error{Kind: commands.NothingToUndo, Path: r.Path, Message: fmt.Sprintf(
			"Edit %s has no hunk %d, or none any more; hunks are numbered as in the edit's answer, from 1 through all of its files.", r.EditID, r.Hunk)}
	}
	return parts, nil
}

// reviewedIn is [caller.reviewed] for what is marked in a file, the hunks of which are
// counted from the top.
func (s *caller) reviewedIn(place paths.Target, r review.Args) ([]part, error) {
	marks, _ := s.made.Marks(s.docs, place.Key)
	switch {
	case len(marks) == 0:
		return nil, &edits.Error{Kind: commands.NothingToUndo, Path: place.Path, Message: fmt.Sprintf(
			"There is no hunk of an agent's edit in %s that is still to be reviewed.", place.Path)}
	case r.Hunk > len(marks):
		return nil, &edits.Error{Kind: commands.NothingToUndo, Path: place.Path, Message: fmt.Sprintf(
			"There is no hunk %d in %s; agents' edits have %s there that %s still to be reviewed.",
			r.Hunk, place.Path, edits.Count(len(marks), "hunk"), isAre(len(marks)))}
	case r.Hunk > 0:
		marks = marks[r.Hunk-1 : r.Hunk]
	}
	var parts []part
	for _, e := range slices.Backward(s.made.List()) {
		pt := part{edit: e}
		for _, m := range marks {
			if m.Edit.ID == e.ID {
				pt.step, pt.hunks = m.Step, append(pt.hunks, m.Number)
			}
		}
		if len(pt.hunks) > 0 {
			if pt.step.Change == editor.Create {
				pt.hunks = nil
			}
			parts = append(parts, pt)
		}
	}
	return parts, nil
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

type keepArgs struct {
	EditID string `json:"edit_id,omitempty" jsonschema:"the edit, as its result called it"`
	Path   string `json:"path,omitempty" jsonschema:"a file: without edit_id all that agents have changed there and nobody has reviewed; with it that part of the edit"`
	Hunk   int    `json:"hunk,omitempty" jsonschema:"one hunk only: of an edit the number that it has in the edit's answer, through all files; of a file the number from the top; 0 is all"`
}

// Kept is the answer of keep.
type Kept struct {
	Message string `json:"message"`
	Hunks   int    `json:"hunks"` // that were marked, and are not any more
}

func keep(_ context.Context, s *caller, args keepArgs) (any, error) {
	r := review.Args(args)
	if err := r.Check("keep"); err != nil {
		return nil, err
	}
	parts, err := s.reviewed(r)
	if err != nil {
		return nil, err
	}
	kept := &Kept{}
	var names []string
	var histories []*history.History
	for _, pt := range parts {
		h := s.docs.History(pt.step.Target.Key)
		if h == nil {
			continue
		}
		if !slices.Contains(histories, h) {
			before, _ := h.Hunks()
			kept.Hunks += len(before)
			histories = append(histories, h)
		}
		h.Keep(pt.edit.ID, pt.hunks...)
		if !slices.Contains(names, pt.step.Given) {
			names = append(names, pt.step.Given)
		}
	}
	for _, h := range histories {
		after, _ := h.Hunks()
		kept.Hunks -= len(after)
	}
	kept.Message = fmt.Sprintf("Kept %s in %s.", reviewedName(r, parts), edits.Listed(names))
	if kept.Hunks == 0 {
		kept.Message = fmt.Sprintf("Nothing of %s is marked any more.", reviewedName(r, parts))
	}
	s.logDone(kept.Message) // it may be the agent who takes the marks off what it did
	s.reviewChanged()
	return kept, nil
}

// reviewedName words what was kept or reverted.
func reviewedName(r review.Args, parts []part) string {
	switch hunks := len(slices.Concat(hunksOf(parts)...)); {
	case r.EditID == "" && hunks != 1:
		return edits.Count(hunks, "hunk")
	case r.EditID == "" || r.Hunk > 0:
		number := 1 // of a file that came or went as a whole
		if len(parts[0].hunks) > 0 {
			number = parts[0].hunks[0]
		}
		return fmt.Sprintf("hunk %d of edit %s", parts[0].step.Before+number, parts[0].edit.ID)
	}
	return "edit " + parts[0].edit.ID
}

func hunksOf(parts []part) [][]int {
	all := make([][]int, len(parts))
	for i, pt := range parts {
		all[i] = pt.hunks
		if len(pt.hunks) == 0 {
			all[i] = make([]int, pt.step.Hunks)
		}
	}
	return all
}

type revertArgs struct {
	keepArgs
	commands.EditOptions
}

// revert takes hunks of agents' edits back.
func (s *caller) revert(ctx context.Context, arrival *workspace.Turn, name string, args revertArgs) (*Result, error) {
	r := review.Args(args.keepArgs)
	if err := r.Check(name); err != nil {
		return nil, err
	}
	var parts []part
	return s.takeBack(ctx, arrival, takingBack{
		command: name, EditOptions: args.EditOptions,
		texts: s.undoTexts(r.EditID, r.Path),
		parts: func() (_ []part, err error) { parts, err = s.reviewed(r); return parts, err },
		words: func(res *Result) string {
			return fmt.Sprintf("Reverted %s in %s.", reviewedName(r, parts), edits.Listed(res.paths()))
		},
	})
}

// reviewLenses returns what is shown over each mark.
func (s *server) reviewLenses(doc *workspace.Document) []editor.Lens {
	if !s.settings.Load().Review.CodeLens {
		return nil
	}
	var diff func(id, path string) any
	if s.client.Load().Plugin.Diff {
		diff = func(id, path string) any { return proposal.SidesOf(id, path) }
	}
	return s.made.Lenses(s.docs, doc.Key, diff)
}

// reviewChanged has the editor ask for the code lenses again after agents have changed
// something, or the user has reviewed it. When the user types, editors ask by themselves.
func (s *server) reviewChanged() {
	if s.settings.Load().Review.CodeLens {
		s.refreshLenses()
	}
}

// refreshLenses has the editor ask for the code lenses again, if it can be asked to.
func (s *server) refreshLenses() {
	if s.client.Load().Display.LensRefresh {
		s.lensRefresh.Ask(s.rpc, protocol.MethodWorkspaceCodeLensRefresh)
	}
}

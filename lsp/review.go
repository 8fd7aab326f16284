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
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// reviewed returns the parts of edits that keep or revert is about, the newest first. A
// file alone means what is marked in it; an edit means all of it, kept or not.
func (s *caller) reviewed(r review.Args) ([]transaction.Part, error) {
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
		return nil, s.session.NothingToUndo(r.EditID, r.Path)
	}
	var parts []transaction.Part
	for _, pt := range transaction.PartsOf(e) {
		st := pt.Step
		number := r.Hunk - st.Before
		if r.Path != "" {
			number = r.Hunk
		}
		switch {
		case r.Path != "" && st.Target.Identity() != place.Identity():
		case r.Hunk == 0:
			parts = append(parts, pt)
		case 1 <= number && number <= st.Hunks && st.Change == editor.Update:
			return []transaction.Part{{Edit: e, Step: st, Hunks: []int{number}}}, nil
		case 1 <= number && number <= st.Hunks:
			return []transaction.Part{pt}, nil // the file came or went as a whole
		}
	}
	switch {
	case len(parts) == 0 && r.Hunk == 0: // the file had that name before the edit
		return nil, s.session.NothingToUndo(r.EditID, r.Path)
	case len(parts) == 0:
		return nil, &edits.Error{Kind: commands.NothingToUndo, Path: r.Path, Message: fmt.Sprintf(
			"Edit %s has no hunk %d, or none any more; hunks are numbered as in the edit's answer, from 1 through all of its files.", r.EditID, r.Hunk)}
	}
	return parts, nil
}

// reviewedIn is [caller.reviewed] for what is marked in a file, the hunks of which are
// counted from the top.
func (s *caller) reviewedIn(place paths.Target, r review.Args) ([]transaction.Part, error) {
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
	var parts []transaction.Part
	for _, e := range slices.Backward(s.made.List()) {
		pt := transaction.Part{Edit: e}
		for _, m := range marks {
			if m.Edit.ID == e.ID {
				pt.Step, pt.Hunks = m.Step, append(pt.Hunks, m.Number)
			}
		}
		if len(pt.Hunks) > 0 {
			if pt.Step.Change == editor.Create {
				pt.Hunks = nil
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
		h := s.docs.History(pt.Step.Target.Key)
		if h == nil {
			continue
		}
		if !slices.Contains(histories, h) {
			before, _ := h.Hunks()
			kept.Hunks += len(before)
			histories = append(histories, h)
		}
		h.Keep(pt.Edit.ID, pt.Hunks...)
		if !slices.Contains(names, pt.Step.Given) {
			names = append(names, pt.Step.Given)
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
func reviewedName(r review.Args, parts []transaction.Part) string {
	switch hunks := len(slices.Concat(hunksOf(parts)...)); {
	case r.EditID == "" && hunks != 1:
		return edits.Count(hunks, "hunk")
	case r.EditID == "" || r.Hunk > 0:
		number := 1 // of a file that came or went as a whole
		if len(parts[0].Hunks) > 0 {
			number = parts[0].Hunks[0]
		}
		return fmt.Sprintf("hunk %d of edit %s", parts[0].Step.Before+number, parts[0].Edit.ID)
	}
	return "edit " + parts[0].Edit.ID
}

func hunksOf(parts []transaction.Part) [][]int {
	all := make([][]int, len(parts))
	for i, pt := range parts {
		all[i] = pt.Hunks
		if len(pt.Hunks) == 0 {
			all[i] = make([]int, pt.Step.Hunks)
		}
	}
	return all
}

type revertArgs struct {
	keepArgs
	commands.EditOptions
}

// revert takes hunks of agents' edits back.
func (s *caller) revert(ctx context.Context, arrival *workspace.Turn, name string, args revertArgs) (*transaction.Result, error) {
	r := review.Args(args.keepArgs)
	if err := r.Check(name); err != nil {
		return nil, err
	}
	var parts []transaction.Part
	return s.session.TakeBack(ctx, arrival, transaction.TakingBack{
		Command: name, EditOptions: args.EditOptions,
		Texts: s.session.UndoTexts(r.EditID, r.Path),
		Parts: func() (_ []transaction.Part, err error) { parts, err = s.reviewed(r); return parts, err },
		Words: func(res *transaction.Result) string {
			return fmt.Sprintf("Reverted %s in %s.", reviewedName(r, parts), edits.Listed(res.Paths()))
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

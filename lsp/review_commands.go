package lsp

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
)

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
	r := reviewArgs(args)
	if err := r.check("keep"); err != nil {
		return nil, err
	}
	parts, err := s.reviewed(r)
	if err != nil {
		return nil, err
	}
	kept := &Kept{}
	var paths []string
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
		if !slices.Contains(paths, pt.step.Given) {
			paths = append(paths, pt.step.Given)
		}
	}
	for _, h := range histories {
		after, _ := h.Hunks()
		kept.Hunks -= len(after)
	}
	kept.Message = fmt.Sprintf("Kept %s in %s.", reviewedName(r, parts), edits.Listed(paths))
	if kept.Hunks == 0 {
		kept.Message = fmt.Sprintf("Nothing of %s is marked any more.", reviewedName(r, parts))
	}
	s.logDone(kept.Message) // it may be the agent who takes the marks off what it did
	s.reviewChanged()
	return kept, nil
}

// reviewedName words what was kept or reverted.
func reviewedName(r reviewArgs, parts []part) string {
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
	r := reviewArgs(args.keepArgs)
	if err := r.check(name); err != nil {
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

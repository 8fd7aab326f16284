package lsp

import (
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace/paths"
)

// check refuses arguments that name nothing.
func (r reviewArgs) check(command string) error {
	switch {
	case r.EditID == "" && r.Path == "":
		return schema.Invalid(`%s takes "edit_id" or "path"`, command)
	case r.Hunk < 0:
		return schema.Invalid(`"hunk" must be 0 (all) or the number of a hunk, from 1`)
	}
	return nil
}

// reviewed returns the parts of edits that keep or revert is about, the newest first. A
// file alone means what is marked in it; an edit means all of it, kept or not.
func (s *caller) reviewed(r reviewArgs) ([]part, error) {
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
func (s *caller) reviewedIn(place paths.Target, r reviewArgs) ([]part, error) {
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

package patchplan

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/workspace/paths"
)

// wasApplied is the error of a patch that was applied before, as a whole: what it
// changes reads as it would have it, what it deletes is gone, and what it moves is
// where it moves it. nil if that is not so. faults are those of the parts, by
// their numbers from 0.
func (p *Plan) wasApplied(sent patch.Patch, faults map[int]*edits.Error) error {
	var notes []string
	for i, part := range sent.Files {
		err, failed := faults[i]
		if !failed {
			continue
		}
		if p.in.Work.Err() != nil {
			return nil //nolint:nilerr // the error of the plan says so
		}
		note, ok := p.AlreadyApplied(part)
		if !ok || err.Kind != paths.FileNotFound {
			return nil
		}
		notes = append(notes, note)
	}
	// That a file is not there says little: its name may be wrong.
	told := false
	for _, f := range p.Files {
		if f.err == nil && f.Changed() != "" {
			return nil
		}
		told = told || f.err == nil
		notes = append(notes, f.InPlace...)
	}
	for _, part := range sent.Files {
		told = told || part.NewPath != ""
	}
	if !told {
		return nil
	}
	return &edits.Error{Kind: edits.AlreadyApplied, Message: "Nothing is left to do: " + strings.Join(notes, " ")}
}

// AlreadyApplied reports whether a part whose file is not there has been done before, and says
// so in a sentence.
func (p *Plan) AlreadyApplied(part patch.File) (note string, ok bool) {
	w := p.in.Workspace()
	if part.Op == patch.DeleteFile {
		return fmt.Sprintf("%s is gone already.", part.Path), true
	}
	if part.NewPath == "" {
		return "", false
	}
	to, err := w.Resolve(part.NewPath)
	if err != nil {
		return "", false
	}
	snap, err := w.Read(to)
	if err != nil {
		return "", false
	}
	if len(part.Hunks) > 0 {
		_, err := place.Plan(part, p.in.Source(to.Path, snap.Text), p.how)
		if !edits.IsKind(err, edits.AlreadyApplied) && !edits.IsKind(err, edits.NoChange) {
			return "", false
		}
	}
	return fmt.Sprintf("%s is at %s already.", part.Path, to.Path), true
}

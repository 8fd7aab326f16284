package patchplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace/paths"
)

// Idle returns the error of a patch that leaves nothing to do, nil for any other.
func (p *Plan) Idle() error {
	var names, notes []string
	var said error
	for _, f := range p.Files {
		if f.Changed() != "" {
			return nil
		}
		names = append(names, f.PatchName)
		notes = append(notes, f.InPlace...)
		said = f.idle
	}
	switch {
	case len(notes) == 0:
		return edits.Errorf(edits.NoChange, "The patch changes nothing in %s.", edits.Listed(names))
	case len(p.Files) > 1:
		return &edits.Error{Kind: edits.AlreadyApplied, Message: "Nothing is left to do: " + strings.Join(notes, " ")}
	case said == nil:
		return &edits.Error{Kind: edits.AlreadyApplied, Path: p.Files[0].PatchName, File: 1, Message: notes[0]}
	}
	full := *edits.Failure(said)
	full.Path, full.Rev, full.File = p.Files[0].PatchName, p.Files[0].Was.Text.Hash(), p.Files[0].Number
	return &full
}

// Refused calls each for the files where the patch fails: the errors may show lines of these texts.
func (p *Plan) Refused(each func(paths.Key, text.Text)) {
	for _, f := range p.Files {
		if f.err != nil && f.Was.Exists {
			each(f.Was.Key, f.Was.Text)
		}
	}
}

// maxFaults bounds the failing parts, besides the first, that an error explains.
const maxFaults = 5

// refused returns the error of a patch of which some parts fail: the first part's error, which
// also says what would happen to the others.
func (p *Plan) refused(sent patch.Patch, faults []*edits.Error) error {
	failed := slices.DeleteFunc(slices.Clone(faults), func(e *edits.Error) bool { return e == nil })
	if !slices.ContainsFunc(sent.Files, func(part patch.File) bool { return part.Path != sent.Files[0].Path }) {
		return failed[0]
	}
	var good []string
	for _, f := range p.Files {
		if f.err == nil && !slices.Contains(good, f.PatchName) {
			good = append(good, f.PatchName)
		}
	}
	first := *failed[0]
	first.Message += " No file was changed"
	switch len(good) {
	case 0:
	case 1:
		first.Message += "; " + good[0] + " would take its part"
	default:
		first.Message += "; " + edits.Listed(good) + " would take their parts"
	}
	for _, e := range failed[1:min(len(failed), 1+maxFaults)] {
		first.Message += fmt.Sprintf(", and %s fails as well: %s", cmp.Or(e.Path, "a part"), strings.TrimSuffix(e.Message, "."))
	}
	if more := len(failed) - 1 - maxFaults; more > 0 {
		first.Message += fmt.Sprintf(", and %d more fail", more)
	}
	first.Message += "."
	return &first
}

// wasApplied returns the error of a patch that was applied before, as a whole: the files that it
// changes have its text, those that it deletes do not exist, and those that it moves have their
// new names. It returns nil for any other. faults are the errors of the parts.
func (p *Plan) wasApplied(sent patch.Patch, faults []*edits.Error) error {
	var notes []string
	moves := false
	for i, part := range sent.Files {
		if moves = moves || part.NewPath != ""; faults[i] == nil {
			continue
		}
		if p.in.Work.Err() != nil || faults[i].Kind != edits.FileNotFound {
			return nil //nolint:nilerr // the command ends, and says so itself
		}
		note, ok := p.AlreadyApplied(part)
		if !ok {
			return nil
		}
		notes = append(notes, note)
	}
	// A missing file says little: its name may be wrong.
	known := moves
	for _, f := range p.Files {
		if f.err == nil && f.Changed() != "" {
			return nil
		}
		known = known || f.err == nil
		notes = append(notes, f.InPlace...)
	}
	if !known {
		return nil
	}
	return &edits.Error{Kind: edits.AlreadyApplied, Message: "Nothing is left to do: " + strings.Join(notes, " ")}
}

// AlreadyApplied reports whether a part whose file does not exist was applied before, and says so in a sentence.
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
	snap, err := w.Terse().Read(to)
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

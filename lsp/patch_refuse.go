package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
)

// idle is the error of a patch that leaves nothing to do.
func (p *patching) idle() error {
	var names, notes []string
	var said error
	for _, f := range p.files {
		if f.changed() != "" {
			return nil
		}
		names = append(names, f.given)
		notes = append(notes, f.inPlace...)
		said = f.idle
	}
	switch {
	case len(notes) == 0:
		return &edits.Error{Kind: edits.NoChange, Message: fmt.Sprintf("The patch changes nothing in %s.", listed(names))}
	case len(p.files) > 1:
		return &edits.Error{Kind: edits.AlreadyApplied, Message: "Nothing is left to do: " + strings.Join(notes, " ")}
	case said == nil:
		return &edits.Error{Kind: edits.AlreadyApplied, Path: p.files[0].given, File: 1, Message: notes[0]}
	}
	full := *errorOf(said)
	full.Path, full.Rev, full.File = p.files[0].given, p.files[0].was.Text.Hash(), p.files[0].number
	return &full
}

// refused is the error of a patch of which some parts fail. It is the first
// one's, and says what of the others.
func (p *patching) refused(failed []*edits.Error) error {
	if !p.several {
		return failed[0]
	}
	var good []string
	for _, f := range p.files {
		if f.err == nil && !slices.Contains(good, f.given) {
			good = append(good, f.given)
		}
	}
	first := *failed[0]
	first.Message += " No file was changed"
	switch len(good) {
	case 0:
	case 1:
		first.Message += "; " + good[0] + " would take its part"
	default:
		first.Message += "; " + listed(good) + " would take their parts"
	}
	for _, e := range failed[1:min(len(failed), 1+maxListed)] {
		first.Message += fmt.Sprintf(", and %s fails as well: %s", cmp.Or(e.Path, "a part"), strings.TrimSuffix(e.Message, "."))
	}
	if more := len(failed) - 1 - maxListed; more > 0 {
		first.Message += fmt.Sprintf(", and %d more fail", more)
	}
	first.Message += "."
	return &first
}

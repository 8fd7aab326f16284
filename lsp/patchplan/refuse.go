package patchplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/editor"
)

// Idle is the error of a patch that leaves nothing to do.
func (p *Plan) Idle() error {
	var names, notes []string
	var said error
	for _, f := range p.Files {
		if f.Changed() != "" {
			return nil
		}
		names = append(names, f.Given)
		notes = append(notes, f.InPlace...)
		said = f.idle
	}
	switch {
	case len(notes) == 0:
		return &edits.Error{Kind: edits.NoChange, Message: fmt.Sprintf("The patch changes nothing in %s.", edits.Listed(names))}
	case len(p.Files) > 1:
		return &edits.Error{Kind: edits.AlreadyApplied, Message: "Nothing is left to do: " + strings.Join(notes, " ")}
	case said == nil:
		return &edits.Error{Kind: edits.AlreadyApplied, Path: p.Files[0].Given, File: 1, Message: notes[0]}
	}
	full := *editor.Failure(said)
	full.Path, full.Rev, full.File = p.Files[0].Given, p.Files[0].Was.Text.Hash(), p.Files[0].Number
	return &full
}

// maxFaults is of how many parts, besides the first, an error says why they fail.
const maxFaults = 5

// refused is the error of a patch of which some parts fail. It is the first
// one's, and says what of the others.
func (p *Plan) refused(failed []*edits.Error) error {
	if !p.several {
		return failed[0]
	}
	var good []string
	for _, f := range p.Files {
		if f.err == nil && !slices.Contains(good, f.Given) {
			good = append(good, f.Given)
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

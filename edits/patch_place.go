package edits

import (
	"fmt"
)

// Placing says how hunks find their places.
type Placing struct {
	Exact bool // context and deleted lines must be there byte for byte
	First bool // of several places the first one below the hunk before counts
}

// Plan returns the edits of all hunks. Each must have exactly one place; they
// may stand in any order, and must not meet.
func (f FilePatch) Plan(src Source, how Placing) (Plan, error) {
	changes := make([]lineChange, len(f.Hunks))
	for i, h := range f.Hunks {
		at, err := src.place(h, i+1)
		if err != nil {
			return Plan{}, err
		}
		changes[i] = h.trimmed(at)
	}
	sortChanges(changes)
	if line := overlap(changes); line > 0 {
		return Plan{}, &Error{Kind: Overlapping, Message: fmt.Sprintf("Two hunks meet at line %d of %s.", line, src.Path)}
	}
	p, err := src.planLines(changes)
	if err != nil {
		return Plan{}, err
	}
	p.Message = fmt.Sprintf("Patched 1 file: %s.", src.countLines(changes))
	return p, nil
}

// trimmed returns the change of h at line at, without the context around it.
func (h PatchHunk) trimmed(at int) lineChange {
	o, n := h.Old(), h.New()
	for len(o) > 0 && len(n) > 0 && o[0] == n[0] {
		o, n = o[1:], n[1:]
		at++
	}
	for len(o) > 0 && len(n) > 0 && o[len(o)-1] == n[len(n)-1] {
		o, n = o[:len(o)-1], n[:len(n)-1]
	}
	return lineChange{from: at, to: at + len(o), lines: n}
}

// place returns the line, from 0, at which h's old lines stand.
func (src Source) place(h PatchHunk, number int) (int, error) {
	if len(h.Old()) == 0 {
		return 0, &Error{Kind: ContextNotFound, Hunk: number, Message: fmt.Sprintf(
			"Hunk %d for %s has no context: quote at least one line that is there.", number, src.Path)}
	}
	switch places := src.placesOf(h.Old()); len(places) {
	case 1:
		return places[0], nil
	case 0:
		return 0, &Error{Kind: ContextNotFound, Hunk: number, Message: fmt.Sprintf(
			"Hunk %d (line %d of the patch) has no place in %s: its context and deleted lines must be there exactly as quoted. View the file and copy them.",
			number, h.Line, src.Path)}
	default:
		matches, where := linePlaces(places)
		return 0, &Error{Kind: ContextAmbiguous, Hunk: number, Matches: matches, Message: fmt.Sprintf(
			"Hunk %d (line %d of the patch) has %d places in %s, at %s; add context lines so that it is unique.",
			number, h.Line, len(places), src.Path, where)}
	}
}

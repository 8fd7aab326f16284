package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/nearest"
	"github.com/patchls/patchls/edits/text"
)

// tierNotes say what was passed over at a tier.
var tierNotes = map[edits.Tier]string{
	edits.LineEnds:      "The line ends of old_str differ from the text's, which were kept.",
	edits.TrailingSpace: "Blanks at the ends of lines differ between old_str and the text; those of lines that stay were kept.",
	edits.Indentation:   "The indentation of old_str differs from the text's; new lines were given the text's.",
	edits.Unicode:       "old_str has look-alikes of characters in the text (quotes, dashes, blanks or normal forms); characters that stay were kept.",
	edits.LineNumbers:   "The line numbers that old_str quotes were taken off; among several places they choose.",
	edits.Anchor:        "The lines that old_str leaves out between its pieces were kept.",
	edits.BlankLines:    "Blank lines differ between old_str and the text, which were kept.",
}

// locate looks for old in src at all tiers, or at Exact alone. hint is the line,
// from 1, that old itself names, 0 if it names none.
func (src source) locate(old, put string, lenient, overlapping bool) (places []found, hint int) {
	places = src.search(old, put, lenient, overlapping)
	if len(places) == 0 && lenient {
		if numbers, ok := numberingOf(old); ok && strings.TrimSpace(numbers.bare) != "" {
			places, hint = src.searchLines(numbers.bare, numbers.cut(put), true, overlapping), numbers.first
			retier(places, edits.LineNumbers)
		}
	}
	for _, read := range rereadings {
		if len(places) > 0 || !lenient {
			break
		}
		if o, p, ok := read.as(old, put); ok {
			places = src.search(o, p, true, overlapping)
			retier(places, edits.Escapes)
			for i := range places {
				places[i].why = read.note
			}
		}
	}
	if len(places) == 0 && lenient {
		places = src.searchReread(old, put)
	}
	addNotes(places)
	return places, hint
}

// retier names the tier that led to places; the one that found them stays in
// the notes.
func retier(places []found, tier edits.Tier) {
	for i := range places {
		if places[i].tier != edits.Exact {
			places[i].notes = []string{tierNotes[places[i].tier]}
		}
		places[i].tier = tier
	}
}

// addNotes notes on each place what was passed over there. Places share what is
// the same.
func addNotes(places []found) {
	for i := range places {
		switch p := &places[i]; {
		case p.tier == edits.Exact:
			p.notes = nil
		case i > 0 && p.tier == places[0].tier:
			p.notes = places[0].notes
		case p.why != "":
			p.notes = append([]string{p.why}, p.notes...)
		default:
			p.notes = append([]string{tierNotes[p.tier]}, p.notes...)
		}
	}
}

// wholeLines reports whether a place begins and ends with its lines, but for
// blanks.
func (src source) wholeLines(p found) bool {
	start := src.lineContentStart(p.start)
	first := diff.FirstLine(src.Text.Slice(p.start, p.end))
	if start != src.Text.LineStart(src.Text.LineAt(p.start)) && text.Terminator(first) != first {
		return false
	}
	last := src.Text.Line(src.Text.LineAt(p.end))
	switch {
	case p.end == last.Start:
		return true
	case p.end > last.End: // between "\r" and "\n"
		return false
	}
	return strings.Trim(src.Text.Slice(p.end, last.End), " \t") == ""
}

// notFound returns the error for an old text that has no place, with what would
// help most: a loose match, that the new text is there already, or what comes nearest.
func (c Replace) notFound(src source) *edits.Error {
	if !c.Lenient {
		if e := c.looselyFound(src); e != nil {
			return e
		}
	}
	there, isThere := onlyPlace(src.Text, c.New)
	isThere = isThere && tellsMuch(c.New) && !src.cutsWords(there.Start, there.End)
	if places, _ := src.locate(c.Old, c.New, true, true); isThere && len(places) == 0 && src.sharesWhatStandsOnce(unixLines(c.Old), unixLines(c.New)) {
		return &edits.Error{Kind: edits.AlreadyApplied, Message: fmt.Sprintf(
			"Already applied: new_str stands in %s at line %d, and old_str does not occur; nothing was changed.",
			src.Path, src.Text.LineAt(there.Start)+1)}
	}
	e := &edits.Error{Kind: edits.NoMatch}
	var more string
	found, _ := nearest.Find(src.Source, c.Old, src.mostCandidates()+1)
	e.Candidates, more = src.offered(found)
	if isThere {
		more += fmt.Sprintf(" new_str stands at line %d already.", src.Text.LineAt(there.Start)+1)
	}
	if len(e.Candidates) == 0 {
		if other := c.otherCase(src); other != nil {
			return other
		}
		e.Message = fmt.Sprintf("Text not found in %s, and nothing in it comes near. View the file and copy the text from it.", src.Path) + more
		return e
	}
	best := e.Candidates[0]
	old, put, _, whole := CutLines(c.Old, c.New)
	e.Message = fmt.Sprintf("Text not found in %s; the closest is %s. View it and send the text as it stands.", src.Path, words(best, old))
	if whole && !c.All {
		e.Suggestion = src.carriedOver(old, put, e.Candidates)
	}
	if e.Suggestion != nil {
		e.Message += carriedWords
	}
	e.Message += more
	return e
}

// looselyFound returns the error for an old text that a loose tier finds, nil if none does.
func (c Replace) looselyFound(src source) *edits.Error {
	c.Lenient = true
	places, err := c.places(src)
	if e, is := errors.AsType[*edits.Error](err); is && e.Kind == edits.AlreadyApplied {
		return e
	}
	if err != nil || c.All && len(places) > 1 && places[0].tier != edits.Anchor {
		return nil //nolint:nilerr // that there is none is no error of its own
	}
	first, last := places[0], places[len(places)-1]
	e := &edits.Error{Kind: edits.NoMatch, Suggestion: c.suggestion(src, places)}
	advice := "send match: \"lenient\""
	if e.Suggestion != nil {
		advice = "The suggestion is the call that would succeed; or " + advice
	} else {
		advice = "To take it, " + advice
	}
	e.Message = fmt.Sprintf("Text not found in %s as it was sent, but there is a place at %s that differs by %s. %s.",
		src.Path, edits.LineRange(src.Text.LineAt(first.start)+1, src.Text.LineAt(max(last.start, last.end-1))+1), tierWords[first.tier], advice)
	first.end = last.end
	e.Candidates = []edits.Candidate{src.candidateAt(first)}
	return e
}

// cutsWords reports whether a range begins or ends within a word.
func (src source) cutsWords(start, end int) bool {
	first, last := src.Text.LineAt(start), src.Text.LineAt(end)
	from, to := min(start, src.Text.LineStart(first)), src.Text.Len()
	if last < src.Text.Lines() {
		to = src.Text.Line(last).Next
	}
	around := src.Text.Slice(from, to)
	return cutsWord(around, start-from) || cutsWord(around, end-from)
}

// tellsMuch reports whether s is enough of a text that finding it means
// something.
func tellsMuch(s string) bool {
	t := strings.TrimSpace(s)
	return len(t) >= 10 || strings.Contains(t, "\n")
}

// tierWords word what a loose match passes over.
var tierWords = map[edits.Tier]string{
	edits.LineEnds:      "line ends",
	edits.TrailingSpace: "blanks at the ends of lines",
	edits.Indentation:   "indentation",
	edits.Unicode:       "look-alike characters",
	edits.LineNumbers:   "the line numbers that were quoted",
	edits.Escapes:       `escapes in place of what they stand for`,
	edits.Anchor:        "the lines that are left out",
	edits.BlankLines:    "blank lines",
}

// suggestion is the call that does at places, which are in order, exactly what c asks
// for; nil if it would not.
func (c Replace) suggestion(src source, places []found) *edits.Suggestion {
	regions := make([]region, len(places))
	for i, p := range places {
		regions[i] = p.region
	}
	want, err := src.plan(regions)
	if err != nil {
		return nil
	}
	first, last := places[0], places[len(places)-1]
	r := Replace{Old: unixLines(src.Text.Slice(first.start, last.end)), New: unixLines(src.joined(regions))}
	for _, near := range []int{0, src.Text.LineAt(first.start) + 1} {
		r.NearLine = near
		got, err := r.Plan(src.Source)
		if err != nil || got.Edits.Apply(src.Text).String() != want.Edits.Apply(src.Text).String() {
			continue
		}
		arguments := map[string]any{"path": src.Path, "old_str": r.Old, "new_str": r.New}
		if near > 0 {
			arguments["near_line"] = near
		}
		return &edits.Suggestion{Command: "str_replace", Arguments: arguments}
	}
	return nil
}

// candidateAt is the candidate that a loose place is.
func (src source) candidateAt(p found) edits.Candidate {
	return edits.Candidate{
		StartLine: src.Text.LineAt(p.start) + 1, EndLine: src.Text.LineAt(max(p.start, p.end-1)) + 1,
		Similarity: 1, Difference: string(p.tier), Text: unixLines(src.Text.Slice(p.start, p.end)),
	}
}

package command

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/nearest"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/reread"
	"github.com/patchls/patchls/edits/text"
)

// tierWords describe what is passed over at a tier: words for an error, and a note.
var tierWords = map[edits.Tier]struct{ words, note string }{
	edits.LineEnds:      {"line ends", "The line ends of old_str differ from the text's, which were kept."},
	edits.TrailingSpace: {"blanks at the ends of lines", "Blanks at the ends of lines differ between old_str and the text; those of lines that stay were kept."},
	edits.Indentation:   {"indentation", "The indentation of old_str differs from the text's; new lines were given the text's."},
	edits.Unicode:       {"look-alike characters", "old_str has look-alikes of characters in the text (quotes, dashes, blanks or normal forms); characters that stay were kept."},
	edits.LineNumbers:   {"the line numbers that were quoted", "The line numbers that old_str quotes were taken off; among several places they choose."},
	edits.Escapes:       {"escapes in place of what they stand for", ""},
	edits.Anchor:        {"the lines that are left out", "The lines that old_str leaves out between its pieces were kept."},
	edits.BlankLines:    {"blank lines", "Blank lines differ between old_str and the text, which were kept."},
}

// locate looks for old in src at all tiers, or only at Exact if lenient is false.
func locate(src draft.Source, old, put string, lenient, overlapping bool) places {
	ps := search(src, old, put, lenient, overlapping)
	switch {
	case !lenient:
		return ps
	case !ps.none():
		if ps.tier != edits.Exact {
			return ps.as(ps.tier, tierWords[ps.tier].note)
		}
		return ps
	}
	if numbers, ok := reread.NumberingOf(old); ok && strings.TrimSpace(numbers.Bare) != "" {
		if ps := searchLines(src, numbers.Bare, numbers.Cut(put), true, overlapping); !ps.none() {
			ps = ps.as(edits.LineNumbers, tierWords[edits.LineNumbers].note)
			ps.hint = numbers.First
			return ps
		}
	}
	for _, read := range reread.Rereadings {
		if o, p, ok := read.As(old, put); ok {
			if ps := search(src, o, p, true, overlapping); !ps.none() {
				return ps.as(edits.Escapes, read.Note)
			}
		}
	}
	if l, ok := place.NewLines(src, old, put); ok {
		if tier, ok := l.Reread(); ok { // with the text's blank lines, or the lines that old leaves out
			return foundLines(l, true, true).as(tier, tierWords[tier].note)
		}
	}
	return places{}
}

// wholeLines reports whether a place consists of whole lines, ignoring blanks.
func wholeLines(src draft.Source, p occurrence) bool {
	start := src.Text.LineStart(src.Text.LineAt(p.Start))
	first := diff.FirstLine(src.Text.Slice(p.Start, p.End))
	deeper := start < p.Start && text.IsBlank(first[0]) // it quotes the end of an indentation
	if start > p.Start || deeper || !blank(src.Text, start, p.Start) && text.Terminator(first) != first {
		return false
	}
	last := src.Text.Line(src.Text.LineAt(p.End))
	return p.End == last.Start || p.End <= last.End && blank(src.Text, p.End, last.End)
}

// blank reports whether [from,to) of a text is blanks. It looks no further than the first character that is not.
func blank(t text.Text, from, to int) bool {
	const step = 64
	for ; from < to; from += step {
		if strings.Trim(t.Slice(from, min(from+step, to)), " \t") != "" {
			return false
		}
	}
	return true
}

// notFound returns the error for an old text that has no place, with what helps most: a loose
// match, the place where the new text already stands, or the nearest places.
func (c Replace) notFound(src draft.Source) error {
	if !c.Lenient {
		if err := c.looselyFound(src); err != nil {
			return err
		}
	}
	there, isThere := draft.OnlyPlace(src.Text, c.New)
	put := strings.TrimSpace(c.New)
	tellsMuch := len(put) >= 10 || strings.Contains(put, "\n")
	isThere = isThere && tellsMuch && !cutsWords(src, there.Start, there.End)
	standsLoosely := func() bool { return !locate(src, c.Old, c.New, true, true).none() }
	if isThere && place.SharesWhatStandsOnce(src, diff.UnixLines(c.Old), diff.UnixLines(c.New)) && !standsLoosely() {
		return edits.Errorf(edits.AlreadyApplied, "Already applied: new_str stands in %s at line %d, and old_str does not occur; nothing was changed.",
			src.Path, src.Text.LineAt(there.Start)+1)
	}
	e := &edits.Error{Kind: edits.NoMatch}
	found, _ := nearest.Find(src.Source, c.Old, src.MostCandidates()+1)
	bare := reread.Bare(c.Old)
	isBare := len(found) == 0 && bare != c.Old
	if isBare {
		found, _ = nearest.Find(src.Source, bare, src.MostCandidates()+1)
	}
	var more string
	e.Candidates, more = src.Offered(found)
	if isThere {
		more += fmt.Sprintf(" new_str stands at line %d already.", src.Text.LineAt(there.Start)+1)
	}
	switch {
	case len(e.Candidates) == 0:
		e.Message = fmt.Sprintf("Text not found in %s, and nothing in it comes near. View the file and copy the text from it.", src.Path) + more
		return e
	case isBare:
		at := edits.LineRange(e.Candidates[0].StartLine, e.Candidates[0].EndLine)
		e.Message = fmt.Sprintf("Text not found in %s; without its escapes it comes near to %s. View it and send the text as it stands, with no escapes but its own.", src.Path, at) + more
		return e
	}
	olds, puts, _, whole := place.CutLines(c.Old, c.New)
	e.Message = fmt.Sprintf("Text not found in %s; the closest is %s. View it and send the text as it stands.", src.Path, place.Words(e.Candidates[0], olds))
	if whole && !c.All {
		e.Suggestion = place.CarriedOver(src, olds, puts, e.Candidates)
	}
	if e.Suggestion != nil {
		e.Message += place.CarriedWords
	}
	e.Message += more
	return e
}

// looselyFound returns the error for an old text that a loose tier finds, nil if none does.
func (c Replace) looselyFound(src draft.Source) error {
	ps := locate(src, c.Old, c.New, true, !c.All)
	if c.All {
		ps.hint = 0
	}
	if ps.none() || c.All && ps.areSeveral() {
		return nil
	}
	ps, err := c.choose(src, ps)
	if err != nil {
		return nil //nolint:nilerr // none of several places is meant
	}
	plan, err := c.plan(src, ps)
	switch {
	case edits.IsKind(err, edits.AlreadyApplied):
		return err
	case err == nil && plan.Places == 0:
		return nil
	}
	var p occurrence
	for only := range ps.each {
		p, _ = only.resolved()
	}
	at := candidateAt(src, p)
	e := &edits.Error{Kind: edits.NoMatch, Candidates: []edits.Candidate{at}}
	if err == nil {
		e.Suggestion = suggestion(src, p, plan)
	}
	advice := `To take it, send match: "lenient"`
	if e.Suggestion != nil {
		advice = `The suggestion is the call that would succeed; or send match: "lenient"`
	}
	e.Message = fmt.Sprintf("Text not found in %s as it was sent, but there is a place at %s that differs by %s. %s.",
		src.Path, edits.LineRange(at.StartLine, at.EndLine), tierWords[ps.tier].words, advice)
	return e
}

// cutsWords reports whether a range begins or ends within a word.
func cutsWords(src draft.Source, start, end int) bool {
	const far = 2 * utf8.UTFMax // two characters are enough
	from := max(0, start-far)
	around := src.Text.Slice(from, min(src.Text.Len(), end+far))
	return match.CutsWord(around, start-from) || match.CutsWord(around, end-from)
}

// suggestion returns the call that makes exactly a plan, which is that for p; nil if there is none.
func suggestion(src draft.Source, p occurrence, plan edits.Plan) *edits.Suggestion {
	want := plan.Edits.Apply(src.Text)
	r := Replace{Old: diff.UnixLines(src.Text.Slice(p.Start, p.End)), New: diff.UnixLines(p.Want)}
	for _, near := range []int{0, src.Text.LineAt(p.Start) + 1} {
		r.NearLine = near
		got, err := r.Plan(src.Source)
		if err != nil || !got.Edits.Apply(src.Text).Equal(want) {
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

// candidateAt returns a loose place as a candidate.
func candidateAt(src draft.Source, p occurrence) edits.Candidate {
	return edits.Candidate{
		StartLine: src.Text.LineAt(p.Start) + 1, EndLine: src.Text.LineAt(max(p.Start, p.End-1)) + 1,
		Similarity: 1, Difference: string(p.Tier), Text: diff.UnixLines(src.Text.Slice(p.Start, p.End)),
	}
}

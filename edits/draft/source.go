package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Source is an [edits.Source] with a finder of lines in its text, or in what the text becomes.
type Source struct {
	edits.Source
	Finder *match.Finder // nil to remember nothing between searches
}

// Carried returns the number that line from has now, if the lines [from,to] are those of a text that was shown. lost: they
// have changed since, or those beside them, and from is returned.
func (src Source) Carried(from, to int) (now int, lost bool) {
	if src.Shown == nil || src.Shown() == nil {
		return from, false
	}
	if now, ok := src.Shown().Now(from, to); ok {
		return now, false
	}
	return from, true
}

// Texts returns src and the sources of the texts that a number may be of. If the number is lost, and what it was to choose
// stands at several places in one of them, nothing says which is meant.
func (src Source) Texts() []Source {
	texts := []Source{src}
	if src.Shown != nil && src.Shown() != nil {
		for _, t := range src.Shown().Texts {
			texts = append(texts, Source{Source: edits.Source{Text: t, Work: src.Work}})
		}
	}
	return texts
}

// Twice reports, for each list of lines, whether it stands at several places in one of [Source.Texts].
func (src Source) Twice(all [][]string) []bool {
	twice := make([]bool, len(all))
	for _, in := range src.Texts() {
		places := in.FindLines(all, match.Fold{})
		for i := range all {
			twice[i] = twice[i] || places == nil || len(places[i]) > 1
		}
	}
	return twice
}

// Stale returns the error for a line whose number no longer chooses a place.
func (src Source) Stale(line int) *edits.Error {
	return edits.Errorf(edits.Stale, "Line %d of %s has changed since you saw it, or a line beside it has, so its number does not tell which place is meant, and nothing was changed; view the file, and send the number that the line has now.", line, src.Path)
}

// LinesAre reports whether the lines from line i, from 0, read as want under a fold.
func (src Source) LinesAre(i int, want []string, f match.Fold) bool {
	if i < 0 || i+len(want) > src.Text.Lines() {
		return false
	}
	for k, w := range want {
		if line := src.LineAt(i + k); w != line && f.Line(w) != f.Line(line) {
			return false
		}
	}
	return true
}

// LinePlaces returns places, lines from 0, as the matches and the words of an error.
func (src Source) LinePlaces(places []int) ([]edits.Match, string) {
	var matches []edits.Match
	var lines edits.ListedLines
	for i, at := range places {
		lines.Add(at + 1)
		if i < src.MostMatches() {
			matches = append(matches, edits.Match{Line: at + 1, Column: 1})
		}
	}
	return matches, lines.String()
}

// OnlyPlace returns the place of needle in t at the tier Exact, if it has just one.
func OnlyPlace(t text.Text, needle string) (only text.Match, ok bool) {
	for m := range t.Matches(needle, true) {
		if ok {
			return m, false
		}
		only, ok = m, true
	}
	return only, ok
}

// LineAt returns the content of line i, from 0; "" if there is none.
func (src Source) LineAt(i int) string {
	if i < 0 || i >= src.Text.Lines() {
		return ""
	}
	l := src.Text.Line(i)
	return src.Text.Slice(l.Start, l.End)
}

// MaxDrift is how many lines a place may be from the line number that chooses it. A number that was counted on an older text
// is usually off by less; a number that is off by more may be nearest to any place.
const MaxDrift = 10

// IsFar reports whether a line is further than MaxDrift from a number.
func IsFar(line, number int) bool { return max(line-number, number-line) > MaxDrift }

// LinesAt returns n lines from line i on, from 0, without line ends.
func (src Source) LinesAt(i, n int) []string {
	lines := make([]string, n)
	for k := range lines {
		lines[k] = src.LineAt(i + k)
	}
	return lines
}

// FindLines returns for each list the lines, from 0, at which it stands; see [match.Finder].
func (src Source) FindLines(all [][]string, f match.Fold) [][]int32 {
	return cmp.Or(src.Finder, new(match.Finder)).Find(src.Text, all, f, src.Work)
}

// JoinLines returns the text of lines, each with a line end.
func JoinLines(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// The numbers of places that errors offer and list by default.
const (
	maxCandidates = 3
	MaxMatches    = 100
)

// MostCandidates returns how many near places an error offers.
func (src Source) MostCandidates() int { return cmp.Or(src.Candidates, maxCandidates) }

// MostMatches returns how many places an error lists.
func (src Source) MostMatches() int { return cmp.Or(src.Matches, MaxMatches) }

// Offered returns the candidates that an error offers, and what it says if there are more.
func (src Source) Offered(all []edits.Candidate) ([]edits.Candidate, string) {
	most := src.MostCandidates()
	if len(all) <= most {
		return all, ""
	}
	return all[:most], fmt.Sprintf(" More places come near than max_candidates (%d).", most)
}

// Unlisted returns what a message says if not all of n places are listed.
func (src Source) Unlisted(n int) string {
	most := src.MostMatches()
	if n <= most {
		return ""
	}
	return fmt.Sprintf(" These are more than max_matches (%d): the first are listed.", most)
}

// MostToldApart is how many times as many places as an error lists are told apart at most.
const MostToldApart = 10

// TellApart sets the Context of each match to a line that no other place has at the same distance, if there is such a line
// within three lines of the match, or else to the innermost line that opens its block and no other place's.
func TellApart(src Source, places []Region, matches []edits.Match) {
	if len(places) > MostToldApart*src.MostMatches() {
		return
	}
	tell := func(opens bool, lineOf func(i int) int) {
		seen := map[string]int{}
		at := make([]int, len(places))
		for i := range places {
			at[i] = lineOf(i)
			seen[src.LineAt(at[i])]++
		}
		for i := range matches {
			line := src.LineAt(at[i])
			if matches[i].Context == nil && seen[line] == 1 && strings.TrimSpace(line) != "" {
				matches[i].Context = &edits.ContextLine{Line: at[i] + 1, Text: line, Opens: opens}
			}
		}
	}
	for distance := 1; distance <= 3; distance++ {
		tell(false, func(i int) int { return src.Text.LineAt(places[i].Start) - distance })
		tell(false, func(i int) int { return src.Text.LineAt(max(places[i].Start, places[i].End-1)) + distance })
	}
	block := lists.Map(places, func(p Region) int { return src.Text.LineAt(p.Start) }) // the line that opens the block of each
	for range maxBlocks {
		if !slices.ContainsFunc(matches, func(m edits.Match) bool { return m.Context == nil }) {
			return
		}
		tell(true, func(i int) int { block[i] = src.opener(block[i]); return block[i] })
	}
}

// maxBlocks is how many blocks, one in the other, are looked at to tell places apart, and maxBlock how many lines of each.
const (
	maxBlocks = 4
	maxBlock  = 500
)

// opener returns the line that opens the block of a line: the next one above that is less indented. It is -1 if there is none.
func (src Source) opener(line int) int {
	deep := match.IndentWidth(src.LineAt(line))
	for k := line - 1; k >= max(0, line-maxBlock) && deep > 0; k-- {
		if l := src.LineAt(k); strings.TrimSpace(l) != "" && match.IndentWidth(l) < deep {
			return k
		}
	}
	return -1
}

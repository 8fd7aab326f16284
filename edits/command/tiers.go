package command

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// tierFolds are the folds of the tiers that search looks at.
var tierFolds = []struct {
	tier edits.Tier
	fold match.Fold
}{
	{edits.LineEnds, match.Fold{}},
	{edits.TrailingSpace, match.Fold{Trailing: true}},
	{edits.Indentation, match.Fold{Trailing: true, Indent: true}},
	{edits.Unicode, match.Fold{Trailing: true, Unicode: true}},
	{edits.Unicode, match.Fold{Trailing: true, Indent: true, Unicode: true}},
}

// found is a place where a text stands, and what is to stand there.
type found struct {
	region
	notes []string
	why   string // what led to the place, where that is not as its tier says
	// untold: the place is as good as any, but what it is to read cannot be told.
	untold bool
	// lines is the hunk that whole lines are, from line at on; resolve says what they
	// are to read.
	lines *hunk
	at    int
	fold  match.Fold // by which a part of a line was found
}

// search looks for old in src, and returns its places at the first tier that
// has any, in order. overlapping says whether places may overlap.
func (src source) search(old, put string, lenient, overlapping bool) []found {
	if old == "" { // what is left of a text that was nothing but a line end
		return nil
	}
	if places := src.searchExact(old, put, overlapping); len(places) > 0 || !lenient {
		return places
	}
	if strings.Contains(old, "\n") {
		return src.searchLines(old, put, false, overlapping)
	}
	worth := worthwhile(src.Text, strings.Lines(old))
	for _, step := range tierFolds[1:] {
		if !worth.Has(step.fold) {
			continue // a tier before it has looked for that
		}
		places := src.searchFolded(old, put, step.tier, step.fold, overlapping)
		if slices.ContainsFunc(places, func(p found) bool { return !p.untold }) {
			return places
		}
	}
	return nil
}

// worthwhile returns the fold that leaves out all that there is to leave out in
// t or in lines.
func worthwhile(t text.Text, lines iter.Seq[string]) match.Fold {
	hashes := t.LineHashes()
	f := match.Fold{
		Trailing: hashes.Any(text.Trailing), Indent: hashes.Any(text.Indented),
		Unicode: hashes.Any(text.NonASCII) || diff.HasBOM(t),
	}
	for line := range lines {
		f.Unicode = f.Unicode || !match.IsASCII(line)
		before, core, after := diff.CutBlanks(strings.TrimRight(line, "\r\n"))
		f.Indent = f.Indent || (core != "" && before != "")
		f.Trailing = f.Trailing || after != "" || (core == "" && before != "")
	}
	return f
}

// searchExact finds old byte for byte, but that "\n" in it stands for "\r\n" as
// well. If old has "\r\n" it means just that.
func (src source) searchExact(old, put string, overlapping bool) []found {
	most := src.Text.Len()
	if overlapping {
		most = maxOverlapping(old)
	}
	var places []found
	for m := range src.Text.Matches(old, overlapping) {
		places = append(places, found{region: region{start: m.Start, end: m.End, want: put, tier: edits.Exact}})
		if len(places) == most {
			break
		}
	}
	return places
}

// standsWhole reports whether [at,to) of the folded text begins and ends where old
// does: not within a word, and, where it has blanks that the fold leaves out, at that
// end of a line. "x = 1 " is not the start of "x = 10".
func standsWhole(f match.Fold, hay *match.Folded, at, to int, old string) bool {
	if cutsWord(hay.Text, at) || cutsWord(hay.Text, to) || f.Indent && diff.IsBlank(old[0]) && at > 0 && hay.Text[at-1] != '\n' {
		return false
	}
	return !f.Trailing || !diff.IsBlank(old[len(old)-1]) || to == len(hay.Text) || hay.Text[to] == '\n'
}

// cutsWord reports whether i is within a word of s, a number, or words that a hyphen
// joins.
func cutsWord(s string, i int) bool {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	before, n := utf8.DecodeLastRuneInString(s[:i])
	after, m := utf8.DecodeRuneInString(s[i:])
	if inWord(before) && inWord(after) {
		return true
	}
	first, _ := utf8.DecodeLastRuneInString(s[:i-n])
	last, _ := utf8.DecodeRuneInString(s[i+m:])
	joins := func(a, joint, b rune) bool {
		return joint == '-' && inWord(a) && inWord(b) || joint == '.' && unicode.IsDigit(a) && unicode.IsDigit(b)
	}
	return joins(first, before, after) || joins(before, after, last)
}

// lineContentStart returns the start of the line that holds off, if there are
// only blanks between the two; else off.
func (src source) lineContentStart(off int) int {
	start := src.Text.LineStart(src.Text.LineAt(off))
	if start <= off && strings.Trim(src.Text.Slice(start, off), " \t") == "" {
		return start
	}
	return off
}

package command

import (
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// linesAre reports whether the lines from line i, from 0, read as want.
func (src source) linesAre(i int, want []string) bool {
	if i < 0 || i+len(want) > src.Text.Lines() {
		return false
	}
	for k, w := range want {
		l := src.Text.Line(i + k)
		if w != src.Text.Slice(l.Start, l.End) {
			return false
		}
	}
	return true
}

// linePlaces returns places, lines from 0, as an error lists and words them.
func (src source) linePlaces(places []int) ([]edits.Match, string) {
	var matches []edits.Match
	lines := make([]int, len(places))
	for i, at := range places {
		lines[i] = at + 1
		if i < src.mostMatches() {
			matches = append(matches, edits.Match{Line: at + 1, Column: 1})
		}
	}
	return matches, edits.LineList(lines)
}

// onlyPlace returns the place of needle in t at the tier Exact, if it has just one.
func onlyPlace(t text.Text, needle string) (text.Match, bool) {
	var only text.Match
	n := 0
	for m := range t.Matches(needle, true) {
		if n++; n > 1 {
			break
		}
		only = m
	}
	return only, n == 1
}

// lineAt returns the content of line i, from 0; "" if there is none.
func lineAt(src source, i int) string {
	if i < 0 || i >= src.Text.Lines() {
		return ""
	}
	l := src.Text.Line(i)
	return src.Text.Slice(l.Start, l.End)
}

// lineEndAt returns the line end at an offset, "" if there is none.
func lineEndAt(t text.Text, off int) string {
	switch s := t.Slice(off, min(off+len("\r\n"), t.Len())); {
	case s == "\r\n":
		return s
	case strings.HasPrefix(s, "\n"):
		return "\n"
	}
	return ""
}

// nearestLine returns which of some lines a number chooses: the one that is strictly
// nearest to it, if that is not further than maxDrift.
func nearestLine(lines []int, number int) (i int, ok bool) {
	best := maxDrift + 1
	for k, line := range lines {
		switch d := abs(line - number); {
		case d < best:
			i, ok, best = k, true, d
		case d == best:
			ok = false
		}
	}
	return i, ok
}

// maxDrift is how many lines a place may be from the line number that chooses it: one
// that was counted on an older text is off by less, as a rule, and one that is off by
// more may be nearest to any place.
const maxDrift = 10

func abs(n int) int { return max(n, -n) }

// linesAt returns n lines from line i on, from 0, without line ends.
func (src source) linesAt(i, n int) []string {
	if n == 0 {
		return nil
	}
	lines, rest := make([]string, 0, n), src.Text.Slice(src.Text.Line(i).Start, src.Text.Line(i+n-1).End)
	for len(lines)+1 < n {
		line, below, _ := strings.Cut(rest, "\n")
		lines, rest = append(lines, strings.TrimSuffix(line, "\r")), below
	}
	return append(lines, rest)
}

// source is a [edits.Source], and what finds lines in it, or in what it becomes.
type source struct {
	edits.Source
	finder *match.Finder // nil for one that remembers nothing
}

// findLines returns for each list the lines, from 0, at which it stands; see [match.Finder].
func (src source) findLines(lists [][]string, f match.Fold) [][]int32 {
	finder := src.finder
	if finder == nil {
		finder = new(match.Finder)
	}
	return finder.Find(src.Text, lists, f, src.Work)
}

func excerptOf(s string) string {
	if len(s) <= maxQuote {
		return s
	}
	return strings.ToValidUTF8(s[:maxQuote], "") + "…"
}

// maxQuote is how many bytes of a text a sentence quotes.
const maxQuote = 80

func joinLines(lines []string) string { return strings.Join(lines, "\n") + "\n" }

package command

import (
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

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

// unixLines returns s with each "\r\n" as "\n".
func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// placesOf returns the lines, from 0, at which the lines want stand.
func (src source) placesOf(want []string) []int {
	var places []int
	found := src.findLines([][]string{want}, match.Fold{})[0]
	if len(found) < match.MaxPlaces {
		for _, at := range found {
			places = append(places, int(at))
		}
		return places
	}
	for i := 0; i+len(want) <= src.Text.Lines(); i++ {
		if src.linesAre(i, want) {
			places = append(places, i)
		}
	}
	return places
}

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

package edits

import (
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// view is a text to search in, its line ends all "\n", with the way back to the
// offsets of the document.
type view struct {
	s string
	// crlf are the offsets in s of the "\n" that stand for a "\r\n".
	crlf []int
}

// newView returns t as a view for a needle. A needle without a line end, or with
// line ends that are "\r\n", is looked for in the text as it is.
func newView(t text.Text, needle string) view {
	s := t.String()
	if !strings.Contains(needle, "\n") || strings.Contains(needle, "\r\n") || !strings.Contains(s, "\r\n") {
		return view{s: s}
	}
	var v view
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.Index(s, "\r\n")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		v.crlf = append(v.crlf, b.Len())
		b.WriteByte('\n')
		s = s[i+2:]
	}
	b.WriteString(s)
	v.s = b.String()
	return v
}

// offset returns the document's offset for one of the view. The offset of a
// "\n" that stands for "\r\n" is that of its "\r".
func (v view) offset(off int) int { return off + sort.SearchInts(v.crlf, off) }

// Contains reports whether needle stands in t at the tier Exact.
func Contains(t text.Text, needle string) bool {
	return strings.Contains(newView(t, needle).s, needle)
}

// unixLines returns s with each "\r\n" as "\n".
func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// indexAll returns the offsets in s at which needle occurs, those that overlap
// the one before included if overlapping.
func indexAll(s, needle string, overlapping bool) []int {
	step, most := len(needle), len(s)
	if overlapping {
		step, most = 1, maxOverlapping(needle)
	}
	var at []int
	for off := 0; off+len(needle) <= len(s) && len(at) < most; {
		i := strings.Index(s[off:], needle)
		if i < 0 {
			break
		}
		at = append(at, off+i)
		off += i + step
	}
	return at
}

// maxOverlapping bounds how many places of needle are looked for that may overlap, so
// that a needle which is like itself moved on costs no more than others.
func maxOverlapping(needle string) int { return max(1000, 64<<20/len(needle)) }

// placesOf returns the lines, from 0, at which the lines want stand.
func (src Source) placesOf(want []string) []int {
	var places []int
	for i := 0; i+len(want) <= src.Text.Lines(); i++ {
		if src.linesAre(i, want) {
			places = append(places, i)
		}
	}
	return places
}

// linesAre reports whether the lines from line i, from 0, read as want.
func (src Source) linesAre(i int, want []string) bool {
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
func linePlaces(places []int) ([]Match, string) {
	var matches []Match
	lines := make([]int, len(places))
	for i, at := range places {
		lines[i] = at + 1
		if i < maxMatches {
			matches = append(matches, Match{Line: at + 1, Column: 1})
		}
	}
	return matches, lineList(lines)
}

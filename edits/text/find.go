package text

import (
	"iter"
	"strings"
)

// Match is a place [Start,End) of a text.
type Match struct{ Start, End int }

// Matches yields the places at which pattern stands in the text, in order: all of
// them if overlapping, else none that begins before the end of the one before. A
// "\n" in the pattern stands for "\r\n" too, unless the pattern has a "\r\n"
// itself. An empty pattern has no places.
//
// The text is searched as it lies in memory, and no further than the caller goes
// on. The cost is linear in the text and in the pattern, whatever they are.
func (t Text) Matches(pattern string, overlapping bool) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		if pattern == "" || len(pattern) > t.Len() {
			return
		}
		f := newFinder(t, pattern, overlapping, yield)
		f.find()
	}
}

// finder is one search: it looks for a piece of the pattern with [strings.Index], and compares
// all of it where the piece is.
type finder struct {
	reader
	needle
	overlapping bool
	yield       func(Match) bool

	probe
	from int   // where the probe may be next
	work int   // what comparing has cost, in bytes
	last Match // the last one that was found
}

// probe is a piece of a needle that has no line end in it, so that it stands in a text as it
// is. A needle of line ends alone has one of them.
type probe struct {
	piece            string
	at               int // where it begins in the pattern
	lineFrom, lineTo int // the line of the pattern that it is in
}

func newFinder(t Text, pattern string, overlapping bool, yield func(Match) bool) *finder {
	n := newNeedle(pattern)
	return &finder{reader: reader{d: t.d}, needle: n, overlapping: overlapping, yield: yield, probe: n.probe(), last: Match{Start: -1}}
}

const (
	// maxProbe is how long a probe is at most: for so many bytes strings.Index has vector
	// instructions on all common machines.
	maxProbe = 32
	// minProbe is how long it is at least, in a line that has as much.
	minProbe = 8
)

// probe chooses what to look for: in the longest line, from a byte on that is rare in texts of
// all kinds.
func (n *needle) probe() probe {
	best := probe{piece: "\n"}
	for from := 0; from <= len(n.pattern); {
		to := n.lineEnd(from)
		if to-from > best.lineTo-best.lineFrom {
			best = probe{at: from, lineFrom: from, lineTo: to}
		}
		from = to + 1
	}
	if best.lineFrom == best.lineTo {
		return best
	}
	for i := best.at; i <= best.lineTo-minProbe; i++ {
		if commonness(n.pattern[i]) < commonness(n.pattern[best.at]) {
			best.at = i
		}
	}
	best.piece = n.pattern[best.at:min(best.lineTo, best.at+maxProbe)]
	return best
}

// commonness says how common a byte is in source and prose.
func commonness(b byte) int {
	switch {
	case b == ' ' || b == '\t' || b == '\r':
		return 3
	case 'a' <= b && b <= 'z':
		return 2
	case '0' <= b && b <= '9' || strings.IndexByte("()_.,=\"*/", b) >= 0:
		return 1
	}
	return 0
}

// find yields the matches.
func (f *finder) find() {
	for f.next() {
		for i := f.from - f.base; i < len(f.run); i = f.from - f.base {
			if i = f.look(i); i < 0 {
				f.from = f.base + len(f.run)
				break
			}
			f.from = f.base + i + 1
			m, ok := f.compare(f.base + i)
			f.work += f.cost
			if ok && (f.overlapping || m.Start >= f.last.End) && !f.found(m) {
				return
			}
			// Comparing costs less than a tenth of what a byte costs the other way.
			if f.work > 1<<14+8*(f.base+i) {
				f.linear(f.base + i)
				return
			}
		}
	}
}

// found yields a match, and reports whether to go on.
func (f *finder) found(m Match) bool {
	if !f.overlapping {
		f.from = max(f.from, m.End+f.at) // more, if a "\r\n" is before the probe
	}
	f.last = m
	return f.yield(m)
}

// look returns where in the run, from i on, the probe is, or begins if the run ends in it;
// -1 if it is not.
func (f *finder) look(i int) int {
	if j := strings.Index(f.run[i:], f.piece); j >= 0 {
		return i + j
	}
	for i = max(i, len(f.run)-len(f.piece)+1); i < len(f.run); i++ {
		if strings.HasPrefix(f.piece, f.run[i:]) {
			return i
		}
	}
	return -1
}

// Contains reports whether [Text.Matches] finds needle.
func (t Text) Contains(needle string) bool {
	for range t.Matches(needle, true) {
		return true
	}
	return needle == ""
}

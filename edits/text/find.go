package text

import "iter"

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

// finder is one search: it looks for two bytes of the pattern, and compares where
// they are.
type finder struct {
	reader
	needle
	overlapping bool
	yield       func(Match) bool

	pick         // the bytes that are looked for
	from   int   // where the first of them may be
	looked int   // how many of them a search for one byte has seen
	work   int   // what comparing has cost, in bytes
	last   Match // the last one that was found
}

func newFinder(t Text, pattern string, overlapping bool, yield func(Match) bool) *finder {
	f := &finder{reader: reader{d: t.d}, needle: newNeedle(pattern), overlapping: overlapping, yield: yield, last: Match{Start: -1}}
	var h histogram
	h.sample(t)
	f.pick = f.choose(&h)
	return f
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
		f.from = max(f.from, m.End+f.at) // more, if a "\r\n" is before the byte
	}
	f.last = m
	return f.yield(m)
}

// look returns where in the run, from i on, the bytes are, or the first of them if
// the run ends between them; -1 if they are not.
func (f *finder) look(i int) int {
	s := bytesOf(f.run)
	if !f.paired {
		return f.lookForOne(s, i)
	}
	return f.lookForPair(s, i)
}

func (f *finder) lookForPair(s []byte, i int) int {
	if i+f.gap < len(s) {
		if j := indexPair(s[i:], f.gap, f.a, f.b); j >= 0 {
			return i + j
		}
		i = len(s) - f.gap
	}
	for ; i < len(s); i++ {
		if s[i] == f.a {
			return i
		}
	}
	return -1
}

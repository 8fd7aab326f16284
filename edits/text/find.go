package text

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Match is a range [Start,End) of a text.
type Match struct{ Start, End int }

// Matches yields the places of pattern in the text, in order: all of them if overlapping is set, else none that begins
// before the end of the previous one. A "\n" in the pattern also matches "\r\n", unless the pattern has a "\r\n" itself. An
// empty pattern has no places.
//
// The text is searched in windows, and no further than the caller iterates. The cost
// is linear in the text and in the pattern, for any text and pattern.
func (t Text) Matches(pattern string, overlapping bool) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		if pattern == "" {
			return
		}
		f := newFinder(pattern, overlapping)
		longest := len(pattern) + 1 // of a match, with the "\n" that may follow its last "\r"
		if f.loose {
			longest += strings.Count(pattern, "\n")
		}
		var s string
		var buf []byte
		for at := 0; at < t.Len(); {
			next := min(at+max(window, longest), t.Len())
			s, buf = t.sliceWith(buf, at, min(next+longest, t.Len()))
			if f.loose && strings.HasPrefix(s[next-at-1:], "\r\n") {
				next++
			}
			for m := range f.matches(s) {
				if m.Start >= next-at {
					break
				}
				if !yield(Match{at + m.Start, at + m.End}) {
					return
				}
				if !overlapping {
					next = max(next, at+m.End)
				}
			}
			at = next
		}
	}
}

// window is how many bytes of a text are searched at a time: few enough to be copied
// cheaply if they are not contiguous, and many compared to the cost of a search.
const window = 16 << 10

// Contains reports whether [Text.Matches] finds needle.
func (t Text) Contains(needle string) bool {
	for range t.Matches(needle, true) {
		return true
	}
	return needle == ""
}

const (
	// maxProbe is the maximum length of a probe: up to it, strings.Index uses vector instructions on all common machines.
	maxProbe = 32
	// minProbe is the minimum length of a probe, if its line is as long.
	minProbe = 8
)

// finder searches for a probe, a piece of the pattern without a line end, with
// [strings.Index], and compares the whole pattern at each place of the probe.
type finder struct {
	pattern     string
	loose       bool // a "\n" in the pattern also matches "\r\n"
	overlapping bool
	probe       string
	probeAt     int // where the probe begins in the pattern

	searched, compared int  // bytes that were searched, and the cost of comparing
	linear             bool // comparing costs too much: the whole pattern is searched for
	period             int  // the least distance of two matches that overlap, once it is known
}

func newFinder(pattern string, overlapping bool) *finder {
	f := &finder{pattern: pattern, overlapping: overlapping}
	f.loose = strings.Contains(pattern, "\n") && !strings.Contains(pattern, "\r\n")
	f.probe = pattern
	if f.loose {
		longest := slices.MaxFunc(strings.Split(pattern, "\n"), func(a, b string) int { return len(a) - len(b) })
		f.probe = cmp.Or(longest, "\n")
		f.probeAt = strings.Index(pattern, f.probe)
	}
	rarest := 0
	for i := range len(f.probe) - minProbe + 1 {
		if commonness(f.probe[i]) < commonness(f.probe[rarest]) {
			rarest = i
		}
	}
	f.probe = f.probe[rarest:min(len(f.probe), rarest+maxProbe)]
	f.probeAt += rarest
	return f
}

// commonness returns a rank of how common a byte is in source and prose.
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

// matches yields the places of the pattern in s.
func (f *finder) matches(s string) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		defer func() { f.searched += len(s) }()
		if !f.linear && !strings.Contains(s, f.probe) {
			return
		}
		v := plainView{s: s, lf: s}
		if f.loose {
			v.lf = strings.ReplaceAll(s, "\r\n", "\n")
		}
		n := len(f.pattern)
		for i := f.index(v.lf, 0); i >= 0; {
			start := v.offset(i)
			end := v // a copy: the next match may begin before this one ends
			if !yield(Match{start, end.offset(i + n)}) {
				return
			}
			switch {
			case !f.overlapping:
				i = f.index(v.lf, i+n)
			case strings.HasPrefix(v.lf[i+n:], f.pattern[n-f.overlap():]):
				i += f.overlap() // the bytes before were compared as part of this match
			default:
				i = f.index(v.lf, i+1)
			}
		}
	}
}

// index returns the offset of the first place of the pattern in s from i on, or -1.
func (f *finder) index(s string, i int) int {
	for i+len(f.pattern) <= len(s) {
		piece, at := f.probe, f.probeAt
		if f.linear {
			piece, at = f.pattern, 0
		}
		j := strings.Index(s[i+at:], piece)
		if j < 0 {
			return -1
		}
		i += j
		if strings.HasPrefix(s[i:], f.pattern) {
			return i
		}
		if f.compared += minCompared; strings.HasPrefix(s[i:], f.pattern[:min(len(f.pattern), minCompared)]) {
			f.compared += len(f.pattern)
		}
		f.linear = f.compared > 1<<14+8*(f.searched+i)
		i++
	}
	return -1
}

// minCompared is the cost, in bytes, of a comparison that fails at once.
const minCompared = 16

// overlap returns the period of the pattern: the least distance of two matches that
// overlap, or its length if none can. So each match only costs its new bytes, and if
// there is no match at that distance, the next one is at least half the pattern away.
func (f *finder) overlap() int {
	if f.period > 0 {
		return f.period
	}
	p := f.pattern
	border := make([]int32, len(p)+1) // by length of a prefix: its longest border's length
	k := int32(0)
	for i := 1; i < len(p); i++ {
		for k > 0 && p[i] != p[k] {
			k = border[k]
		}
		if p[i] == p[k] {
			k++
		}
		border[i+1] = k
	}
	f.period = len(p) - int(k)
	return f.period
}

// plainView is a text in the form that a loose pattern is compared with: lf is s with "\n" for "\r\n".
type plainView struct {
	s, lf    string
	at, more int // s has more additional bytes before offset at of lf
}

// offset returns the offset in s of offset i in lf, which must not decrease from call to call.
func (v *plainView) offset(i int) int {
	for len(v.lf) < len(v.s) {
		end := strings.IndexByte(v.lf[v.at:i], '\n')
		if end < 0 {
			break
		}
		v.at += end + 1
		if v.s[v.at-1+v.more] == '\r' {
			v.more++
		}
	}
	v.at = i
	return i + v.more
}

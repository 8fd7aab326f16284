package nearest

import (
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
)

// blanksLikeness is the likeness of two lines, relative to that of what is
// between the blanks around them, if only those blanks differ.
const blanksLikeness = 0.95

// likeness tells how much two texts are alike. The zero value is ready.
type likeness struct {
	pairs []int32 // by pair of bytes, a count; all zero between calls
}

// of returns the likeness of two lines, or two texts, from 0 to 1: 1 if they
// are equal, and less if they are not. Its cost is linear.
func (l *likeness) of(a, b string) float64 {
	if a == b {
		return 1
	}
	_, a, _ = diff.CutBlanks(a)
	_, b, _ = diff.CutBlanks(b)
	if a == b || foldLookAlikes(a) == foldLookAlikes(b) {
		return blanksLikeness
	}
	return blanksLikeness * l.ofCores(a, b)
}

// likenessBytes bounds how much between the common ends is compared; the rest is
// taken to be like that.
const likenessBytes = 1 << 16

// ofCores is the share of the bytes, of both, that are in the common ends or in
// common pairs of neighbours between those.
func (l *likeness) ofCores(a, b string) float64 {
	all := len(a) + len(b)
	p := diff.CommonPrefix(a, b)
	a, b = a[p:], b[p:]
	q := diff.CommonSuffix(a, b)
	a, b = a[:len(a)-q], b[:len(b)-q]
	same := float64(2 * (p + q))
	if len(a) > 1 && len(b) > 1 {
		x, y := a[:min(len(a), likenessBytes)], b[:min(len(b), likenessBytes)]
		share := float64(2*l.common(x, y)) / float64(len(x)+len(y)-2)
		same += share * float64(len(a)+len(b))
	}
	return same / float64(all)
}

// common returns how many pairs of neighbouring bytes a and b have in common.
func (l *likeness) common(a, b string) int {
	if l.pairs == nil {
		l.pairs = make([]int32, 1<<16)
	}
	n := 0
	for i := range len(a) - 1 {
		l.pairs[pairAt(a, i)]++
	}
	for i := range len(b) - 1 {
		if c := &l.pairs[pairAt(b, i)]; *c > 0 {
			*c--
			n++
		}
	}
	for i := range len(a) - 1 {
		l.pairs[pairAt(a, i)] = 0
	}
	return n
}

func pairAt(s string, i int) uint16 { return uint16(s[i])<<8 | uint16(s[i+1]) }

// foldBytes bounds the lines that are folded, which is slow.
const foldBytes = 1 << 12

// foldLookAlikes returns a line with one character for all that look like it.
func foldLookAlikes(line string) string {
	if len(line) > foldBytes || match.IsASCII(line) {
		return line
	}
	return match.Fold{Unicode: true}.Text(line)
}

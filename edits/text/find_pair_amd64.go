//go:build !purego

package text

import "unsafe"

// pairCost is what looking at a byte for two at once costs, in nanoseconds.
const pairCost = 0.03

// pairBlock is how many places [pairIn] looks at in a turn.
const pairBlock = 64

// pairIn returns the first of the n places from p on that has a, and b gap bytes
// further on; -1 if there is none. n is a multiple of pairBlock and more than 0, and n+gap
// bytes may be read.
//
//go:noescape
func pairIn(p *byte, n, gap int, a, b byte) int

// indexPair returns the first i at which s has a, and b gap bytes further on; -1
// if there is none. The gap is more than 0 and less than the length of s.
func indexPair(s []byte, gap int, a, b byte) int {
	n := (len(s) - gap) &^ (pairBlock - 1)
	if n > 0 {
		if i := pairIn(unsafe.SliceData(s), n, gap, a, b); i >= 0 { //nolint:gosec // n+gap bytes of s, no more
			return i
		}
	}
	if n == len(s)-gap {
		return -1
	}
	if i := indexPairWords(s[n:], gap, a, b); i >= 0 {
		return n + i
	}
	return -1
}

//go:build !amd64 || purego

package text

// pairCost is what looking at a byte for two at once costs, in nanoseconds.
const pairCost = 0.07

// indexPair returns the first i at which s has a, and b gap bytes further on; -1
// if there is none. The gap is more than 0 and less than the length of s.
func indexPair(s []byte, gap int, a, b byte) int { return indexPairWords(s, gap, a, b) }

package text

import (
	"encoding/binary"
	"math/bits"
)

// lineEnds has the high bit of each byte of w that is "\n".
func lineEnds(w uint64) uint64 {
	w ^= '\n' * lowBits
	return ^((w&^highBits + ^uint64(highBits)) | w) & highBits
}

// nthLineEnd returns the offset of the nth "\n" in s, counted from 1, of all that
// there are. It looks from the nearer end.
func nthLineEnd(s string, n, all int) int {
	p := bytesOf(s)
	if n > all/2 {
		return nthLineEndBack(p, all-n+1)
	}
	i := 0
	for ; i+8 <= len(p); i += 8 {
		ends := lineEnds(binary.LittleEndian.Uint64(p[i:]))
		if k := bits.OnesCount64(ends); n > k {
			n -= k
			continue
		}
		for ; n > 1; n-- {
			ends &= ends - 1
		}
		return i + bits.TrailingZeros64(ends)/8
	}
	for ; ; i++ {
		if p[i] == '\n' {
			if n--; n == 0 {
				return i
			}
		}
	}
}

// nthLineEndBack is nthLineEnd counted from the end of p.
func nthLineEndBack(p []byte, n int) int {
	i := len(p)
	for ; i >= 8; i -= 8 {
		ends := lineEnds(binary.LittleEndian.Uint64(p[i-8:]))
		if k := bits.OnesCount64(ends); n > k {
			n -= k
			continue
		}
		for ; n > 1; n-- {
			ends &^= 1 << (bits.Len64(ends) - 1)
		}
		return i - 8 + (bits.Len64(ends)-1)/8
	}
	for i--; ; i-- {
		if p[i] == '\n' {
			if n--; n == 0 {
				return i
			}
		}
	}
}

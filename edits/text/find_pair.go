package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// lookForOne is look by the rarest byte alone. Where that turns out to be a common
// one it goes on with both.
func (f *finder) lookForOne(s []byte, i int) int {
	for {
		j := bytes.IndexByte(s[i:], f.a)
		if j < 0 {
			return -1
		}
		i += j
		f.looked++
		k := i + f.gap
		if k < 0 || k >= len(s) || s[k] == f.b {
			return i
		}
		if f.gap != 0 && f.looked > 64+(f.base+i)/commonByte && i+min(f.gap, 0) >= 0 {
			i += f.pair()
			return f.lookForPair(s, i)
		}
		i++
	}
}

// indexPairWords is [indexPair] for machines of which nothing is known.
func indexPairWords(s []byte, gap int, a, b byte) int {
	p, q := s[:len(s)-gap], s[gap:]
	v, w := blocks(p), blocks(q)
	at := 0
	for {
		at += mayHold(v[at:], w[at:], a, b)
		if at == len(v) {
			break
		}
		if i := indexIn(&v[at], &w[at], a, b); i >= 0 {
			return at*blockSize + i
		}
		at++ // it is not ASCII
	}
	for i := at * blockSize; i < len(p); i++ {
		if p[i] == a && q[i] == b {
			return i
		}
	}
	return -1
}

// mayHold returns the first block of v that may have a where that of w has b,
// len(v) if none does. It is wrong only about text that is not ASCII.
func mayHold(v, w [][blockSize]byte, a, b byte) int {
	as, bs := uint64(a)*lowBits, uint64(b)*lowBits
	w = w[:len(v)]
	for i := range v {
		v, w := &v[i], &w[i]
		// A byte of x is 0 where both are there. Taking 1 from it sets its high bit,
		// which other bytes of ASCII do not have.
		x0 := (binary.LittleEndian.Uint64(v[0:]) ^ as) | (binary.LittleEndian.Uint64(w[0:]) ^ bs)
		x1 := (binary.LittleEndian.Uint64(v[8:]) ^ as) | (binary.LittleEndian.Uint64(w[8:]) ^ bs)
		x2 := (binary.LittleEndian.Uint64(v[16:]) ^ as) | (binary.LittleEndian.Uint64(w[16:]) ^ bs)
		x3 := (binary.LittleEndian.Uint64(v[24:]) ^ as) | (binary.LittleEndian.Uint64(w[24:]) ^ bs)
		if ((x0-lowBits)|(x1-lowBits)|(x2-lowBits)|(x3-lowBits))&highBits != 0 {
			return i
		}
	}
	return len(v)
}

// indexIn returns the first place at which a block has a and the other one b, -1 if
// there is none.
func indexIn(v, w *[blockSize]byte, a, b byte) int {
	as, bs := uint64(a)*lowBits, uint64(b)*lowBits
	for i := 0; i < blockSize; i += 8 {
		x := (binary.LittleEndian.Uint64(v[i:]) ^ as) | (binary.LittleEndian.Uint64(w[i:]) ^ bs)
		// Taking 1 borrows from the bytes above, so only the lowest bit is sure.
		if z := (x - lowBits) &^ x & highBits; z != 0 {
			return i + bits.TrailingZeros64(z)/8
		}
	}
	return -1
}

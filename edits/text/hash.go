package text

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// hash is the text's bytes as one large number, modulo two primes of 63 bits, divided by 256 to the number of bytes. So
// wherever a text is cut, its hash is the hash of the first part, divided by 256 to the length of the second, plus the hash
// of the second. A Montgomery reduction divides by 256^8 in two multiplications, so eight bytes cost some nine cycles for
// both primes. The token that agents send is 60 bits made of both numbers and the length.
//
// The primes are the first ones from the leading digits of pi and of e, so that no similarity of texts is a relation between
// powers of 256 modulo both. Two texts of the same length collide with a chance of 2^-125. Colliding texts can be
// constructed, but they only harm their author.
type hash struct{ a, b uint64 }

// modulus is a prime below 2^63 and -1/prime modulo 2^64.
type modulus struct{ prime, inverse uint64 }

var (
	modulusA = modulus{0x5921fb54442d189b, 0x7ba61872463ef26d}
	modulusB = modulus{0x55bf0a8b145769cf, 0xb6107af5f40102d1}
)

// reduce returns (hi*2^64 + lo) / 2^64 modulo the prime, for hi below it.
func (m modulus) reduce(hi, lo uint64) uint64 {
	q, _ := bits.Mul64(lo*m.inverse, m.prime)
	hi += q
	if lo != 0 {
		hi++ // the low halves add up to 2^64
	}
	if hi >= m.prime {
		hi -= m.prime
	}
	return hi
}

// step returns (h+w) / 2^64.
func (m modulus) step(h, w uint64) uint64 {
	lo, carry := bits.Add64(h, w, 0)
	return m.reduce(carry, lo)
}

// times returns x*y / 2^64.
func (m modulus) times(x, y uint64) uint64 { return m.reduce(bits.Mul64(x, y)) }

// sum returns x+y.
func (m modulus) sum(x, y uint64) uint64 {
	if x += y; x >= m.prime {
		x -= m.prime
	}
	return x
}

// write returns the hash of a text that ends with p, where h is the hash of the text before p.
func (h hash) write(p []byte) hash {
	for ; len(p) >= 8; p = p[8:] {
		w := binary.LittleEndian.Uint64(p)
		h.a, h.b = modulusA.step(h.a, w), modulusB.step(h.b, w)
	}
	if len(p) == 0 {
		return h
	}
	var w uint64
	for i, b := range p {
		w |= uint64(b) << (8 * uint(i))
	}
	d := &shifts()[0][len(p)]
	return hash{modulusA.times(h.a+w, d.a), modulusB.times(h.b+w, d.b)}
}

// then returns the hash of a text with hash h followed by n bytes with hash o.
func (h hash) then(o hash, n int) hash {
	for digit := 0; n > 0; digit, n = digit+1, n/shiftDigit {
		d := &shifts()[digit][n%shiftDigit]
		h.a, h.b = modulusA.times(h.a, d.a), modulusB.times(h.b, d.b)
	}
	return hash{modulusA.sum(h.a, o.a), modulusB.sum(h.b, o.b)}
}

const shiftDigit = 64

// shifts()[k][i] is the factor for [modulus.times] that divides by 256^(i*64^k).
var shifts = sync.OnceValue(func() *[7][shiftDigit]hash {
	var t [7][shiftDigit]hash
	one := hash{1 << 56, 1 << 56} // 2^64/256
	for k := range t {
		t[k][0] = hash{bits.Rem64(1, 0, modulusA.prime), bits.Rem64(1, 0, modulusB.prime)}
		for i := 1; i < shiftDigit; i++ {
			before := t[k][i-1]
			t[k][i] = hash{modulusA.times(before.a, one.a), modulusB.times(before.b, one.b)}
		}
		last := t[k][shiftDigit-1]
		one = hash{modulusA.times(last.a, one.a), modulusB.times(last.b, one.b)}
	}
	return &t
})

// token returns the hash of n bytes in the form of [Text.Hash]. The length
// distinguishes texts that consist of nothing but NUL.
func (h hash) token(n int) string {
	const odd = 0x9e3779b97f4a7c15 // spreads each of its factors over all bits of the product
	mixed := ((h.a*odd^h.b)*odd ^ uint64(n+1)) * odd
	digits := strconv.FormatUint(mixed>>4, 32)
	return strings.Repeat("0", hashDigits-len(digits)) + digits
}

const (
	hashDigits = 12 // of 5 bits each
	minDigits  = 6
)

// IsHash reports whether a token is hash, or its beginning with 6 characters or more.
func IsHash(hash, token string) bool {
	return token == hash || len(token) >= minDigits && strings.HasPrefix(hash, token)
}

// hash returns the hash of the node's text. The node is not written any more.
func (n node) hash() hash {
	cache := n.knownHash()
	if h := cache.Load(); h != nil {
		return *h
	}
	var h hash
	if l := n.leaf; l != nil {
		for i := range l.n {
			h = h.write(l.chunks[i].data())
		}
	} else {
		for i := range n.branch.n {
			child := &n.branch.children[i]
			h = h.then(child.hash(), child.sum.bytes)
		}
	}
	cache.Store(&h)
	return h
}

func (n node) knownHash() *atomic.Pointer[hash] {
	if n.leaf != nil {
		return &n.leaf.hash
	}
	return &n.branch.hash
}

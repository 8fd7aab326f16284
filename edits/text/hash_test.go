package text

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func (m modulus) big() *big.Int { return new(big.Int).SetUint64(m.prime) }

func TestModuliArePrimes(t *testing.T) {
	t.Parallel()
	for _, m := range []modulus{modulusA, modulusB} {
		if !m.big().ProbablyPrime(20) || m.prime>>62 != 1 || m.inverse*m.prime != ^uint64(0) {
			t.Errorf("%#x is no prime of 63 bits, or %#x is not -1/prime", m.prime, m.inverse)
		}
	}
	if modulusA == modulusB {
		t.Error("the primes are one")
	}
}

// TestHashIsTheNumber holds the hash to its definition, and shows that it is the
// same however the text is cut.
func TestHashIsTheNumber(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		p := make([]byte, n*n/30)
		for i := range p {
			p[i] = byte(r.IntN(256))
		}
		h := hash{}.write(p)
		for _, want := range []struct {
			m   modulus
			got uint64
		}{{modulusA, h.a}, {modulusB, h.b}} {
			number := new(big.Int)
			for _, c := range slices.Backward(p) {
				number.Add(number.Lsh(number, 8), big.NewInt(int64(c)))
			}
			power := new(big.Int).Exp(big.NewInt(256), big.NewInt(int64(len(p))), want.m.big())
			number.Mul(number, power.ModInverse(power, want.m.big()))
			if number.Mod(number, want.m.big()); number.Uint64() != want.got {
				t.Fatalf("%d bytes: %#x, want %#x", len(p), want.got, number)
			}
		}
		at := r.IntN(len(p) + 1)
		if got := (hash{}).write(p[:at]).then(hash{}.write(p[at:]), len(p)-at); got != h {
			t.Fatalf("cut at %d of %d: %v, want %v", at, len(p), got, h)
		}
		if got := (hash{}).write(p[:at]).write(p[at:]); got != h {
			t.Fatalf("written in two, at %d of %d: %v, want %v", at, len(p), got, h)
		}
	}
}

// TestHashTellsApart has texts that a weak sum would take for each other.
func TestHashTellsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	put := func(s string) {
		h := New(s).Hash()
		if was, ok := seen[h]; ok && was != s {
			t.Errorf("%.60q and %.60q have the hash %s", was, s, h)
		}
		if len(h) > 64 {
			t.Errorf("%s is too long", h)
		}
		seen[h] = s
	}
	for n := range 200 {
		put(strings.Repeat("\x00", n))
		put(strings.Repeat("a", n))
		put(strings.Repeat(" ", n) + "a")
		put("a" + strings.Repeat(" ", n))
		for _, c := range []string{"b", "c", "\n", "\x80"} { // one byte changed, and two exchanged
			put(strings.Repeat("a", n) + c + strings.Repeat("a", 200-n))
			put(strings.Repeat("a", n) + c + strings.Repeat("a", 99) + "b" + strings.Repeat("a", 100))
		}
	}
}

// TestHashIsKept counts the nodes without a hash: after an edit of a long hashed text only
// those above the edit have none.
func TestHashIsKept(t *testing.T) {
	t.Parallel()
	b := NewBuffer(New(strings.Repeat("some line\n", 100_000)))
	b.Replace(0, 1, "x")
	b.Snapshot().Hash()
	b.Replace(500_000, 500_001, "x")
	unknown, all := 0, 0
	var count func(k node)
	count = func(k node) {
		all++
		if k.knownHash().Load() == nil {
			unknown++
		}
		if k.leaf != nil {
			return
		}
		for i := range k.branch.n {
			count(k.branch.children[i])
		}
	}
	count(b.tree.root)
	if unknown == 0 || unknown > 4 || all < 60 {
		t.Errorf("the hashes of %d of %d nodes are unknown after one edit", unknown, all)
	}
}

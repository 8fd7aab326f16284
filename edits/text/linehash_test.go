package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/patchls/patchls/internal/testkit/chance"
)

// hashesOf returns the hashes of the lines of t, line by line.
func hashesOf(t Text) []LineHash {
	var out []LineHash
	for i := range t.Lines() {
		l := t.Line(i)
		out = append(out, HashLine(t.Slice(l.Start, l.End)))
	}
	return out
}

func checkLineHashes(t *testing.T, seed uint64, text Text) {
	t.Helper()
	want, hashes := hashesOf(text), text.LineHashes()
	var got []LineHash
	for i, h := range hashes.All {
		if i != len(got) {
			t.Fatalf("seed %d: the hash of line %d follows those of %d lines", seed, i, len(got))
		}
		got = append(got, h)
	}
	for i, h := range want {
		if first, part := hashes.Part(i); part[i-first] != h {
			t.Fatalf("seed %d: line %d of %q has the hash %x, not %x", seed, i, text.String(), part[i-first], h)
		}
	}
	if !slices.Equal(got, want) || hashes.Len() != len(want) {
		t.Fatalf("seed %d: of %d lines %d have hashes", seed, len(want), len(got))
	}
}

// TestLineHashes compares the hashes that a text keeps through edits with those of its
// lines, in each snapshot and for as long as the snapshot lives.
func TestLineHashes(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	some := func(n int) string {
		pieces := []string{"\n", "\n", "\r\n", "\r", " ", "\t", "x = 1", "日", "\n\n", "func f() {\n\t\n}\n", strings.Repeat("long ", 1+r.IntN(2000))}
		var b strings.Builder
		for range n {
			b.WriteString(pieces[r.IntN(len(pieces)-r.IntN(2))])
		}
		return b.String()
	}
	for range 12 {
		s := some(r.IntN(1 << r.IntN(12)))
		if r.IntN(4) == 0 {
			s = BOM + s
		}
		b := NewBuffer(New(s))
		var kept []Text
		for range 40 {
			for range 1 + r.IntN(4) {
				at := r.IntN(b.Len() + 1)
				b.Replace(at, at+r.IntN(min(200, b.Len()-at)+1), some(r.IntN(4)))
			}
			text := b.Snapshot()
			if kept = append(kept, text); r.IntN(3) == 0 {
				_ = text.String()
			}
			checkLineHashes(t, seed, text)
		}
		for _, text := range kept {
			checkLineHashes(t, seed, text)
		}
	}
}

func TestLineHashesOfLittle(t *testing.T) {
	for _, s := range []string{"", BOM, BOM + "\n", BOM + "x", "\n", "x", "\r", "x\r\ny", "\n\n"} {
		checkLineHashes(t, 0, New(s))
	}
}

func TestHashLine(t *testing.T) {
	core := HashLine("x = 1")
	for _, line := range []string{"x = 1", "\tx = 1", "x = 1 ", " x = 1\t"} {
		if h := HashLine(line); h != core {
			t.Errorf("%q has the hash %x, not %x", line, h, core)
		}
	}
	if h := HashLine(" \t"); h != HashLine("") {
		t.Errorf("blanks have the hash %x, an empty line %x", h, HashLine(""))
	}
	if HashLine("é")&NonASCII == 0 || HashLine("é").Core() == core {
		t.Error("é is taken for ASCII")
	}
}

// TestLeafSize keeps a leaf in the size that it is allocated in.
func TestLeafSize(t *testing.T) {
	if n := unsafe.Sizeof(leaf{}); n > 640 {
		t.Errorf("a leaf has %d bytes", n)
	}
}

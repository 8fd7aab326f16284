package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
)

// inRuns returns s as a text whose chunks have the lengths given by cuts, one byte each. A
// chunk of even length is part of an original.
func inRuns(s string, cuts []byte) Text {
	var cs []chunk
	t := tree{origin: s}
	for at, i := 0, 0; at < len(s); i++ {
		n := len(s) - at
		if len(cuts) > 0 {
			n = min(n, 1+int(cuts[i%len(cuts)]))
		}
		if n = min(n, maxChunk); n%2 == 0 {
			cs = append(cs, makeChunk(bytesOf(s[at:at+n]), 0))
		} else {
			cs = append(cs, makeChunk([]byte(s[at:at+n]), n))
		}
		at += n
	}
	if len(cs) == 0 {
		return New(s)
	}
	t.root = rootOf(leaves(cs, 1), 1)
	return ofTree(t)
}

// matchesOf computes Matches with the strings package. It reads each "\r\n" of s as "\n"
// if the pattern has line ends but no "\r\n".
func matchesOf(s, pattern string, overlapping bool) []Match {
	var crlf []int // where in the view a "\n" stands for "\r\n"
	view := s
	if strings.Contains(pattern, "\n") && !strings.Contains(pattern, "\r\n") {
		var b strings.Builder
		for i := range len(s) {
			if strings.HasPrefix(s[i:], "\r\n") {
				crlf = append(crlf, b.Len())
				continue
			}
			b.WriteByte(s[i])
		}
		view = b.String()
	}
	back := func(off int) int {
		i, _ := slices.BinarySearch(crlf, off)
		return off + i
	}
	var out []Match
	for off := 0; pattern != ""; {
		i := strings.Index(view[off:], pattern)
		if i < 0 {
			break
		}
		i += off
		out = append(out, Match{back(i), back(i + len(pattern))})
		if off = i + 1; !overlapping {
			off = i + len(pattern)
		}
	}
	return out
}

// checkMatches holds Matches to matchesOf, in one piece and in runs.
func checkMatches(s, pattern string, cuts []byte) error {
	for _, overlapping := range []bool{false, true} {
		want := matchesOf(s, pattern, overlapping)
		for _, t := range []Text{New(s), inRuns(s, cuts)} {
			if got := slices.Collect(t.Matches(pattern, overlapping)); !slices.Equal(got, want) {
				return fmt.Errorf("%q in %q, cut at %v, overlapping %v: got %v, want %v", pattern, s, cuts, overlapping, got, want)
			}
			var two []Match
			for m := range t.Matches(pattern, overlapping) {
				if two = append(two, m); len(two) == 2 {
					break
				}
			}
			if !slices.Equal(two, want[:min(2, len(want))]) {
				return fmt.Errorf("%q in %q, cut at %v, stopped at the second: got %v, want %v", pattern, s, cuts, two, want)
			}
		}
	}
	return nil
}

// searched is a case of TestMatches.
type searched struct {
	s, pattern string
	cuts       []byte
}

func (c searched) check() error { return checkMatches(c.s, c.pattern, c.cuts) }

// randomSearch returns a text of few characters, often periodic, and a pattern
// that is often part of it.
func randomSearch(r *rand.Rand) searched {
	alphabets := []string{"a", "ab", "ab\n", "a\r\n", "ab\n\r", "abcdefgh \n", "\t\n}", "\n\r", "ab\xC3\xA9\xE1", "a\x80\x01\xFF"}
	alphabet := alphabets[r.IntN(len(alphabets))]
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	size := 1 << r.IntN(13)
	var b strings.Builder
	for b.Len() < size {
		if w := word(1 + r.IntN(12)); r.IntN(2) == 0 {
			b.WriteString(strings.Repeat(w, 1+r.IntN(1+size/len(w))))
		} else {
			b.WriteString(w)
		}
	}
	c := searched{s: b.String(), cuts: []byte(word(3))}
	for i := range c.cuts {
		c.cuts[i] = byte(r.IntN(1 << (1 + r.IntN(8))))
	}
	switch r.IntN(4) {
	case 0:
		c.pattern = word(1 + r.IntN(6))
	case 1:
		w := word(1 + r.IntN(4))
		c.pattern = strings.Repeat(w, 1+r.IntN(100)) + word(r.IntN(2))
	default:
		from := r.IntN(len(c.s))
		c.pattern = c.s[from : from+1+r.IntN(min(len(c.s)-from, 1+r.IntN(400)))]
		if r.IntN(2) == 0 {
			c.pattern = strings.ReplaceAll(c.pattern, "\r\n", "\n")
		}
	}
	return c
}

// less returns smaller cases.
func (c searched) less() []searched {
	var out []searched
	for n := len(c.s) / 2; n > 0; n /= 2 {
		for at := 0; at+n <= len(c.s); at += n {
			out = append(out, searched{c.s[:at] + c.s[at+n:], c.pattern, c.cuts})
		}
	}
	for n := len(c.pattern) / 2; n > 0; n /= 2 {
		for at := 0; at+n <= len(c.pattern); at += n {
			out = append(out, searched{c.s, c.pattern[:at] + c.pattern[at+n:], c.cuts})
		}
	}
	return append(out, searched{c.s, c.pattern, []byte{0}})
}

func TestMatches(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	rounds := 2000
	if testing.Short() {
		rounds = 500
	}
	for range rounds {
		c := randomSearch(r)
		if c.check() == nil {
			continue
		}
		for steps := 0; steps < 2000; {
			smaller := c.less()
			i := slices.IndexFunc(smaller, func(o searched) bool {
				steps++
				return o.check() != nil && len(o.s)+len(o.pattern)+len(o.cuts) < len(c.s)+len(c.pattern)+len(c.cuts)
			})
			if i < 0 {
				break
			}
			c = smaller[i]
		}
		t.Fatalf("seed %d: %v", seed, c.check())
	}
}

// TestMatchesOfAnEditedText looks for patterns where a buffer has left its seams.
func TestMatchesOfAnEditedText(t *testing.T) {
	seed := chance.Seed(t)
	r := rand.New(rand.NewPCG(seed, 2))
	s := strings.Repeat("func (t *tree) of(s string) {\r\n\treturn t.root\n}\n\n", 4000)
	b := NewBuffer(New(s))
	for range 100 {
		at := r.IntN(len(s))
		end := at + r.IntN(min(200, len(s)-at))
		put := fmt.Sprintf("edit %d", r.IntN(50))
		b.Replace(at, end, put)
		s = s[:at] + put + s[end:]
		text := b.Snapshot()
		from := max(0, min(at, len(s)-1)-r.IntN(400))
		pattern := s[from:min(len(s), from+1+r.IntN(900))]
		for _, pattern := range []string{pattern, strings.ReplaceAll(pattern, "\r\n", "\n")} {
			got := slices.Collect(text.Matches(pattern, true))
			if want := matchesOf(s, pattern, true); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %q is at %v, found at %v", seed, pattern, want, got)
			}
		}
	}
}

func TestMatchesOfNothing(t *testing.T) {
	for _, text := range []Text{{}, New("a")} {
		for _, pattern := range []string{"", "b", "longer than the text"} {
			for m := range text.Matches(pattern, true) {
				t.Errorf("%q in %q: %v", pattern, text.String(), m)
			}
		}
	}
}

// FuzzMatches holds Matches to what the strings package finds.
func FuzzMatches(f *testing.F) {
	f.Add("one\r\ntwo\n", "\n", []byte{0})
	f.Add(strings.Repeat("ab", 1000), strings.Repeat("ab", 30), []byte{3, 100})
	f.Add(strings.Repeat("a", 1000), strings.Repeat("a", 300)+"b", []byte{20})
	f.Add("\r\n\n\r\n\r\r\n", "\n\n", []byte{1, 2})
	f.Add("x\r\ny\r\r\n", "x\ny\r", []byte{})
	f.Fuzz(func(t *testing.T, s, pattern string, cuts []byte) {
		if err := checkMatches(s, pattern, cuts); err != nil {
			t.Fatal(err)
		}
	})
}

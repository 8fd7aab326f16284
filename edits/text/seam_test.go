package text

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// seams returns where the chunks of the buffer end.
func seams(b *Buffer) []int {
	var ends []int
	c := &cursor{}
	for c.seekByte(b.current(), 0); ; {
		ends = append(ends, c.end())
		if !c.next() {
			return ends
		}
	}
}

// edited is a buffer beside its text.
type edited struct {
	t *testing.T
	b *Buffer
	s string
}

func (e *edited) replace(at, end int, put string) {
	e.t.Helper()
	e.b.Replace(at, end, put)
	e.s = e.s[:at] + put + e.s[end:]
	if err := sound(e.b, e.s, true); err != nil {
		e.t.Fatalf("[%d,%d) by %.60q: %v", at, end, put, err)
	}
}

// TestCodePointsComeTogetherAtSeams puts and deletes bytes so that a code point
// comes to be where two chunks meet.
func TestCodePointsComeTogetherAtSeams(t *testing.T) {
	t.Parallel()
	first := NewBuffer(New(strings.Repeat("x", 5000)))
	for i := range len(seams(first)) - 1 {
		for cut := 1; cut < 4; cut++ {
			for _, then := range []string{"before", "after", "between"} {
				e := &edited{t, NewBuffer(New(strings.Repeat("x", 5000))), strings.Repeat("x", 5000)}
				seam := seams(e.b)[i]
				head, tail := "😀"[:cut], "😀"[cut:]
				switch then {
				case "before":
					e.replace(seam-len(head), seam, head)
					e.replace(seam, seam+len(tail), tail)
				case "after":
					e.replace(seam, seam+len(tail), tail)
					e.replace(seam-len(head), seam, head)
				case "between":
					e.replace(seam-100, seam-100, head)
					e.replace(seam+200, seam+200, tail)
					e.replace(seam-100+len(head), seam+200, "")
				}
			}
		}
	}
}

// TestTypingBetweenBytesOfACodePoint deletes a byte between two bytes that together form a
// code point, in a chunk where each byte counts as a code point.
func TestTypingBetweenBytesOfACodePoint(t *testing.T) {
	t.Parallel()
	e := &edited{t, NewBuffer(New(strings.Repeat("\xc3x\xa9", 200))), strings.Repeat("\xc3x\xa9", 200)}
	e.replace(300, 300, "y")
	for range 10 {
		e.b.ReplaceRange(Position{0, 301}, Position{0, 301}, UTF8, "z")
		e.s = e.s[:301] + "z" + e.s[301:]
	}
	e.b.ReplaceRange(Position{0, 1}, Position{0, 2}, UTF8, "")
	e.s = e.s[:1] + e.s[2:]
	if err := sound(e.b, e.s, true); err != nil {
		t.Fatal(err)
	}
}

// TestLeavesThatComeTogetherStayFrozen deletes so much that nodes of a snapshot
// are put into new ones, and then writes all chunks.
func TestLeavesThatComeTogetherStayFrozen(t *testing.T) {
	t.Parallel()
	for from := 10_000; from < 40_000; from += 3_000 {
		start := strings.Repeat("some line\n", 8_000)
		e := &edited{t, NewBuffer(New(start)), start}
		for at := 0; at < len(start); at += newChunk {
			e.b.Replace(at, at+1, "S") // all chunks are the buffer's own
			e.s = e.s[:at] + "S" + e.s[at+1:]
		}
		want, snap := e.s, e.b.Snapshot()
		e.replace(from, from+30_000, "")
		for at := 0; at < len(e.s); at += 100 {
			e.b.Replace(at, at+1, "T")
			e.s = e.s[:at] + "T" + e.s[at+1:]
		}
		if err := sound(e.b, e.s, true); err != nil {
			t.Fatal(err)
		}
		if err := same(snap, want); err != nil {
			t.Fatalf("the snapshot has changed: %v", err)
		}
	}
}

// TestAllIsDeleted deletes all of a text of one chunk that the buffer does not own.
func TestAllIsDeleted(t *testing.T) {
	t.Parallel()
	e := &edited{t, NewBuffer(New("short\n")), "short\n"}
	e.replace(0, len(e.s), "")
	e.replace(0, 0, "new\n")
}

// TestMuchComesAndGoes checks that the tree stays sound while whole levels of it are added and removed.
func TestMuchComesAndGoes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	e := &edited{t, NewBuffer(Text{}), ""}
	for range 400 {
		at := r.IntN(len(e.s) + 1)
		end := at
		if len(e.s) > 200_000 || r.IntN(3) == 0 {
			end = min(len(e.s), at+r.IntN(1+len(e.s)))
		}
		put := ""
		if r.IntN(2) == 0 || len(e.s) < 10_000 {
			put = strings.Repeat("one more line\n", r.IntN(8_000))
		}
		e.replace(at, end, put)
	}
}

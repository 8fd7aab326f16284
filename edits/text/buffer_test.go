package text

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestSnapshotsStay reads snapshots while the buffer that gave them is edited.
func TestSnapshotsStay(t *testing.T) {
	t.Parallel()
	type taken struct {
		text Text
		want string
	}
	r := rand.New(rand.NewPCG(1, 2))
	s := strings.Repeat("one line, and 日本 😀\n", 4000)
	b := NewBuffer(New(s))
	given := make(chan taken)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			var first taken
			for k := range given {
				if first.want == "" {
					first = k
				}
				for _, k := range []taken{k, first} {
					if k.text.Hash() != New(k.want).Hash() {
						t.Error("the hash of a snapshot has changed")
					}
					if err := same(k.text, k.want); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for i := range 300 {
		k := taken{b.Snapshot(), s}
		given <- k
		if i%3 == 0 {
			given <- k // two read it at once
		}
		at, put := r.IntN(len(s)/3), "x"
		for range 20 {
			at = modelFloor(s, at)
			p := modelPosition(s, at, UTF16)
			b.ReplaceRange(p, p, UTF16, put)
			s = s[:at] + put + s[at:]
		}
		at = modelFloor(s, r.IntN(len(s)/2))
		b.Replace(at, at+1000, "")
		s = s[:at] + s[at+1000:]
		s2 := strings.Repeat("put in\n", r.IntN(300))
		b.Replace(0, 0, s2)
		s = s2 + s
	}
	close(given)
	readers.Wait()
}

func TestTypingHardlyAllocates(t *testing.T) {
	b := NewBuffer(New(strings.Repeat("some line\n", 10_000)))
	p := Position{5000, 3}
	b.ReplaceRange(p, p, UTF16, "x")
	got := testing.AllocsPerRun(50, func() {
		for range 100 {
			p.Character++
			b.ReplaceRange(p, p, UTF16, "x")
		}
	})
	// A leaf grows now and then, and is halved when it is full.
	if got > 4 {
		t.Errorf("100 typed characters allocate %v times", got)
	}
	if got := testing.AllocsPerRun(1000, func() {
		b.ReplaceRange(Position{p.Line, p.Character - 1}, p, UTF16, "")
		b.ReplaceRange(Position{p.Line, p.Character - 1}, Position{p.Line, p.Character - 1}, UTF16, "y")
	}); got != 0 {
		t.Errorf("one typed character allocates %v times", got)
	}
}

func TestWhatIsPutInIsCopied(t *testing.T) {
	t.Parallel()
	message := strings.Repeat("a message\n", 100_000)
	b := NewBuffer(New("short\n"))
	b.Replace(0, 0, message[10:20])
	b.Replace(5, 5, message[1000:3000])
	b.Replace(0, 0, message[:200_000])
	for c := (&cursor{}); ; {
		if c.leaf == nil {
			c.seekByte(b.current(), 0)
		}
		if offsetIn(message, c.chunk().p) >= 0 {
			t.Fatalf("the chunk at %d is a part of the message", c.at.bytes)
		}
		if !c.next() {
			return
		}
	}
}

func TestTheOriginalIsLetGo(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("some line\n", 20_000)
	b := NewBuffer(New(s))
	for at := 0; at < len(s); at += newChunk {
		b.Replace(at, at+1, "x")
		if at < len(s)/5 && b.tree.origin == "" {
			t.Fatalf("at %d of %d bytes, the original is gone already", at, len(s))
		}
	}
	if b.tree.origin != "" {
		t.Error("the original is kept though it is in no chunk")
	}
}

func TestTextIsHeldOnce(t *testing.T) {
	t.Parallel()
	b := NewBuffer(New(strings.Repeat("some line\n", 20_000)))
	b.Replace(5, 6, "x")
	snap := b.Snapshot()
	s := snap.String()
	runs := 0
	for run := range snap.Runs() {
		runs++
		if offsetIn(s, &bytesOf(run)[0]) != 0 {
			t.Error("the run is a copy")
		}
	}
	if b.Replace(5, 6, "y"); runs != 1 || b.tree.origin == "" || offsetIn(s, &bytesOf(b.tree.origin)[0]) != 0 {
		t.Errorf("%d runs; the buffer keeps %d bytes, want the string alone", runs, len(b.tree.origin))
	}
}

func TestPlacesOutsidePanic(t *testing.T) {
	t.Parallel()
	edited := New(strings.Repeat("x", 10_000)).Replace(0, 1, "y")
	for name, f := range map[string]func(){
		"replace past the end":       func() { NewBuffer(New("ab")).Replace(0, 3, "") },
		"replace back to front":      func() { NewBuffer(New("ab")).Replace(2, 1, "") },
		"replace before the start":   func() { NewBuffer(New("ab")).Replace(-1, 1, "") },
		"slice past the end":         func() { edited.Slice(9_999, 10_001) },
		"slice a buffer past itself": func() { NewBuffer(New("ab")).Slice(0, 3) },
		"slice the empty text":       func() { Text{}.Slice(0, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

package headless

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
)

var alphabet = []string{"a", "é", "漢", "😀", "\n", "\r\n", "\r", "\u2028", "", "x\ny", "👩‍👩‍👧", "\x00"}

func randomText(r *rand.Rand, n int) string {
	s := ""
	for range r.IntN(n + 1) {
		s += alphabet[r.IntN(len(alphabet))]
	}
	return s
}

// randomSpan returns two code point boundaries of s.
func randomSpan(r *rand.Rand, s string) (int, int) {
	at := func() int {
		off := r.IntN(len(s) + 1)
		for off < len(s) && s[off]&0xC0 == 0x80 {
			off++
		}
		return off
	}
	a, b := at(), at()
	return min(a, b), max(a, b)
}

// TestWireOrderIsBufferOrder types into two buffers from several goroutines,
// undoes and redoes, while the server edits both. A mirror built from the
// didChanges alone must end as the buffers do, in every encoding, and every
// edit that was answered with applied:true must have been in the mirror before
// the answer came.
func TestWireOrderIsBufferOrder(t *testing.T) {
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		t.Run(encoding, func(t *testing.T) {
			e, s := start(t, Options{}, func(s *fakeserver.Server) { s.Encoding = encoding })
			var buffers []*Buffer
			for i, first := range []string{"", "line\r\n漢字 😀\r\n\r\nend"} {
				b, err := e.OpenText(fmt.Sprintf("untitled:%d", i), "plaintext", first)
				if err != nil {
					t.Fatal(err)
				}
				buffers = append(buffers, b)
			}
			var wg sync.WaitGroup
			for n := range 4 {
				wg.Go(func() { typeAtRandom(t, buffers, rand.New(rand.NewPCG(1, uint64(n)))) })
			}
			applied := 0
			wg.Go(func() { applied = editAtRandom(t, s, buffers, rand.New(rand.NewPCG(2, 2))) })
			wg.Wait()
			if err := e.Call(t.Context(), "test/barrier", nil, nil); err != nil {
				t.Fatal(err)
			}
			for _, b := range buffers {
				m, _ := s.Doc(b.URI())
				if m.Text != b.Text() || m.Version != b.Version() {
					t.Errorf("%s: mirror %d %q\nbuffer %d %q", b.URI(), m.Version, m.Text, b.Version(), b.Text())
				}
				if b.Version() < 100 {
					t.Errorf("%s was hardly edited", b.URI())
				}
			}
			if applied == 0 {
				t.Error("no edit of the server was applied")
			}
		})
	}
}

func typeAtRandom(t *testing.T, buffers []*Buffer, r *rand.Rand) {
	for range 150 {
		b := buffers[r.IntN(len(buffers))]
		s := b.Text() // may be old by the time it is used
		start, end := randomSpan(r, s)
		if end > start+20 || r.IntN(3) > 0 {
			end = start
		}
		var err error
		switch r.IntN(6) {
		case 0:
			err = b.Type(randomText(r, 2))
		case 1:
			b.Undo()
		case 2:
			b.Redo()
		case 3:
			err = b.Change(edits.Edit{Start: start, End: end, New: "ab"}, edits.Edit{Start: start + 1, End: start + 1, New: "😀"})
		case 4:
			err = b.Insert(start, randomText(r, 3))
		case 5:
			err = b.Replace(start, end, randomText(r, 3))
		}
		if err != nil && !errors.Is(err, ErrBadRange) {
			t.Error(err)
		}
	}
}

// editAtRandom edits as a server would: on the mirror's text and version.
func editAtRandom(t *testing.T, s *fakeserver.Server, buffers []*Buffer, r *rand.Rand) (applied int) {
	for range 200 {
		uri := buffers[r.IntN(len(buffers))].URI()
		m, _ := s.Doc(uri)
		start, end := randomSpan(r, m.Text)
		end = min(end, start+8)
		for end < len(m.Text) && m.Text[end]&0xC0 == 0x80 {
			end++
		}
		insert := randomText(r, 3) + "!"
		got := s.Apply("", fakeserver.TextEdits(uri, m.Version, editOf(m.Text, start, end, s.Encoding, insert)))
		if got.Err != nil {
			t.Errorf("%v", got.Err)
			continue
		}
		if !*got.Applied {
			continue
		}
		applied++
		if got.Docs[uri].Version <= m.Version {
			t.Error("the answer came before the didChange")
		}
	}
	return applied
}

// TestApplyEditIsExact checks the text after one applied edit, built from the
// didChange that follows it and nothing else.
func TestApplyEditIsExact(t *testing.T) {
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		e, s := start(t, Options{}, func(s *fakeserver.Server) { s.Encoding = encoding })
		r := rand.New(rand.NewPCG(3, 3))
		for n := range 200 {
			before := randomText(r, 12)
			b, err := e.OpenText(fmt.Sprintf("untitled:%d", n), "plaintext", before)
			if err != nil {
				t.Fatal(err)
			}
			// Disjoint edits, in a random order, some of them touching.
			var list []TextEdit
			want, at := "", 0
			for at < len(before) && len(list) < 4 {
				start, end := randomSpan(r, before[at:])
				start, end = start+at, end+at
				insert := randomText(r, 2)
				list = append(list, editOf(before, start, end, encoding, insert))
				want += before[at:start] + insert
				at = end
				if start == end && r.IntN(2) == 0 {
					break // two edits at one place would have to keep their order
				}
				if start == end {
					_, next := randomSpan(r, before[at:])
					want += before[at : at+next]
					at += next
					if next == 0 {
						break
					}
				}
			}
			want += before[at:]
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			got := s.Apply("", fakeserver.TextEdits(b.URI(), 1, list...))
			got.MustApply(t)
			if m := got.Docs[b.URI()]; b.Text() != want || m.Text != want {
				listed, _ := json.Marshal(list)
				t.Fatalf("%s: %q with %s\n gave %q\nsent %q\nwant %q", encoding, before, listed, b.Text(), m.Text, want)
			}
			b.Undo()
			if b.Text() != before {
				t.Fatalf("undo gave %q, want %q", b.Text(), before)
			}
		}
	}
}

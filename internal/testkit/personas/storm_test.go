package personas

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// stormStep is one event of a document. Its numbers are reduced to valid ones, so that any
// list of steps can be run.
type stormStep struct {
	what   string // type, undo, redo, edit, check, save, reload, flush, pass
	at, to int
	text   string
}

func stormSteps(r *rand.Rand, n int) []stormStep {
	kinds := strings.Fields("type type type undo redo edit edit check save reload flush pass pass")
	steps := make([]stormStep, n)
	for i := range steps {
		steps[i] = stormStep{kinds[r.IntN(len(kinds))], r.IntN(100), r.IntN(5), alphabet[r.IntN(len(alphabet))]}
	}
	return steps
}

// span returns the two places of a step in s, neither inside a code point.
func (p stormStep) span(s string) (start, end int) {
	start = runeBoundary(s, p.at%(len(s)+1))
	return start, max(start, runeBoundary(s, min(len(s), start+p.to)))
}

func runeBoundary(s string, off int) int {
	for off > 0 && off < len(s) && s[off]&0xC0 == 0x80 {
		off--
	}
	return off
}

// runStorm runs steps in a bubble and returns what is wrong then, or "".
func runStorm(t *testing.T, p Persona, first string, steps []stormStep) (wrong string) {
	t.Helper()
	path := writeFile(t, t.TempDir()+"/f", first)
	var mu sync.Mutex
	report := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		if wrong == "" {
			wrong = s
		}
	}
	inBubble(t, func(t *testing.T) {
		e, s := startOn(t, p, func(s *fakeserver.Server) { s.Report, s.AnyVersion = report, p.Faults != Faults{} })
		b := open(t, e, path)
		for i, step := range steps {
			if err := step.do(e, s, b); err != nil {
				report(fmt.Sprintf("step %d, %+v: %v", i, step, err))
			}
			pass(0)
			m, _ := s.Doc(b.URI())
			if !Pending(b) && (m.Text != b.Text() || m.Version != b.Version()) {
				report(fmt.Sprintf("after step %d, %+v: the server has %d %q, the buffer %d %q", i, step, m.Version, m.Text, b.Version(), b.Text()))
			}
			if wrong != "" {
				break
			}
		}
		pass(time.Second)
		if Pending(b) {
			report("something is pending after a second")
		}
	})
	return wrong
}

func (p stormStep) do(e *headless.Editor, s *fakeserver.Server, b *headless.Buffer) error {
	before := b.Text()
	start, end := p.span(before)
	switch p.what {
	case "type":
		return b.Replace(start, end, p.text)
	case "undo":
		b.Undo()
	case "redo":
		b.Redo()
	case "edit", "check":
		edit := editOf(before, start, end, s.Encoding, p.text)
		s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), edit))
		pass(0)
		after := b.Text()
		if p.what == "edit" || after == before {
			return nil
		}
		if b.Undo(); b.Text() != before {
			return fmt.Errorf("one undo of %+v gives %q, want %q", edit, b.Text(), before)
		}
		if b.Redo(); b.Text() != after {
			return fmt.Errorf("redo of %+v gives %q, want %q", edit, b.Text(), after)
		}
	case "save":
		return b.Save()
	case "reload":
		return Reload(e, b)
	case "flush":
		if Flush(e); Pending(b) {
			return errors.New("flushed and still pending")
		}
	case "pass":
		pass(time.Duration(p.at) * 5 * ms)
	}
	return nil
}

// shrunk takes steps away as long as the storm goes wrong.
func shrunk(t *testing.T, p Persona, first string, steps []stormStep) []stormStep {
	t.Helper()
	for size := len(steps) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(steps); {
			less := append(append([]stormStep{}, steps[:i]...), steps[i+size:]...)
			if runStorm(t, p, first, less) != "" {
				steps = less
			} else {
				i += size
			}
		}
	}
	return steps
}

// TestPersonasKeepTheServerInStep types, undoes, saves and edits at random. The server
// must know the text of the buffer of each persona whenever nothing is pending, and one
// undo must revert one applyEdit. PATCHLS_SEED repeats a run.
func TestPersonasKeepTheServerInStep(t *testing.T) {
	seed := chance.Seed(t)
	hostile := named(t, "hostile")
	hostile.Faults.Ignored, hostile.Faults.Silent, hostile.Faults.Lost = 0, 0, 0
	for i, p := range chance.Sample(append([]Persona{{}}, append(All()[:9], hostile)...)) {
		t.Run(p.Name, func(t *testing.T) {
			for j, first := range []string{"", "one\ntwo\nthree", "漢\r\n😀 b\r\n\r\n", "a\rb\r\nc\n"} {
				r := rand.New(rand.NewPCG(seed, uint64(10*i+j)))
				steps := stormSteps(r, 80)
				wrong := runStorm(t, p, first, steps)
				if wrong == "" {
					continue
				}
				steps = shrunk(t, p, first, steps)
				t.Fatalf("%s\nshrunk, of %q: %+v\n%s", wrong, first, steps, runStorm(t, p, first, steps))
			}
		})
	}
}

// TestLateWireOrder is TestWireOrderIsBufferOrder for the editors that are late:
// in real time, from several goroutines.
func TestLateWireOrder(t *testing.T) {
	for _, name := range []string{"vscode", "neovim", "helix", "eglot", "sublime"} {
		t.Run(name, func(t *testing.T) {
			p := named(t, name)
			p.Sync.By /= 50
			e, s := start(t, p, headless.Options{}, func(s *fakeserver.Server) { s.Jumps = true })
			buffers := []*headless.Buffer{openText(t, e, "untitled:0", ""), openText(t, e, "untitled:1", "line\r\n漢字 😀\r\n\r\nend")}
			var typing sync.WaitGroup
			for n := range 3 {
				typing.Go(func() {
					r := rand.New(rand.NewPCG(1, uint64(n)))
					for range 300 {
						b := buffers[r.IntN(len(buffers))]
						start, end := randomSpan(r, b.Text())
						if err := b.Replace(start, end, alphabet[r.IntN(len(alphabet))]); err != nil && !errors.Is(err, headless.ErrBadRange) {
							t.Error(err)
						}
					}
				})
			}
			typing.Go(func() {
				r := rand.New(rand.NewPCG(2, 2))
				for range 100 {
					b := buffers[r.IntN(len(buffers))]
					s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), at(0, 0, 0, r.IntN(2), "agent\n")))
				}
			})
			typing.Wait()
			Flush(e)
			if err := e.Call(context.Background(), "test/barrier", nil, nil); err != nil {
				t.Fatal(err)
			}
			for _, b := range buffers {
				if got := s.TextOf(b.URI()); got != b.Text() {
					t.Errorf("the server has %q\nthe buffer %q", got, b.Text())
				}
			}
		})
	}
}

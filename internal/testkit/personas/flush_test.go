package personas

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

const ms = time.Millisecond

// typeAtStart types s at the start.
func typeAtStart(t *testing.T, b *headless.Buffer, s string) {
	t.Helper()
	if err := b.Insert(0, s); err != nil {
		t.Fatal(err)
	}
}

// TestLateness: an editor may hold back the didChange of typing (hazard: held-back-changes).
// The user types at the times given, and didChanges must have come at the others, counted
// from the opening.
func TestLateness(t *testing.T) {
	tests := []struct {
		name, persona string
		typed, sent   []time.Duration
	}{
		{"at once", "", []time.Duration{0, 10 * ms}, []time.Duration{0, 10 * ms}},
		{"VS Code sends typing at once", "vscode", []time.Duration{0, 10 * ms}, []time.Duration{0, 10 * ms}},
		{"Neovim's first change waits for a pause", "neovim", []time.Duration{0, 100 * ms}, []time.Duration{250 * ms}},
		{"Neovim's later ones keep 150 ms apart", "neovim",
			[]time.Duration{0, 400 * ms, 410 * ms, 540 * ms, 560 * ms},
			[]time.Duration{150 * ms, 400 * ms, 550 * ms, 700 * ms}},
		{"eglot waits until nobody typed for 500 ms", "eglot", []time.Duration{0, 400 * ms}, []time.Duration{900 * ms}},
		{"Sublime waits for a pause of 300 ms", "sublime", []time.Duration{0, 200 * ms, 600 * ms}, []time.Duration{500 * ms, 900 * ms}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, test.persona))
				b := openText(t, e, "untitled:1", "one\n")
				settle(s)
				var sent []time.Duration
				for now := time.Duration(0); now <= time.Second; now += 10 * ms {
					if len(test.typed) > 0 && test.typed[0] == now {
						test.typed = test.typed[1:]
						typeAtStart(t, b, "x")
					}
					if got := arrived(s); got == "didChange" {
						sent = append(sent, now)
					} else if got != "" {
						t.Errorf("at %v the server got %s", now, got)
					}
					if Pending(b) == (s.TextOf(b.URI()) == b.Text()) {
						t.Errorf("at %v pending is %t, the server has %q", now, Pending(b), s.TextOf(b.URI()))
					}
					pass(10 * ms)
				}
				if len(sent) != len(test.sent) {
					t.Fatalf("didChange came at %v, want %v", sent, test.sent)
				}
				for i := range sent {
					if sent[i] != test.sent[i] {
						t.Errorf("didChange came at %v, want %v", sent, test.sent)
					}
				}
			})
		})
	}
}

// TestFlushedBefore: pending changes of a document are written before a request about it,
// before didSave and didClose, and by Flush; before a command only if requested (hazard:
// held-back-changes).
func TestFlushedBefore(t *testing.T) {
	for _, persona := range []string{"neovim", "eglot", "sublime"} {
		for _, test := range []struct {
			name    string
			do      func(*headless.Editor, *headless.Buffer) error
			want    string
			pending bool
		}{
			{"Flush", func(e *headless.Editor, _ *headless.Buffer) error { Flush(e); return nil }, "didChange", false},
			{"didSave", func(_ *headless.Editor, b *headless.Buffer) error { return b.Save() }, "didChange didSave", false},
			{"didClose", func(_ *headless.Editor, b *headless.Buffer) error { b.Close(); return nil }, "didChange didClose", false},
			{"a request", func(e *headless.Editor, b *headless.Buffer) error {
				return e.Call(context.Background(), "textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": b.URI()}}, nil)
			}, "didChange diagnostic", false},
			{"a request about nothing", func(e *headless.Editor, _ *headless.Buffer) error {
				return e.Call(context.Background(), "test/barrier", nil, nil)
			}, "test/barrier", true},
			{"a command", func(e *headless.Editor, _ *headless.Buffer) error {
				_, err := e.Execute(context.Background(), "x", nil)
				return err
			}, "workspace/executeCommand", true},
		} {
			t.Run(persona+" "+test.name, func(t *testing.T) {
				dir := t.TempDir()
				inBubble(t, func(t *testing.T) {
					e, s := startOn(t, named(t, persona), func(s *fakeserver.Server) {
						s.Execute = func(string, []json.RawMessage) (any, *fakeserver.Error) { return true, nil }
					})
					b := open(t, e, writeFile(t, dir+"/f", "one\n"))
					other := openText(t, e, "untitled:1", "")
					settle(s)
					typeAtStart(t, b, "x")
					if err := test.do(e, b); err != nil {
						t.Fatal(err)
					}
					wantArrived(t, s, test.want)
					if Pending(b) != test.pending || Pending(other) {
						t.Errorf("pending: %t, %t", Pending(b), Pending(other))
					}
				})
			})
		}
	}
}

// TestTypingWaitsForTheAnswer: typing into a buffer whose didChange waits for the
// answer comes after it, so that the order on the wire is the buffer's.
func TestTypingWaitsForTheAnswer(t *testing.T) {
	for _, persona := range []string{"vscode", "eglot", "neovim"} {
		t.Run(persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := named(t, persona)
				e, s := start(t, p, headless.Options{Habits: Decides(func(_ context.Context, e *headless.Editor, p *headless.ApplyEditParams, next func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
					r := next(p)
					b, _ := e.Buffer("untitled:1")
					typeAtStart(t, b, "typed ")
					return r, sleep(context.Background(), time.Second)
				})}, func(s *fakeserver.Server) { s.Jumps = true })
				b := openText(t, e, "untitled:1", "one\n")
				s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), at(0, 0, 0, 3, "two"))).MustApply(t)
				pass(2 * time.Second)
				wantText(t, b, "typed two\n")
				if got := s.TextOf(b.URI()); got != b.Text() {
					t.Errorf("the server has %q", got)
				}
			})
		})
	}
}

// TestKillDropsWhatIsPending: an editor that crashes writes nothing more, and leaves no
// timer behind in the bubble.
func TestKillDropsWhatIsPending(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, s := startAs(t, named(t, "neovim"))
		b := openText(t, e, "untitled:1", "one\n")
		settle(s)
		typeAtStart(t, b, "x")
		e.Kill()
		pass(time.Second)
		wantArrived(t, s, "")
		typeAtStart(t, b, "y") // the server is not sent this change any more
		if b.Text() != "yxone\n" {
			t.Errorf("the buffer is %q", b.Text())
		}
	})
}

// TestEditAfterTheAnswer: an edit that a test makes long after its answer was written is
// reported too.
func TestEditAfterTheAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, s := start(t, named(t, "vscode"), headless.Options{Habits: Decides(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
			time.AfterFunc(time.Second, func() { next(p) })
			return headless.ApplyEditResult{Applied: true}, nil
		})}, nil)
		b := openText(t, e, "untitled:1", "one\n")
		s.Apply("", fakeserver.TextEdits(b.URI(), 1, at(0, 0, 0, 0, "x"))).MustApply(t)
		pass(time.Second + afterAnswer)
		wantBoth(t, s, b, "xone\n")
	})
}

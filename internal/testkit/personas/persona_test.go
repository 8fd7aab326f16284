package personas

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// inBubble runs f in virtual time. Channels pooled by jsonrpc2 must neither enter nor
// leave the bubble; two garbage collections empty its pools.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	empty := func() {
		runtime.GC()
		runtime.GC()
	}
	empty()
	defer empty()
	synctest.Test(t, f)
}

// named returns a persona of the table.
func named(t *testing.T, name string) Persona {
	t.Helper()
	p, ok := Named(name)
	if !ok {
		t.Fatalf("no persona %q", name)
	}
	return p
}

// start returns an editor of that persona on a running server; script may set the server
// up.
func start(t *testing.T, p Persona, o headless.Options, script func(*fakeserver.Server)) (*headless.Editor, *fakeserver.Server) {
	t.Helper()
	s, pipe := fakeserver.New(t)
	if script != nil {
		script(s)
	}
	go s.Run()
	e, err := headless.Start(t.Context(), pipe, p.Options(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		_ = s.Conn.Close()
		<-s.Done
	})
	return e, s
}

// startAs returns an editor of that persona, in a bubble.
func startAs(t *testing.T, p Persona) (*headless.Editor, *fakeserver.Server) {
	t.Helper()
	return startOn(t, p, nil)
}

// startOn is startAs with a server that script has set up.
func startOn(t *testing.T, p Persona, script func(*fakeserver.Server)) (*headless.Editor, *fakeserver.Server) {
	t.Helper()
	e, s := start(t, p, headless.Options{}, func(s *fakeserver.Server) {
		s.Jumps = true
		if script != nil {
			script(s)
		}
	})
	settle(s)
	return e, s
}

// pass lets time pass, and then everything happen that is due.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // in virtual time
	synctest.Wait()
}

// settle lets everything happen that needs no time, and forgets what arrived.
func settle(s *fakeserver.Server) {
	synctest.Wait()
	s.Events()
}

// arrived returns what the server got after the last call, without the numbers
// of answers.
func arrived(s *fakeserver.Server) string {
	synctest.Wait()
	var short []string
	for _, m := range s.Events() {
		if strings.HasPrefix(m, "answer") {
			m = "answer"
		}
		short = append(short, strings.TrimPrefix(m, "textDocument/"))
	}
	return strings.Join(short, " ")
}

func wantArrived(t *testing.T, s *fakeserver.Server, want string) {
	t.Helper()
	if got := arrived(s); got != want {
		t.Errorf("the server got %q, want %q", got, want)
	}
}

// TestOrderOfAnswerAndChange has whether an editor's answer or its didChange comes first, the
// versions, and the delays (hazards: late-didchange, version-jumps).
func TestOrderOfAnswerAndChange(t *testing.T) {
	tests := []struct {
		persona       string
		first, change int32 // versions
		order         string
		late          time.Duration // of the didChange after the answer
	}{
		{"", 1, 2, "didChange answer", 0},
		{"vscode", 1, 2, "answer didChange", time.Millisecond},
		{"neovim", 0, 5, "answer didChange", 150 * time.Millisecond},
		{"zed", 0, 1, "didChange answer", 0},
		{"eglot", 0, 1, "answer didChange", time.Millisecond},
		{"sublime", 0, 1, "answer didChange", 300 * time.Millisecond},
		{"kakoune", 1, 2, "answer didChange", 0},
	}
	for _, test := range tests {
		t.Run(test.persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, test.persona))
				b := openText(t, e, "untitled:1", "one\ntwo\n")
				pass(time.Second) // the user does nothing
				if m, _ := s.Doc(b.URI()); m.Version != test.first {
					t.Errorf("opened with version %d, want %d", m.Version, test.first)
				}
				settle(s)
				began := time.Now()
				s.Apply("", fakeserver.TextEdits(b.URI(), test.first, at(0, 0, 0, 3, "ONE"))).MustApply(t)
				synctest.Wait()
				wantText(t, b, "ONE\ntwo\n")
				for s.TextOf(b.URI()) != "ONE\ntwo\n" {
					pass(time.Millisecond / 2)
				}
				if took := time.Since(began); took != test.late {
					t.Errorf("the didChange came after %v, want %v", took, test.late)
				}
				wantArrived(t, s, test.order)
				if m, _ := s.Doc(b.URI()); m.Version != test.change {
					t.Errorf("changed with version %d, want %d", m.Version, test.change)
				}
				if Pending(b) {
					t.Error("something is still pending")
				}
			})
		})
	}
}

// TestPersonasAreNamed: every persona can be found by its name, and says who it is.
func TestPersonasAreNamed(t *testing.T) {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
		if got := named(t, p.Name); got.ClientName != p.ClientName || p.ClientName == "" {
			t.Errorf("%s is %q and %q", p.Name, got.ClientName, p.ClientName)
		}
	}
	want := []string{"vscode", "vscode-plugin", "neovim", "neovim-plugin", "zed", "helix", "eglot", "sublime", "kakoune", "hostile"}
	if !slices.Equal(names, want) {
		t.Errorf("the personas are %q", names)
	}
	if _, ok := Named("ed"); ok {
		t.Error("there is a persona that is none")
	}
}

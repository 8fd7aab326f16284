package headless

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs f in virtual time. Pooled channels of jsonrpc2 must get neither in
// nor out; two collections empty its pools.
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
	p, ok := PersonaNamed(name)
	if !ok {
		t.Fatalf("no persona %q", name)
	}
	return p
}

// startAs returns an editor of that persona, in a bubble.
func startAs(t *testing.T, p Persona) (*Editor, *fakeServer) {
	t.Helper()
	return startOn(t, p, nil)
}

// startOn is startAs with a server that script has set up.
func startOn(t *testing.T, p Persona, script func(*fakeServer)) (*Editor, *fakeServer) {
	t.Helper()
	e, s := start(t, Options{Persona: p}, func(s *fakeServer) {
		s.jumps = true
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
func settle(s *fakeServer) {
	synctest.Wait()
	s.events()
}

// arrived returns what the server got after the last call, without the numbers
// of answers.
func arrived(s *fakeServer) string {
	synctest.Wait()
	var short []string
	for _, m := range s.events() {
		if strings.HasPrefix(m, "answer") {
			m = "answer"
		}
		short = append(short, strings.TrimPrefix(m, "textDocument/"))
	}
	return strings.Join(short, " ")
}

func wantArrived(t *testing.T, s *fakeServer, want string) {
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
				if m, _ := s.doc(b.URI()); m.version != test.first {
					t.Errorf("opened with version %d, want %d", m.version, test.first)
				}
				settle(s)
				began := time.Now()
				s.apply("", textEdits(b.URI(), test.first, at(0, 0, 0, 3, "ONE"))).mustApply(t)
				synctest.Wait()
				wantText(t, b, "ONE\ntwo\n")
				for s.textOf(b.URI()) != "ONE\ntwo\n" {
					pass(time.Millisecond / 2)
				}
				if took := time.Since(began); took != test.late {
					t.Errorf("the didChange came after %v, want %v", took, test.late)
				}
				wantArrived(t, s, test.order)
				if m, _ := s.doc(b.URI()); m.version != test.change {
					t.Errorf("changed with version %d, want %d", m.version, test.change)
				}
				if b.Pending() {
					t.Error("something is still pending")
				}
			})
		})
	}
}

// TestPersonasAreNamed: every persona can be found by its name, and says who it is.
func TestPersonasAreNamed(t *testing.T) {
	var names []string
	for _, p := range Personas() {
		names = append(names, p.Name)
		if got := named(t, p.Name); got.ClientName != p.ClientName || p.ClientName == "" {
			t.Errorf("%s is %q and %q", p.Name, got.ClientName, p.ClientName)
		}
	}
	want := []string{"vscode", "vscode-plugin", "neovim", "neovim-plugin", "zed", "helix", "eglot", "sublime", "kakoune", "hostile"}
	if !slices.Equal(names, want) {
		t.Errorf("the personas are %q", names)
	}
	if _, ok := PersonaNamed("ed"); ok {
		t.Error("there is a persona that is none")
	}
}

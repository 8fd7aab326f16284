package personas

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestEditOfClosedFile has the messages that arrive when a closed file is edited, the text
// of the first didOpen, the file on disk afterwards, and whether the buffer is dirty
// (hazards: unannounced-file, writes-to-disk).
func TestEditOfClosedFile(t *testing.T) {
	tests := []struct {
		persona, events, opened, disk string
		dirty                         bool
	}{
		{"", "didOpen didChange answer", "one\n", "one\n", true},
		{"vscode", "didOpen answer didChange", "one\n", "one\n", true},
		{"neovim", "answer didOpen", "xone\n", "one\n", true},
		{"neovim-plugin", "didOpen didChange patchls/synced answer", "one\n", "one\n", true},
		{"zed", "didOpen didChange answer", "one\n", "one\n", true},
		{"eglot", "answer didOpen didOpen", "xone\n", "one\n", true},
		{"kakoune", "answer didOpen", "xone\n", "xone\n", false},
	}
	for _, test := range tests {
		t.Run(test.persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startOn(t, named(t, test.persona), func(s *fakeserver.Server) { s.Twice = true })
				path := writeFile(t, dir+"/f", "one\n")
				s.Apply("", fakeserver.TextEdits(uriOf(path), nil, at(0, 0, 0, 0, "x"))).MustApply(t)
				pass(time.Second)
				wantArrived(t, s, test.events)
				b, ok := e.Buffer(path)
				if !ok {
					t.Fatal("it is not open")
				}
				wantBoth(t, s, b, "xone\n")
				if got := s.OpenedWith(b.URI()); got != test.opened {
					t.Errorf("opened with %q, want %q", got, test.opened)
				}
				wantFile(t, path, test.disk)
				if b.Dirty() != test.dirty || Pending(b) {
					t.Errorf("dirty %t, pending %t", b.Dirty(), Pending(b))
				}
			})
		})
	}
}

// TestClosedFileOfWhichNobodyIsTold: Neovim edits a file to which no client attaches (hazard:
// unannounced-file).
func TestClosedFileOfWhichNobodyIsTold(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, func(t *testing.T) {
		p := named(t, "neovim")
		p.Files.Closed = ClosedUntold
		e, s := startAs(t, p)
		path := writeFile(t, dir+"/f", "one\n")
		s.Apply("", fakeserver.TextEdits(uriOf(path), nil, at(0, 0, 0, 0, "x"))).MustApply(t)
		b, _ := e.Buffer(path)
		typeAtStart(t, b, "y")
		Flush(e)
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
		b.Close()
		pass(time.Second)
		wantArrived(t, s, "answer")
		wantFile(t, path, "yxone\n")
	})
}

// TestLateOpen: the didOpen that follows the answer contains all earlier changes, and no
// notification about the document precedes it.
func TestLateOpen(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, func(t *testing.T) {
		p := named(t, "neovim")
		e, s := start(t, p, headless.Options{Habits: Decides(func(_ context.Context, e *headless.Editor, p *headless.ApplyEditParams, next func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
			r := next(p)
			b, _ := e.Buffer(dir + "/f")
			typeAtStart(t, b, "typed ")
			if !Pending(b) {
				t.Error("nothing is pending")
			}
			return r, sleep(context.Background(), time.Second)
		})}, nil)
		settle(s)
		s.Apply("", fakeserver.TextEdits(uriOf(writeFile(t, dir+"/f", "one\n")), nil, at(0, 0, 0, 0, "x"))).MustApply(t)
		wantArrived(t, s, "answer didOpen")
		b, _ := e.Buffer(dir + "/f")
		wantBoth(t, s, b, "typed xone\n")
		if m, _ := s.Doc(b.URI()); m.Version != 0 || b.Version() != 0 {
			t.Errorf("opened with version %d, the buffer has %d", m.Version, b.Version())
		}
	})
}

// TestCreateFile: CreateFile without options truncates a file in some editors, and most of
// them create a new file on disk at once (hazard: create-truncates).
func TestCreateFile(t *testing.T) {
	tests := []struct{ persona, exists, disk, fresh string }{
		{"", "no with a reason at 0", "old\n", "none"},
		{"vscode", "no", "old\n", ""},
		{"neovim", "yes", "", ""},
		{"zed", "yes", "old\n", ""},
		{"helix", "yes", "", ""},
		{"eglot", `error -32603 unsupported operation "create"`, "old\n", "none"},
		{"sublime", "no with a reason at 0", "old\n", ""},
		{"kakoune", "yes", "", ""},
	}
	for _, test := range tests {
		t.Run(test.persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, test.persona))
				old := writeFile(t, dir+"/old", "old\n")
				if got := said(s.Apply("", map[string]any{"kind": "create", "uri": uriOf(old)})); got != test.exists {
					t.Errorf("the answer is %q, want %q", got, test.exists)
				}
				pass(time.Second)
				wantFile(t, old, test.disk)
				s.Apply("", map[string]any{"kind": "create", "uri": uriOf(dir + "/new")})
				pass(time.Second)
				fresh, err := os.ReadFile(dir + "/new")
				if (err == nil) != (test.fresh != "none") || len(fresh) > 0 {
					t.Errorf("the new file has %q, %v", fresh, err)
				}
				if _, open := e.Buffer(dir + "/new"); open != (test.persona == "") {
					t.Errorf("the new file is open: %t", open)
				}
			})
		})
	}
}

// TestCreateAndEdit: a file that is made and edited by one applyEdit.
func TestCreateAndEdit(t *testing.T) {
	for _, persona := range []string{"", "vscode", "neovim-plugin", "zed", "helix", "sublime", "kakoune"} {
		t.Run(persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, persona))
				u := uriOf(dir + "/new")
				s.Apply("", map[string]any{"kind": "create", "uri": u, "options": map[string]any{"ignoreIfExists": true}},
					fakeserver.TextEdits(u, nil, at(0, 0, 0, 0, "x\n"))).MustApply(t)
				pass(time.Second)
				b, ok := e.Buffer(u)
				if !ok {
					t.Fatal("it is not open")
				}
				want := "x\n"
				if persona == "neovim-plugin" { // an empty text is "\n" there
					want = "x\n\n"
				}
				wantBoth(t, s, b, want)
			})
		})
	}
}

// TestMissingFile: some editors make a file by an edit, without CreateFile (hazard:
// create-truncates).
func TestMissingFile(t *testing.T) {
	for persona, made := range map[string]bool{
		"": false, "vscode": false, "neovim": true, "zed": false, "helix": true, "eglot": true, "sublime": false, "kakoune": false,
	} {
		t.Run(persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startOn(t, named(t, persona), func(s *fakeserver.Server) { s.Twice = true })
				r := s.Apply("", fakeserver.TextEdits(uriOf(dir+"/new"), nil, at(0, 0, 0, 0, "hello\n")))
				pass(time.Second)
				b, open := e.Buffer(dir + "/new")
				if open != made || open && !b.Dirty() {
					t.Errorf("made: %t, the answer is %s", open, said(r))
				}
				if _, err := os.Stat(dir + "/new"); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("it is on disk: %v", err)
				}
				if persona == "neovim" || persona == "helix" {
					wantBoth(t, s, b, "hello\n\n") // the text of a new file is "\n"
				}
			})
		})
	}
}

// TestUntitled: an untitled document that is not open lands in a junk buffer in Neovim; all
// edit one that is open (hazard: junk-buffer).
func TestUntitled(t *testing.T) {
	for _, p := range All() {
		if p.Name == "hostile" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, p)
				b := openText(t, e, "untitled:open", "one\n")
				s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), at(0, 0, 0, 3, "two"))).MustApply(t)
				pass(time.Second)
				wantBoth(t, s, b, "two\n")
				r := said(s.Apply("", fakeserver.TextEdits("untitled:new", nil, at(0, 0, 0, 0, "x"))))
				pass(time.Second)
				if yes := r == "yes"; yes != slices.Contains([]string{"neovim", "neovim-plugin", "zed", "kakoune"}, p.Name) {
					t.Errorf("the answer is %s", r)
				}
				if len(e.Buffers()) != 1 {
					t.Errorf("%d buffers", len(e.Buffers()))
				}
			})
		})
	}
}

// TestKakouneWritesHidden: kakoune writes a buffer that is hidden and clean; not the current
// one, and not a dirty one (hazard: writes-to-disk).
func TestKakouneWritesHidden(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, func(t *testing.T) {
		e, s := startAs(t, named(t, "kakoune"))
		var buffers []*headless.Buffer
		for _, name := range []string{"hidden", "dirty", "current"} {
			buffers = append(buffers, open(t, e, writeFile(t, dir+"/"+name, name+"\n")))
		}
		typeAtStart(t, buffers[1], "typed ")
		typeAtStart(t, buffers[2], "typed")
		buffers[2].Undo()
		for _, b := range buffers {
			s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), at(0, 0, 0, 0, "x"))).MustApply(t)
		}
		pass(time.Second)
		wantFile(t, dir+"/hidden", "xhidden\n")
		wantFile(t, dir+"/dirty", "dirty\n")
		wantFile(t, dir+"/current", "current\n")
		wantBoth(t, s, buffers[1], "xtyped dirty\n")
		wantBoth(t, s, buffers[2], "xcurrent\n")
	})
}

// TestReloadReopens: Neovim's :e! is didClose and didOpen with version 0 (hazard:
// version-jumps).
func TestReloadReopens(t *testing.T) {
	for persona, want := range map[string]string{"": "didChange", "neovim": "didChange didClose didOpen"} {
		t.Run(persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, persona))
				b := open(t, e, writeFile(t, dir+"/f", "one\n"))
				writeFile(t, dir+"/f", "two\n")
				settle(s)
				if err := Reload(e, b); err != nil {
					t.Fatal(err)
				}
				wantArrived(t, s, want)
				wantBoth(t, s, b, "two\n")
				if m, _ := s.Doc(b.URI()); persona == "neovim" && (m.Version != 0 || b.Version() != 0) {
					t.Errorf("version %d, the buffer has %d", m.Version, b.Version())
				}
			})
		})
	}
}

// TestSaveWithoutPlugin: only patchls' own clients know patchls/save, and say so.
func TestSaveWithoutPlugin(t *testing.T) {
	for _, p := range append(All(), Persona{}) {
		knows := p.Name == "" || p.Name == "hostile" || strings.HasSuffix(p.Name, "-plugin")
		t.Run(p.Name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				_, s := start(t, p, headless.Options{}, nil)
				m := s.Call("patchls/save", map[string]any{"uris": []string{}})
				if (m.Error == nil) != knows || !knows && m.Error.Code != -32601 {
					t.Errorf("error %v", m.Error)
				}
				var p struct {
					Capabilities struct{ Experimental json.RawMessage }
				}
				_ = json.Unmarshal(s.WaitFor("initialize"), &p)
				if (len(p.Capabilities.Experimental) > 0) != knows {
					t.Errorf("declared %s", p.Capabilities.Experimental)
				}
			})
		})
	}
}

// TestReloadDecodesAnew: a file that is not CRLF any more is not saved as CRLF.
func TestReloadDecodesAnew(t *testing.T) {
	dir := t.TempDir()
	inBubble(t, func(t *testing.T) {
		e, _ := startAs(t, named(t, "eglot"))
		b := open(t, e, writeFile(t, dir+"/f", "a\r\n"))
		writeFile(t, dir+"/f", "b\n")
		if err := Reload(e, b); err != nil {
			t.Fatal(err)
		}
		_ = b.Insert(0, "a")
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir+"/f", "ab\n")
	})
}

// TestVersionOfAClosedFile: no real editor checks the version of a file that is not open, but for
// Neovim with the plugin; the compliant one knows of none (hazard: unchecked-version).
func TestVersionOfAClosedFile(t *testing.T) {
	for persona, want := range map[string]string{
		"": "no with a reason at 0", "vscode": "yes", "neovim": "yes", "neovim-plugin": "no with a reason at 0", "zed": "yes",
		"helix": "yes", "eglot": "yes", "sublime": "yes", "kakoune": "yes",
	} {
		t.Run(persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startOn(t, named(t, persona), func(s *fakeserver.Server) { s.Twice = true })
				u := uriOf(writeFile(t, dir+"/f", "one\n"))
				if got := said(s.Apply("", fakeserver.TextEdits(u, 7, at(0, 0, 0, 0, "x")))); got != want {
					t.Errorf("the answer is %s", got)
				}
				pass(time.Second)
				if _, open := e.Buffer(u); open != (want == "yes") {
					t.Errorf("open: %t", open)
				}
			})
		})
	}
}

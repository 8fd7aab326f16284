package personas

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestLineEnds has the text of the didOpen of a file, the result of inserting "\n" and
// "\r\n", and the saved file (hazards: line-ends, lone-cr).
func TestLineEnds(t *testing.T) {
	tests := []struct {
		persona, disk, opened, newText, text, saved string
	}{
		{"", "a\r\nb\r\n", "a\r\nb\r\n", "x\n", "x\na\r\nb\r\n", "x\na\r\nb\r\n"},
		{"vscode", "a\r\nb\r\n", "a\r\nb\r\n", "x\n", "x\r\na\r\nb\r\n", "x\r\na\r\nb\r\n"},
		{"vscode", "a\nb\n", "a\nb\n", "x\r\n", "x\na\nb\n", "x\na\nb\n"},
		{"vscode", "a\r\nb\nc\r\n", "a\r\nb\r\nc\r\n", "x\n", "x\r\na\r\nb\r\nc\r\n", "x\r\na\r\nb\r\nc\r\n"},
		{"vscode", "a\rb\nc\n", "a\nb\nc\n", "x\r", "x\na\nb\nc\n", "x\na\nb\nc\n"},
		{"neovim", "a\r\nb\r\n", "a\r\nb\r\n", "x\n", "x\r\na\r\nb\r\n", "x\r\na\r\nb\r\n"},
		{"neovim", "a\r\nb\nc\r\n", "a\r\nb\nc\r\n", "x\r\n", "x\na\r\nb\nc\r\n", "x\na\r\nb\nc\r\n"},
		{"neovim", "a\rb\n", "a\rb\n", "x\r\n", "x\na\rb\n", "x\na\rb\n"},
		{"helix", "a\r\nb\r\n", "a\r\nb\r\n", "x\n", "x\na\r\nb\r\n", "x\na\r\nb\r\n"},
		{"kakoune", "a\r\nb\r\n", "a\r\nb\r\n", "x\n", "x\na\r\nb\r\n", "x\na\r\nb\r\n"},
		{"eglot", "a\r\nb\r\n", "a\nb\n", "x\n", "x\na\nb\n", "x\r\na\r\nb\r\n"},
		{"eglot", "a\r\nb\r\n", "a\nb\n", "x\r\n", "x\r\na\nb\n", "x\r\r\na\r\nb\r\n"},
		{"eglot", "a\r\nb\n", "a\r\nb\n", "x\n", "x\na\r\nb\n", "x\na\r\nb\n"},
		{"sublime", "a\r\nb\r\n", "a\nb\n", "x\r\n", "x\na\nb\n", "x\r\na\r\nb\r\n"},
	}
	for _, test := range tests {
		t.Run(test.persona+" "+test.disk, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, test.persona))
				path := writeFile(t, dir+"/f", test.disk)
				b := open(t, e, path)
				wantBoth(t, s, b, test.opened)
				if b.Dirty() {
					t.Error("it is dirty when opened")
				}
				s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), at(0, 0, 0, 0, test.newText))).MustApply(t)
				pass(time.Second)
				wantBoth(t, s, b, test.text)
				if err := b.Save(); err != nil {
					t.Fatal(err)
				}
				wantFile(t, path, test.saved)
			})
		})
	}
}

// wantBoth wants the buffer and the server's mirror to have that text.
func wantBoth(t *testing.T, s *fakeserver.Server, b *headless.Buffer, want string) {
	t.Helper()
	pass(0)
	wantText(t, b, want)
	if got := s.TextOf(b.URI()); got != want {
		t.Errorf("the server has %q, want %q", got, want)
	}
}

// TestTypedLineEnds: a user cannot type another kind of line end than the
// buffer has, nor cut one in two.
func TestTypedLineEnds(t *testing.T) {
	for _, persona := range []string{"vscode", "neovim"} {
		t.Run(persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, persona))
				b := openText(t, e, "untitled:1", "a\r\nb\r\n")
				for _, c := range []struct {
					start, end int
					text, want string
				}{
					{1, 1, "\n", "a\r\n\r\nb\r\n"},
					{2, 3, "", "a\r\nb\r\n"},
					{2, 5, "-\r", "a-\r\n\r\n"},
				} {
					if err := b.Replace(c.start, c.end, c.text); err != nil {
						t.Fatal(err)
					}
					wantText(t, b, c.want)
				}
				b.SetCursor(0)
				if err := b.Type("x\ny"); err != nil || b.Cursor() != len("x\r\ny") {
					t.Errorf("the cursor is at %d, %v", b.Cursor(), err)
				}
				if err := b.Replace(0, len(b.Text()), "1\n2\n"); err != nil {
					t.Fatal(err)
				}
				Flush(e)
				wantBoth(t, s, b, "1\r\n2\r\n")
			})
		})
	}
}

// TestNeovimFinalNewline has what edits at the end of a buffer do in Neovim (hazards:
// final-newline, past-the-end, empty-buffer).
func TestNeovimFinalNewline(t *testing.T) {
	tests := []struct {
		name, disk, opened string
		edit               headless.TextEdit
		text, saved        string
	}{
		{"an empty file is a newline", "", "\n", at(0, 0, 0, 0, "hello\n"), "hello\n\n", "hello\n\n"},
		{"an empty file, its line replaced", "", "\n", at(0, 0, 1, 0, "hello\n"), "hello\n", "hello\n"},
		{"a newline added at the end", "x\ny", "x\ny", at(1, 1, 1, 1, "\n"), "x\ny\n", "x\ny\n\n"},
		{"any edit of a file without one", "x\ny", "x\ny", at(0, 0, 0, 1, "X"), "X\ny", "X\ny\n"},
		{"the last one taken away", "x\ny\n", "x\ny\n", at(1, 1, 2, 0, ""), "x\ny\n", "x\ny\n"},
		{"past the end", "x\n", "x\n", at(9, 0, 9, 0, "y"), "x\ny\n", "x\ny\n"},
		{"after the final newline", "x\n", "x\n", at(1, 0, 1, 0, "y\n"), "x\ny\n\n", "x\ny\n\n"},
		{"after the last line", "x\n", "x\n", at(0, 1, 0, 1, "\ny"), "x\ny\n", "x\ny\n"},
		{"the last line deleted", "x\ny\n", "x\ny\n", at(1, 0, 2, 0, ""), "x\n", "x\n"},
		{"all of it replaced", "x\ny\n", "x\ny\n", at(0, 0, 9999, 0, "z\n"), "z\n", "z\n"},
		{"all of it replaced without one", "x\ny\n", "x\ny\n", at(0, 0, 9999, 0, "z"), "z\n", "z\n"},
		{"all of it deleted", "x\ny\n", "x\ny\n", at(0, 0, 2, 0, ""), "\n", "\n"},
		{"in CRLF", "x\r\ny\r\n", "x\r\ny\r\n", at(0, 0, 9999, 0, "z\n"), "z\r\n", "z\r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, "neovim"))
				path := writeFile(t, dir+"/f", test.disk)
				b := open(t, e, path)
				wantBoth(t, s, b, test.opened)
				s.Apply("", fakeserver.TextEdits(b.URI(), 0, test.edit)).MustApply(t)
				pass(time.Second)
				wantBoth(t, s, b, test.text)
				if err := b.Save(); err != nil {
					t.Fatal(err)
				}
				wantFile(t, path, test.saved)
				wantBoth(t, s, b, test.text) // no didChange tells of what saving adds
				if b.Undo(); test.text != test.opened {
					Flush(e)
					wantBoth(t, s, b, test.opened)
					b.Redo()
					Flush(e)
					wantBoth(t, s, b, test.text)
				}
			})
		})
	}
}

// TestNeovimTransientText: the first didChange of an edit at the end of the file, or of
// several edits, has a text that is not the final one; the correct one follows 150 ms
// later (hazard: transient-text). Edits that change nothing are reported too.
func TestNeovimTransientText(t *testing.T) {
	tests := []struct {
		name  string
		edits []headless.TextEdit
		first string
		last  string
	}{
		{"the end of the file", []headless.TextEdit{at(0, 0, 2, 0, "z\n")}, "z\n\n", "z\n"},
		{"two edits", []headless.TextEdit{at(0, 0, 0, 1, "X"), at(1, 0, 1, 1, "Y")}, "x\nY\n", "X\nY\n"},
		{"nothing", []headless.TextEdit{at(1, 1, 2, 0, "")}, "x\ny\n", "x\ny\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, "neovim"))
				b := openText(t, e, "untitled:1", "x\ny\n")
				typeAtStart(t, b, "?")
				b.Undo()
				Flush(e) // so that the next one is not the first
				pass(time.Second)
				s.Events()
				r := s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), test.edits...))
				r.MustApply(t)
				if got := r.Docs[b.URI()].Text; got != test.first {
					t.Errorf("with the answer the server had %q, want %q", got, test.first)
				}
				wantText(t, b, test.last)
				wantArrived(t, s, "didChange answer")
				pass(149 * ms)
				wantArrived(t, s, "")
				pass(ms)
				want := "didChange"
				if test.first == test.last {
					want = ""
				}
				wantArrived(t, s, want)
				if got := s.TextOf(b.URI()); got != test.last {
					t.Errorf("the server has %q, want %q", got, test.last)
				}
			})
		})
	}
}

// TestWholeLines: Neovim sends whole lines for an insert (hazard: other-ranges).
func TestWholeLines(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, s := startAs(t, named(t, "neovim"))
		b := openText(t, e, "untitled:1", "one\ntwo\n")
		if err := b.Insert(5, "x"); err != nil {
			t.Fatal(err)
		}
		Flush(e)
		const want = `"contentChanges":[{"range":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"text":"txwo\n"}]`
		if got := string(s.WaitFor("textDocument/didChange")); !strings.Contains(got, want) {
			t.Errorf("sent %s", got)
		}
	})
}

// TestFinalNewlineOnSave: Helix and Emacs add a missing final newline with a didChange,
// Neovim without, and VS Code leaves the file (hazard: newline-on-save).
func TestFinalNewlineOnSave(t *testing.T) {
	for _, test := range []struct{ persona, text, saved, events string }{
		{"", "xa", "xa", "didSave"},
		{"vscode", "xa", "xa", "didSave"},
		{"neovim", "xa", "xa\n", "didSave"},
		{"helix", "xa\n", "xa\n", "didChange didSave"},
		{"eglot", "xa\n", "xa\n", "didChange didSave"},
	} {
		t.Run(test.persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, test.persona))
				b := open(t, e, writeFile(t, dir+"/f", "a"))
				typeAtStart(t, b, "x")
				Flush(e)
				settle(s)
				if err := b.Save(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(named(t, test.persona).Sync.SavesLate) //nolint:forbidigo // in a bubble
				wantArrived(t, s, test.events)
				wantText(t, b, test.text)
				if got, err := os.ReadFile(b.Path()); err != nil || string(got) != test.saved {
					t.Errorf("saved %q, %v", got, err)
				}
				if b.Dirty() {
					t.Error("it is dirty")
				}
			})
		})
	}
}

package personas

import (
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/fakeserver"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// TestEditsThatAreNotAllowed has the answers to edits that overlap, are out of range or are empty,
// and the resulting text of "one\ntwo\n" (hazards: overlapping-edits, past-the-end, empty-edit).
func TestEditsThatAreNotAllowed(t *testing.T) {
	overlap := []headless.TextEdit{at(0, 0, 0, 2, "X"), at(0, 1, 0, 3, "Y")}
	equal := []headless.TextEdit{at(0, 0, 0, 3, "X"), at(0, 0, 0, 3, "X")}
	beyond := []headless.TextEdit{at(9, 0, 9, 0, "X")}
	tests := []struct {
		name, persona string
		edits         []headless.TextEdit
		answer, text  string
	}{
		{"overlap", "", overlap, "no with a reason at 0", "one\ntwo\n"},
		{"overlap", "vscode", overlap, "no", "one\ntwo\n"},
		{"overlap", "neovim", overlap, "yes", "X\ntwo\n"},
		{"overlap", "zed", overlap, "yes", "XY\ntwo\n"},
		{"overlap", "helix", overlap, "yes", "one\ntwo\n"},
		{"overlap", "eglot", overlap, "yes", "X\ntwo\n"},
		{"overlap", "sublime", overlap, "yes", "X\ntwo\n"},
		{"the same twice", "zed", equal, "yes", "X\ntwo\n"},
		{"the same twice", "helix", equal, "yes", "one\ntwo\n"},

		{"beyond", "", beyond, "no with a reason at 0", "one\ntwo\n"},
		{"beyond", "vscode", beyond, "yes", "one\ntwo\nX"},
		{"beyond", "neovim", beyond, "yes", "one\ntwo\nX\n"},
		{"beyond", "zed", beyond, "yes", "one\ntwo\nX"},
		{"beyond", "helix", beyond, "yes", "one\ntwo\n"},
		{"beyond", "eglot", beyond, "yes", "one\ntwo\nX"},
		{"beyond", "sublime", beyond, "yes", "one\ntwo\nX"},

		{"empty", "", nil, "yes", "one\ntwo\n"},
		{"empty", "vscode", nil, "no", "one\ntwo\n"},
		{"empty", "neovim", nil, "yes", "one\ntwo\n"},
		{"empty", "zed", nil, "yes", "one\ntwo\n"},
		{"empty", "helix", nil, "yes", "one\ntwo\n"},
		{"empty", "eglot", nil, "yes", "one\ntwo\n"},
		{"empty", "sublime", nil, "yes", "one\ntwo\n"},
		{"empty", "kakoune", nil, "yes", "one\ntwo\n"},
	}
	for _, test := range tests {
		t.Run(test.name+" "+test.persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, test.persona))
				b := openText(t, e, "untitled:1", "one\ntwo\n")
				r := s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), test.edits...))
				pass(time.Second)
				if got := said(r); got != test.answer {
					t.Errorf("the answer is %q, want %q", got, test.answer)
				}
				wantText(t, b, test.text)
				if got := s.TextOf(b.URI()); got != b.Text() {
					t.Errorf("the server has %q, the buffer %q", got, b.Text())
				}
				if b.Text() != "one\ntwo\n" {
					if b.Undo(); b.Text() != "one\ntwo\n" {
						t.Errorf("one undo gives %q", b.Text())
					}
				}
			})
		})
	}
}

// TestBeyondWithoutFinalNewline: VS Code joins what is put past the end to the last line
// ("threeINSERTED"); Sublime puts a newline before it (hazard: past-the-end).
func TestBeyondWithoutFinalNewline(t *testing.T) {
	for persona, want := range map[string]string{
		"vscode": "threeINSERTED", "sublime": "three\nINSERTED", "neovim": "three\nINSERTED",
	} {
		t.Run(persona, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, persona))
				b := openText(t, e, "untitled:1", "three")
				s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), at(1, 0, 1, 0, "INSERTED"))).MustApply(t)
				wantText(t, b, want)
			})
		})
	}
}

// TestNullMembers: vim.NIL is true in Lua, so Neovim fails on "options":null; the others take
// it for absent (hazard: null-member).
func TestNullMembers(t *testing.T) {
	for _, persona := range []string{"neovim", "vscode", "helix", "zed"} {
		t.Run(persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, persona))
				b := openText(t, e, "untitled:1", "one\n")
				_ = uriOf(dir)
				create := map[string]any{"kind": "create", "uri": uriOf(dir + "/new"), "options": nil}
				want := "yes"
				if persona == "neovim" {
					want = "no with a reason"
				}
				if got := said(s.Apply("", create)); got != want {
					t.Errorf("options null: %s", got)
				}
				both := map[string]any{"edit": map[string]any{
					"documentChanges": nil, "changes": map[string]any{b.URI(): []headless.TextEdit{at(0, 0, 0, 0, "x")}},
				}}
				if got := said(s.ApplyEdit(both)); got != want {
					t.Errorf("documentChanges null: %s", got)
				}
				// LSP allows a null version, which is none of those errors.
				if got := said(s.Apply("", fakeserver.TextEdits(b.URI(), nil, at(0, 0, 0, 0, "x")))); got != "yes" {
					t.Errorf("version null: %s", got)
				}
			})
		})
	}
}

// TestOneByOne: changes before a failing one stay, unless all changes are checked first
// (hazard: second-document).
func TestOneByOne(t *testing.T) {
	for _, test := range []struct{ persona, want, answer string }{
		{"", "one\n", "no with a reason at 1"},
		{"vscode", "one\n", "no"},
		{"neovim-plugin", "one\n", "no with a reason at 1"},
		{"neovim", "ONE\n", "no with a reason"},
		{"zed", "ONE\n", "yes"},
		{"helix", "ONE\n", "no with a reason at 1"},
		{"eglot", "ONE\n", "error"},
		{"sublime", "ONE\n", "no with a reason at 1"},
	} {
		t.Run(test.persona, func(t *testing.T) {
			dir := t.TempDir()
			inBubble(t, func(t *testing.T) {
				e, s := startAs(t, named(t, test.persona))
				b := openText(t, e, "untitled:1", "one\n")
				r := s.Apply("", fakeserver.TextEdits(b.URI(), b.Version(), at(0, 0, 0, 3, "ONE")),
					fakeserver.TextEdits(uriOf(writeFile(t, dir+"/latin1", "\xe9")), nil, at(0, 0, 0, 0, "x")))
				if answer := said(r); answer != test.answer && (test.answer != "error" || r.Err == nil) {
					t.Errorf("the answer is %s", answer)
				}
				wantText(t, b, test.want)
			})
		})
	}
}

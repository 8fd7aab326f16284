package lsp_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

func TestUndoTakesBackOneEditAndNothingElse(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n"}, headless.Options{})
	b := s.open("a.txt")
	first := s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	second := s.edit("insert", args{"path": "a.txt", "after_line": 3, "content": "agent"})
	if err := b.Insert(0, "typed "); err != nil {
		t.Fatal(err)
	}
	if err := b.Insert(len("typed one\n2\nthree\nagent\n"), "more\n"); err != nil {
		t.Fatal(err)
	}
	r := s.edit("undo", args{"edit_id": first.EditID})
	if want := "typed one\ntwo\nthree\nagent\nmore\nfour\n"; b.Text() != want || !r.Verified || r.EditID != first.EditID {
		t.Errorf("buffer %q, want %q, result %+v", b.Text(), want, r)
	}
	if r.Message != "Undid edit "+first.EditID+" in a.txt." {
		t.Errorf("message %q", r.Message)
	}
	s.edit("undo", args{"path": "a.txt"})
	if want := "typed one\ntwo\nthree\nmore\nfour\n"; b.Text() != want {
		t.Errorf("buffer %q, want %q", b.Text(), want)
	}
	if f := s.fail("undo", args{}); f.Kind != "nothing_to_undo" {
		t.Errorf("%+v", f)
	}
	if f := s.fail("undo", args{"edit_id": second.EditID}); f.Kind != "nothing_to_undo" {
		t.Errorf("%+v", f)
	}
}

// An edit that adds a line is undone beside a line that another edit has put in right behind the line above.
func TestUndoOfALineBesideAnother(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "P\nQ\n"}, headless.Options{})
	b := s.open("a.txt")
	first := s.edit("str_replace", args{"path": "a.txt", "old_str": "P", "new_str": "P\nX"})
	second := s.edit("insert", args{"path": "a.txt", "after_line": 1, "content": "Y"})
	s.edit("undo", args{"edit_id": first.EditID})
	if b.Text() != "P\nY\nQ\n" {
		t.Errorf("buffer %q", b.Text())
	}
	if s.edit("undo", args{"edit_id": second.EditID}); b.Text() != "P\nQ\n" {
		t.Errorf("buffer %q", b.Text())
	}
}

func TestUndoRefusesWhereItsTextWasChanged(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{})
	b := s.open("a.txt")
	e := s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "replaced"})
	if err := b.Insert(len("one\nrep"), "TYPED"); err != nil {
		t.Fatal(err)
	}
	before := b.Text()
	f := s.fail("undo", args{"edit_id": e.EditID})
	if f.Kind != "undo_conflict" || !strings.Contains(f.Message, "repTYPEDlaced") || !strings.Contains(f.Message, `"two"`) || !strings.Contains(f.Snippet, "repTYPEDlaced") {
		t.Errorf("%+v", f)
	}
	if b.Text() != before {
		t.Errorf("buffer %q", b.Text())
	}
	// Without the typed text nothing is in the way.
	b.Undo()
	s.edit("undo", args{"edit_id": e.EditID})
	if want := "one\ntwo\nthree\n"; b.Text() != want {
		t.Errorf("buffer %q, want %q", b.Text(), want)
	}
}

func TestUndoAfterTheEditorsOwnUndo(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
	b := s.open("a.txt")
	e := s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	b.Undo()
	if f := s.fail("undo", args{"edit_id": e.EditID}); f.Kind != "nothing_to_undo" || !strings.Contains(f.Message, "taken back already") {
		t.Errorf("%+v", f)
	}
}

// TestUndoOfWhatTheUserHasMoved: where the edit was, the text reads as before, but what it put in is elsewhere.
func TestUndoOfWhatTheUserHasMoved(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\n"
	below, word := args{"after_line": 1, "content": "new line"}, args{"old_str": "two", "new_str": "two and more"}
	for name, tt := range map[string]struct {
		command   string
		args      args
		cut, back string // what the user removes, and what is there instead
		paste     string // what the user puts in
		behind    string // behind that
		says      string // "" if nothing is left of the edit
	}{
		"a line":                             {"insert", below, "new line\n", "", "new line\n", "four\n", `Edit e1 of a.txt cannot be taken back: what it wrote is at line 5 now, and not where it wrote it: "new line"; edit the text instead.`},
		"a line that is indented there":      {"insert", below, "new line\n", "", "\tnew line\n", "four\n", "at line 5 now"},
		"lines":                              {"insert", args{"after_line": 1, "content": "new 1\nnew 2"}, "new 1\nnew 2\n", "", "new 1\nnew 2\n", "three\n", "at line 4 now"},
		"one of the lines":                   {"insert", args{"after_line": 1, "content": "new 1\nnew 2"}, "new 1\nnew 2\n", "", "new 2\n", "three\n", "at line 4 now"},
		"a word to another line":             {"str_replace", word, " and more", "", " and more", "four", "at line 4 now"},
		"text that replaced another":         {"str_replace", args{"old_str": "two", "new_str": "zwei"}, "zwei", "two", "zwei\n", "three\n", "at line 4 now"},
		"text that was there before as well": {"insert", args{"after_line": 1, "content": "three"}, "three\n", "", "three\n", "four\n", ""},
		"a letter":                           {"insert", args{"after_line": 1, "content": "x"}, "x\n", "", "x\n", "four\n", ""},
		"nothing":                            {"insert", below, "new line\n", "", "another\n", "four\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, map[string]string{"a.txt": text}, headless.Options{})
			b := s.open("a.txt")
			edit := maps.Clone(tt.args)
			edit["path"] = "a.txt"
			e := s.edit(tt.command, edit)
			at := strings.Index(b.Text(), tt.cut)
			if err := b.Replace(at, at+len(tt.cut), tt.back); err != nil || b.Text() != text {
				t.Fatalf("%v, the text is %q", err, b.Text())
			}
			if err := b.Insert(strings.Index(text, tt.behind)+len(tt.behind), tt.paste); err != nil {
				t.Fatal(err)
			}
			moved, want := b.Text(), "undo_conflict"
			if tt.says == "" {
				want = "nothing_to_undo"
			}
			if f := s.fail("undo", args{"edit_id": e.EditID}); string(f.Kind) != want || !strings.Contains(f.Message, tt.says) || b.Text() != moved {
				t.Errorf("%+v, and the buffer is %q", f, b.Text())
			}
		})
	}
}

func TestUndoOfAPatchIsOneForAllItsFiles(t *testing.T) {
	s := startFive(t, true, nil)
	r := s.edit("apply_patch", args{"patch": fivePatch})
	if err := s.open("a.txt").Insert(0, "typed\n"); err != nil {
		t.Fatal(err)
	}
	if back := s.edit("undo", args{"edit_id": r.EditID, "dry_run": true}); back.Applied || len(back.Files) == 0 {
		t.Errorf("%+v", back)
	}
	s.edit("undo", args{"edit_id": r.EditID})
	texts := s.texts()
	for name, want := range fiveOld {
		if name == "a.txt" {
			want = "typed\n" + want
		}
		if texts[name] != want {
			t.Errorf("%s is %q, want %q", name, texts[name], want)
		}
	}
}

// TestUndoOfAPatchOfWhichAFileIsUndone: in a file in which the user has undone the edit, nothing is left to be undone.
func TestUndoOfAPatchOfWhichAFileIsUndone(t *testing.T) {
	const a, b = "a.txt", "b.txt"
	patch := "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+1\n"
	for _, first := range []string{a, b} {
		s := start(t, map[string]string{a: "one\n", b: "one\n"}, headless.Options{})
		texts := map[string]*headless.Buffer{a: s.open(a), b: s.open(b)}
		e := s.edit("apply_patch", args{"patch": patch})
		texts[first].Undo()
		r := s.edit("undo", args{"edit_id": e.EditID})
		if len(r.Files) != 1 || r.Files[0].Path == first || texts[a].Text() != "one\n" || texts[b].Text() != "one\n" {
			t.Errorf("%+v, and the texts are %q and %q", r, texts[a].Text(), texts[b].Text())
		}
		texts[first].Redo()
		if s.edit("undo", args{"edit_id": e.EditID}); texts[first].Text() != "one\n" {
			t.Errorf("made again and undone, %s is %q", first, texts[first].Text())
		}
		if f := s.fail("undo", args{"edit_id": e.EditID}); f.Kind != "nothing_to_undo" {
			t.Errorf("%+v", f)
		}
	}
}

func TestUndoOfAPatchIsRefusedAsAWhole(t *testing.T) {
	s := startFive(t, true, nil)
	r := s.edit("apply_patch", args{"patch": fivePatch})
	b := s.open("b.txt")
	if err := b.Replace(strings.Index(b.Text(), "B2"), strings.Index(b.Text(), "B2")+1, "X"); err != nil {
		t.Fatal(err)
	}
	before := s.texts()
	if f := s.fail("undo", args{"edit_id": r.EditID}); f.Kind != "undo_conflict" || f.Path != "b.txt" {
		t.Errorf("%+v", f)
	}
	for name, was := range before {
		if now := s.texts()[name]; now != was {
			t.Errorf("%s is %q, was %q", name, now, was)
		}
	}
}

func TestListShowsDocumentsAndEdits(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, headless.Options{})
	s.open("a.txt")
	e := s.edit("str_replace", oneToTwo)
	l := run[view.Listing](s, "list", args{})
	if len(l.Documents) != 1 || !l.Documents[0].Dirty || l.Documents[0].Path != "a.txt" || l.Documents[0].Rev != e.Files[0].Rev {
		t.Errorf("%+v", l)
	}
	if len(l.Edits) != 1 || l.Edits[0].EditID != e.EditID || l.Edits[0].Command != "str_replace" || l.Edits[0].Paths[0] != "a.txt" {
		t.Errorf("%+v", l)
	}
}

func TestListTakesNoArguments(t *testing.T) {
	s := start(t, nil, headless.Options{})
	if f, want := s.fail("list", args{"path": "a.txt"}), `Unknown argument "path": the arguments are none.`; f.Message != want {
		t.Errorf("got %q, want %q", f.Message, want)
	}
}

// When the editor opens a file for an edit and makes the edit in many steps, it is still
// one edit.
func TestUndoOfManyPlacesInAClosedFile(t *testing.T) {
	text := strings.Repeat("some\n", 400)
	s := start(t, map[string]string{"a.txt": text}, headless.Options{})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "some", "new_str": "any", "replace_all": true})
	b, _ := s.Buffer("a.txt")
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	b.Close()
	s.edit("undo", args{})
	if b, ok := s.Buffer("a.txt"); !ok || b.Text() != text {
		t.Error("it was not taken back")
	}
}

// The undo of a renaming names the files where they are by then: saving what it names
// loses nothing.
func TestUndoOfARenameNamesTheFileThatIsThere(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "d.txt": "other\n"}, headless.Options{})
	r := s.edit("apply_patch", beginPatch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-one", "+two", "*** Update File: d.txt", "@@", "-other", "+more"))
	save := func(r transaction.Result) {
		for _, f := range r.Files {
			if err := s.SaveAll(f.URI); err != nil {
				t.Errorf("%s: %v", f.URI, err)
			}
		}
	}
	save(r)
	r = s.edit("undo", args{"edit_id": r.EditID})
	for _, f := range r.Files {
		if want := s.path(map[string]string{"b.txt": "a.txt", "d.txt": "d.txt"}[f.Path]); f.URI != paths.FileURI(want) || !f.Open || !f.Dirty {
			t.Errorf("%+v, want the URI of %s", f, want)
		}
	}
	save(r)
	for name, want := range map[string]string{"a.txt": "one\n", "d.txt": "other\n"} {
		if got := s.disk(name); got != want {
			t.Errorf("%s has %q", name, got)
		}
	}
}

// Neovim cannot delete a file that was never saved: the text that an agent has put there
// goes all the same.
func TestUndoOfACreateInNeovim(t *testing.T) {
	p, _ := personas.Named("neovim")
	bubble(t, func(t *testing.T) {
		s := startInBubble(t, map[string]string{"a.txt": "one\n"}, p.Options(headless.Options{}))
		s.open("a.txt")
		e := s.edit("create", args{"path": "new.txt", "content": "of an agent\n"})
		b, open := s.Buffer(s.path("new.txt"))
		if !open {
			t.Fatal("the file is not open")
		}
		r := s.edit("undo", args{"edit_id": e.EditID})
		if got := b.Text(); strings.TrimSpace(got) != "" || !strings.Contains(strings.Join(r.Notes, " "), "was never saved") {
			t.Errorf("%q, %+v", got, r)
		}
		if f := s.fail("undo", args{"edit_id": e.EditID}); f.Kind != "nothing_to_undo" {
			t.Errorf("%+v", f)
		}
		s.expectMarks("new.txt")
	})
}

// No edit may put a NUL in a text: the text could no longer be edited, nor its edits undone.
func TestNoEditMakesATextBinary(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{})
	for command, a := range map[string]args{
		"str_replace": {"path": "a.txt", "old_str": "one", "new_str": "o\x00e"},
		"create":      {"path": "b.txt", "content": "\x00"},
		"write":       {"path": "a.txt", "content": "one\x00\n"},
		"apply_patch": {"path": "a.txt", "patch": "@@ -1 +1 @@\n-one\n+o\x00e\n"},
		"insert":      {"path": "a.txt", "after_line": 1, "content": "\x00"},
	} {
		if f := s.fail(command, a); f.Kind != "binary_file" || !strings.Contains(f.Message, "NUL") {
			t.Errorf("%s: %+v", command, f)
		}
	}
	patch := "--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+\x00\n"
	if f := s.fail("apply_patch", args{"patch": patch}); f.Kind != "binary_file" {
		t.Errorf("%+v", f)
	}
	// A text that has a NUL in the editor stays as it is.
	b, err := s.OpenText("untitled:nul", "plaintext", "a\x00b\n")
	if err != nil {
		t.Fatal(err)
	}
	s.edit("str_replace", args{"path": "untitled:nul", "old_str": "a\x00b", "new_str": "b\x00a"})
	if b.Text() != "b\x00a\n" {
		t.Errorf("%q", b.Text())
	}
}

// A file that a patch deleted comes back as it was, in every editor that can delete and make
// files: some have a newline in each new buffer.
func TestUndoOfADeletion(t *testing.T) {
	for _, persona := range personas.All() {
		if persona.Name == "hostile" || persona.Name == "eglot" {
			continue // it may never make an edit, or has no deletion
		}
		t.Run(persona.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := startInBubble(t, map[string]string{"gone.txt": "gone\n", "a.txt": "a\n"}, persona.Options(headless.Options{}))
				s.open("a.txt")
				e := s.edit("apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: gone.txt\n*** Update File: a.txt\n@@\n-a\n+A\n*** End Patch\n"})
				s.edit("undo", args{"edit_id": e.EditID})
				b, open := s.Buffer(s.path("gone.txt"))
				if !open {
					t.Fatal("it is not there")
				}
				if b.Text() != "gone\n" {
					t.Errorf("%q", b.Text())
				}
			})
		})
	}
}

// The editor makes a part of an undo and refuses the rest, while the user types: what was undone is made again, and the
// edit can be undone as before.
func TestUndoThatIsRolledBack(t *testing.T) {
	for refused := 2; refused <= 3; refused++ { // c.txt comes first
		edits, undoing := 0, false
		s := start(t, map[string]string{"a.txt": "a1\na2\n", "b.txt": "b1\n", "c.txt": "c1\n"}, answering(
			func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
				if edits++; !undoing || edits != refused {
					return next(p), nil
				}
				c, _ := e.Buffer("c.txt")
				return applyResult{FailureReason: "no"}, c.Insert(0, "typed\n")
			}))
		a, b, c := s.open("a.txt"), s.open("b.txt"), s.open("c.txt")
		texts := func() string { return a.Text() + "|" + b.Text() + "|" + c.Text() }
		e := s.edit("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-a1\n+A1\n*** Update File: b.txt\n@@\n-b1\n+B1\n*** Update File: c.txt\n@@\n-c1\n+C1\n*** End Patch\n"})
		edits, undoing = 0, true
		s.fail("undo", args{"edit_id": e.EditID})
		if got, want := texts(), "A1\na2\n|B1\n|typed\nC1\n"; got != want {
			t.Errorf("without change %d of the undo: %q, want %q", refused, got, want)
		}
		undoing = false
		s.edit("undo", args{"edit_id": e.EditID})
		if got, want := texts(), "a1\na2\n|b1\n|typed\nc1\n"; got != want {
			t.Errorf("without change %d of the undo, and undone then: %q, want %q", refused, got, want)
		}
	}
}

package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// lens is a code lens as it comes over the wire.
type lens struct {
	Range   protocol.Range
	Command struct {
		Title, Command string
		Arguments      []json.RawMessage
	}
}

// about sends a request about a file.
func about[R any](s *session, method, name string, more args) R {
	s.t.Helper()
	params := args{"textDocument": args{"uri": paths.FileURI(s.path(name))}}
	maps.Copy(params, more)
	var raw json.RawMessage
	if err := s.Call(context.Background(), method, params, &raw); err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
	var r R
	if err := json.Unmarshal(raw, &r); err != nil {
		s.t.Fatalf("%s: %v in %s", method, err, raw)
	}
	return r
}

// lenses are those of a file, each as "line: title", lines from 1.
func (s *session) lenses(name string) []string {
	s.t.Helper()
	var titles []string
	for _, l := range about[[]lens](s, "textDocument/codeLens", name, nil) {
		titles = append(titles, fmt.Sprintf("%d: %s", l.Range.Start.Line+1, l.Command.Title))
	}
	return titles
}

// marks are the lines and words of the marks of a file.
func (s *session) marks(name string) []string {
	s.t.Helper()
	return slices.DeleteFunc(s.lenses(name), func(title string) bool {
		return strings.HasSuffix(title, "keep") || strings.HasSuffix(title, "revert")
	})
}

func (s *session) expectMarks(name string, want ...string) {
	s.t.Helper()
	if got := s.marks(name); !slices.Equal(got, want) {
		s.t.Errorf("%s has the marks %q, want %q", name, got, want)
	}
}

// choose runs the command of the lens with that title, as an editor does.
func (s *session) choose(name, title string) {
	s.t.Helper()
	for _, l := range about[[]lens](s, "textDocument/codeLens", name, nil) {
		if fmt.Sprintf("%d: %s", l.Range.Start.Line+1, l.Command.Title) == title {
			if err := s.Call(context.Background(), "workspace/executeCommand", args{"command": l.Command.Command, "arguments": l.Command.Arguments}, nil); err != nil {
				s.t.Fatalf("%s: %v", title, err)
			}
			return
		}
	}
	s.t.Fatalf("no lens %q among %q", title, s.lenses(name))
}

// An agent's edit shows a lens. Revert restores the exact text and keeps what the user
// has typed around it; keep removes the marks.
func TestReviewOfAnEdit(t *testing.T) {
	for _, persona := range append(personas.All(), personas.Persona{Name: "compliant", ClientName: "patchls-headless"}) {
		if persona.Name == "hostile" {
			continue // it may never make an edit
		}
		t.Run(persona.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) { reviewAnEdit(t, persona) })
		})
	}
}

func reviewAnEdit(t *testing.T, persona personas.Persona) {
	t.Helper()
	s := startInBubble(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n"}, persona.Options(headless.Options{}))
	b := s.open("a.txt")
	by := " by " + persona.ClientName
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two\n", "new_str": "2\n2.5\n"})
	if want := []string{"2: patchls: keep", "2: revert", "2: 2 lines" + by}; !slices.Equal(s.lenses("a.txt"), want) {
		t.Fatalf("%q, want %q", s.lenses("a.txt"), want)
	}
	for _, typed := range []struct {
		at   int
		text string
	}{{0, "above\n"}, {len("above\n" + b.Text()), "below\n"}} {
		if err := b.Insert(typed.at, typed.text); err != nil {
			t.Fatal(err)
		}
	}
	personas.Flush(s.Editor)
	s.expectMarks("a.txt", "3: 2 lines"+by)
	s.choose("a.txt", "3: revert")
	if want := "above\none\ntwo\nthree\nfour\nbelow\n"; b.Text() != want {
		t.Errorf("reverted to %q, want %q", b.Text(), want)
	}
	personas.Flush(s.Editor)
	s.expectMarks("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "four\n", "new_str": ""})
	s.expectMarks("a.txt", "5: 1 line removed"+by)
	before := b.Text()
	s.choose("a.txt", "5: patchls: keep")
	s.expectMarks("a.txt")
	if b.Text() != before {
		t.Errorf("kept as %q", b.Text())
	}
}

func TestRevertOfOneHunk(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "x 1\nkeep\nx 2\nkeep\nx 3\n"}, headless.Options{})
	b := s.open("a.txt")
	e := s.edit("str_replace", args{"path": "a.txt", "old_str": "x", "new_str": "why", "replace_all": true})
	if len(e.Files[0].Hunks) != 3 {
		t.Fatalf("%+v", e.Files[0].Hunks)
	}
	if err := b.Insert(0, "typed\n"); err != nil {
		t.Fatal(err)
	}
	dry := s.edit("revert", args{"edit_id": e.EditID, "hunk": 2, "dry_run": true})
	if dry.Applied || !strings.Contains(dry.Diff, "-why 2\n+x 2\n") || strings.Contains(dry.Diff, "+x 1") {
		t.Errorf("%+v", dry)
	}
	r := s.edit("revert", args{"edit_id": e.EditID, "hunk": 2})
	if want := "typed\nwhy 1\nkeep\nx 2\nkeep\nwhy 3\n"; b.Text() != want || !r.Verified || r.Message != "Reverted hunk 2 of edit e1 in a.txt." {
		t.Errorf("%q, %+v", b.Text(), r)
	}
	if f := s.fail("revert", args{"edit_id": e.EditID, "hunk": 2}); f.Kind != "nothing_to_undo" || !strings.Contains(f.Message, "Hunk 2 of edit e1 of a.txt is not there any more") {
		t.Errorf("%+v", f)
	}
	s.expectMarks("a.txt", "2: 1 line by patchls-headless", "6: 1 line by patchls-headless")
	run[review.KeepResult](s, "keep", args{"edit_id": e.EditID + ".1"})
	for _, a := range []args{{"path": "a.txt", "hunk": 1}, {"edit_id": e.EditID + ".0"}, {"edit_id": e.EditID + ".2", "hunk": 1}} { // counted anew
		if f := s.fail("revert", a); f.Kind != "invalid_params" {
			t.Errorf("%v: %+v", a, f)
		}
	}
	s.edit("revert", args{"edit_id": e.EditID + ".3"})
	if want := "typed\nwhy 1\nkeep\nx 2\nkeep\nx 3\n"; b.Text() != want {
		t.Errorf("%q, want %q", b.Text(), want)
	}
	s.edit("undo", args{"edit_id": e.EditID})
	if want := "typed\nx 1\nkeep\nx 2\nkeep\nx 3\n"; b.Text() != want {
		t.Errorf("%q, want %q", b.Text(), want)
	}
	if f := s.fail("undo", args{"edit_id": e.EditID}); f.Kind != "nothing_to_undo" {
		t.Errorf("%+v", f)
	}
}

// The id of a hunk stays what it is when other hunks have been kept, reverted, or taken back by the user, and the user
// has typed and saved. The list has these numbers, and so have the lenses and what is offered.
func TestIDsOfHunksStay(t *testing.T) {
	for name, first := range map[string]func(s *session, b *headless.Buffer, id string){
		"kept": func(s *session, _ *headless.Buffer, id string) {
			run[review.KeepResult](s, "keep", args{"edit_id": id + ".1"})
		},
		"reverted": func(s *session, _ *headless.Buffer, id string) { s.edit("revert", args{"edit_id": id + ".1"}) },
		"deleted":  func(_ *session, b *headless.Buffer, _ string) { _ = b.Replace(0, len("why 1\n"), "") },
		"undone and made again": func(_ *session, b *headless.Buffer, _ string) {
			b.Undo()
			b.Redo()
			_ = b.Replace(0, len("why 1\n"), "x 1\n")
		},
		"saved": func(s *session, b *headless.Buffer, id string) {
			run[review.KeepResult](s, "keep", args{"edit_id": id + ".1"})
			_ = b.Insert(0, "typed\n")
			_ = b.Save()
		},
		"twice": func(s *session, _ *headless.Buffer, id string) {
			run[review.KeepResult](s, "keep", args{"edit_id": id, "hunk": 1})
			run[review.KeepResult](s, "keep", args{"edit_id": id + ".1"})
		},
	} {
		for _, command := range []string{"revert", "keep"} {
			s := start(t, map[string]string{"a.txt": "x 1\nkeep\nx 2\nkeep\nx 3\nkeep\nx 4\n"}, headless.Options{})
			b := s.open("a.txt")
			e := s.edit("str_replace", args{"path": "a.txt", "old_str": "x", "new_str": "why", "replace_all": true})
			first(s, b, e.EditID)
			personas.Flush(s.Editor)
			left := func() (numbers []int) {
				for _, m := range run[view.Listing](s, "list", args{}).Edits[0].Marks {
					numbers = append(numbers, m.Hunk)
				}
				return numbers
			}
			if got := left(); name != "deleted" && !slices.Equal(got, []int{2, 3, 4}) {
				t.Errorf("%s: the list has the hunks %v", name, got)
			}
			run[review.KeepResult](s, command, args{"edit_id": e.EditID + ".3"})
			if now := b.Text(); strings.Contains(now, "x 3") != (command == "revert") || !strings.Contains(now, "why 2") || !strings.Contains(now, "why 4") {
				t.Errorf("%s, %s: %q", name, command, now)
			}
			if got := left(); name != "deleted" && !slices.Equal(got, []int{2, 4}) {
				t.Errorf("%s, %s: the list has the hunks %v then", name, command, got)
			}
		}
	}
}

// The hunks of a patch are numbered through all of its files, also where one of these is named.
func TestReviewOfAPatch(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "a1\na2\na3\n", "b.txt": "b1\n", "gone.txt": "gone\n"}, headless.Options{})
	a, b := s.open("a.txt"), s.open("b.txt")
	patch := "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a1\n+A1\n@@ -3 +3 @@\n-a3\n+A3\n" +
		"--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n" +
		"--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n" +
		"--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b1\n+B1\n"
	e := s.edit("apply_patch", args{"patch": patch})
	s.expectMarks("a.txt", "1: 1 line by patchls-headless", "3: 1 line by patchls-headless")
	s.expectMarks("new.txt", "1: 1 line by patchls-headless")
	s.edit("revert", args{"edit_id": e.EditID, "hunk": 5})
	if b.Text() != "b1\n" || a.Text() != "A1\na2\nA3\n" {
		t.Errorf("%q, %q", a.Text(), b.Text())
	}
	for _, other := range []args{{"edit_id": e.EditID + ".1", "path": "b.txt"}, {"edit_id": e.EditID, "path": "a.txt", "hunk": 5}} { // hunks of other files
		if f := s.fail("revert", other); f.Kind != "nothing_to_undo" {
			t.Errorf("%v: %+v", other, f)
		}
	}
	s.edit("revert", args{"edit_id": e.EditID, "path": "a.txt", "hunk": 2})
	if a.Text() != "A1\na2\na3\n" {
		t.Errorf("%q", a.Text())
	}
	s.edit("revert", args{"edit_id": e.EditID, "hunk": 3})
	if _, open := s.Buffer(s.path("new.txt")); open {
		t.Error("the file that was made is still there")
	}
	if r := s.edit("revert", args{"edit_id": e.EditID}); r.Message != "Reverted edit e1 in gone.txt and a.txt." && r.Message != "Reverted edit e1 in a.txt and gone.txt." {
		t.Errorf("%q", r.Message)
	}
	gone, open := s.Buffer(s.path("gone.txt"))
	if a.Text() != "a1\na2\na3\n" || !open || gone.Text() != "gone\n" {
		t.Errorf("%q, %v", a.Text(), open)
	}
	s.expectMarks("a.txt")
}

func TestReviewOfAFile(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n"}, headless.Options{})
	b := s.open("a.txt")
	first := s.edit("str_replace", args{"path": "a.txt", "old_str": "four", "new_str": "4"})
	s.edit("insert", args{"path": "a.txt", "after_line": 1, "content": "between"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "three", "new_str": "3"})
	if r := run[review.KeepResult](s, "keep", args{"edit_id": first.EditID}); r.Hunks != 1 || r.Message != "Kept edit e1 in a.txt." {
		t.Errorf("%+v", r)
	}
	if r := run[review.KeepResult](s, "keep", args{"edit_id": first.EditID}); r.Hunks != 0 || r.Message != "Nothing of edit e1 is marked any more." {
		t.Errorf("%+v", r)
	}
	r := s.edit("revert", args{"path": "a.txt"})
	if want := "one\ntwo\nthree\n4\n"; b.Text() != want || r.Message != "Reverted 2 hunks in a.txt." {
		t.Errorf("%q, want %q, %+v", b.Text(), want, r)
	}
	for _, command := range []string{"keep", "revert"} {
		if f := s.fail(command, args{"path": "a.txt"}); f.Kind != "nothing_to_undo" || !strings.Contains(f.Message, "still to be reviewed") {
			t.Errorf("%+v", f)
		}
		if f := s.fail(command, args{}); f.Kind != "invalid_params" {
			t.Errorf("%+v", f)
		}
		if f := s.fail(command, args{"edit_id": first.EditID, "hunk": 7}); f.Kind != "nothing_to_undo" {
			t.Errorf("%+v", f)
		}
		if f := s.fail(command, args{"edit_id": first.EditID, "hunk": -1}); f.Kind != "invalid_params" {
			t.Errorf("%+v", f)
		}
	}
	s.edit("revert", args{"edit_id": first.EditID}) // kept is not final
	if want := "one\ntwo\nthree\nfour\n"; b.Text() != want {
		t.Errorf("%q, want %q", b.Text(), want)
	}
}

func TestRevertRefusesWhatWasTypedInto(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "x one\nkeep\nx two\n"}, headless.Options{})
	b := s.open("a.txt")
	e := s.edit("str_replace", args{"path": "a.txt", "old_str": "x", "new_str": "longer", "replace_all": true})
	if err := b.Insert(3, "TYPED"); err != nil {
		t.Fatal(err)
	}
	before := b.Text()
	if f := s.fail("revert", args{"edit_id": e.EditID, "hunk": 1}); f.Kind != "undo_conflict" || !strings.HasPrefix(f.Message, "Hunk 1 of edit e1 of a.txt cannot be taken back") {
		t.Errorf("%+v", f)
	}
	if f := s.fail("revert", args{"path": "a.txt"}); f.Kind != "undo_conflict" || b.Text() != before {
		t.Errorf("%+v, %q", f, b.Text())
	}
	s.edit("revert", args{"edit_id": e.EditID, "hunk": 2})
	if want := "lonTYPEDger one\nkeep\nx two\n"; b.Text() != want {
		t.Errorf("%q", b.Text())
	}
}

// An edit that the user undoes in the editor loses its mark, and has it again when they
// redo it.
func TestMarksFollowTheEditorsUndo(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
	b := s.open("a.txt")
	for _, edit := range []args{{"old_str": "two", "new_str": "three"}, {"old_str": "two\n", "new_str": ""}} {
		edit["path"] = "a.txt"
		s.edit("str_replace", edit)
		if b.Undo(); len(s.marks("a.txt")) != 0 {
			t.Errorf("%q", s.marks("a.txt"))
		}
		if b.Redo(); len(s.marks("a.txt")) != 1 {
			t.Errorf("%q", s.marks("a.txt"))
		}
		b.Undo()
	}
}

func TestMarksGoWithTheDocument(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{})
	b := s.open("a.txt")
	e := s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "1"})
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	s.expectMarks("a.txt", "1: 1 line by patchls-headless")
	b.Close()
	b = s.open("a.txt")
	s.expectMarks("a.txt")
	if s.edit("undo", args{"edit_id": e.EditID}); b.Text() != "one\n" {
		t.Errorf("%q", b.Text())
	}
}

// An answer names a hunk by its number in the edit's answer, however it was asked for.
// The error about a renamed file does not say that the edit has no such hunk.
func TestRevertNamesTheHunk(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "a\n", "m.txt": "m\n"}, headless.Options{})
	s.open("a.txt")
	e := s.edit("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+A\n*** Add File: new.txt\n+new\n*** End Patch\n"})
	for _, a := range []args{{"path": "new.txt"}, {"edit_id": e.EditID + ".2"}, {"edit_id": e.EditID + ".2", "path": "new.txt"}, {"edit_id": e.EditID, "path": "new.txt", "hunk": 2}, {"edit_id": e.EditID, "hunk": 2}} {
		a["dry_run"] = true
		if r := s.edit("revert", a); r.Message != "Dry run, nothing was changed: Reverted hunk 2 of edit e1 in new.txt." {
			t.Errorf("%v: %q", a, r.Message)
		}
	}
	e = s.edit("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: m.txt\n*** Move to: n.txt\n@@\n-m\n+n\n*** End Patch\n"})
	if f := s.fail("revert", args{"edit_id": e.EditID, "path": "m.txt"}); f.Message != "There is no edit e2 of m.txt that can be taken back; there are e2 and e1." {
		t.Errorf("%+v", f)
	}
}

// A change that a later edit has changed can be taken back only after that edit, and the error says so.
func TestRevertUnderALaterEdit(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{})
	b := s.open("a.txt")
	first := s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "TWO and more"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "and", "new_str": "with"})
	if f := s.fail("revert", args{"edit_id": first.EditID, "hunk": 1}); f.Kind != "undo_conflict" || !strings.HasSuffix(f.Message, "; take edit e2 back first, or edit the text instead.") {
		t.Errorf("%+v", f)
	}
	s.edit("revert", args{"edit_id": "e2"})
	s.edit("revert", args{"edit_id": first.EditID, "hunk": 1})
	if want := "one\ntwo\nthree\n"; b.Text() != want {
		t.Errorf("%q, want %q", b.Text(), want)
	}
}

// All changes of agents in a file are reverted, even if one edit changed what another wrote.
func TestRevertOfEditsOverEachOther(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, headless.Options{})
	b := s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "TWO and more"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "and", "new_str": "with"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "three\n", "new_str": ""})
	if err := b.Insert(0, "typed\n"); err != nil {
		t.Fatal(err)
	}
	want := "typed\none\ntwo\nthree\n"
	dry := s.edit("revert", args{"path": "a.txt", "dry_run": true})
	if len(dry.Files) != 1 || !strings.Contains(dry.Diff, " one\n-TWO with more\n+two\n+three\n") {
		t.Errorf("%+v", dry)
	}
	r := s.edit("revert", args{"path": "a.txt"})
	if b.Text() != want || !r.Verified || len(r.Files) != 1 || r.Diff != dry.Diff || r.Message != "Reverted 3 hunks in a.txt." {
		t.Errorf("%q, want %q: %+v", b.Text(), want, r)
	}
	s.expectMarks("a.txt")
	for _, id := range []string{"e1", "e2", "e3"} {
		if f := s.fail("undo", args{"edit_id": id}); f.Kind != "nothing_to_undo" {
			t.Errorf("%+v", f)
		}
	}
}

// If one of the changes cannot be reverted none is, as far as that can be known before.
func TestRevertOfAFileThatWasTypedInto(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
	b := s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "longer"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	if err := b.Insert(3, "TYPED"); err != nil {
		t.Fatal(err)
	}
	if f := s.fail("revert", args{"path": "a.txt"}); f.Kind != "undo_conflict" || b.Text() != "lonTYPEDger\n2\n" {
		t.Errorf("%+v, %q", f, b.Text())
	}
	if len(s.marks("a.txt")) != 2 {
		t.Errorf("%q", s.marks("a.txt"))
	}
}

// A file that an agent made and edited on goes as a whole.
func TestRevertOfAFileThatWasMade(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n"}, headless.Options{})
	s.edit("create", args{"path": "new.txt", "content": "1\n2\n"})
	s.edit("str_replace", args{"path": "new.txt", "old_str": "2", "new_str": "two"})
	if dry := s.edit("revert", args{"path": "new.txt", "dry_run": true}); dry.Files[0].Change != "delete" {
		t.Errorf("%+v", dry)
	}
	s.edit("revert", args{"path": "new.txt"})
	if _, open := s.Buffer(s.path("new.txt")); open {
		t.Error("the file is still there")
	}
}

// All changes of agents in a file are reverted by one edit: the editor's undo brings them
// back, and if the editor refuses the edit they all stay.
func TestRevertOfAFileIsOneStep(t *testing.T) {
	refuses := false
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, answering(func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
		if refuses {
			return applyResult{FailureReason: "no"}, nil
		}
		return next(p), nil
	}))
	b := s.open("a.txt")
	s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "1"})
	s.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	refuses = true
	if f := s.fail("revert", args{"path": "a.txt"}); f.Kind != "rejected_by_editor" || b.Text() != "1\n2\n" || len(s.marks("a.txt")) != 2 {
		t.Errorf("%+v, %q, %q", f, b.Text(), s.marks("a.txt"))
	}
	refuses = false
	s.edit("revert", args{"path": "a.txt"})
	if b.Text() != "one\ntwo\n" {
		t.Errorf("%q", b.Text())
	}
	if b.Undo(); b.Text() != "1\n2\n" {
		t.Errorf("%q", b.Text())
	}
}

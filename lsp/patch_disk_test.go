package lsp_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace/paths"
)

// onDisk answers as editors do that delete and rename files at once, and do not tell
// the server of those that they did not have open.
func onDisk(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
	path := func(uri string) string {
		key, _ := paths.KeyOf(uri)
		abs, _ := key.FilePath()
		return abs
	}
	switch c := p.Edit.DocumentChanges[0]; c.Kind {
	case "delete":
		return applyResult{Applied: true}, os.Remove(path(c.URI))
	case "rename":
		return applyResult{Applied: true}, os.Rename(path(c.OldURI), path(c.NewURI))
	}
	return next(p), nil
}

func helix(apply personas.ApplyEditFunc) headless.Options {
	return headless.Options{Client: protocol.ClientInfo{Name: "helix"}, Habits: personas.Decides(apply)}
}

// A deletion and a renaming count as made when disk shows them.
func TestDeletionAndRenamingAreSeenOnDisk(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "d.txt": "d\n"}, helix(onDisk))
	r := s.edit("apply_patch", beginPatch("*** Delete File: d.txt", "*** Update File: a.txt", "*** Move to: b.txt"))
	if !r.Verified || len(r.Notes) > 0 || r.Files[0].Change != "delete" || r.Files[1].Change != "rename" || !r.Files[1].Saved || r.Files[1].Open {
		t.Errorf("%+v", r)
	}
	if got := s.disk("b.txt"); got != "one\n" {
		t.Errorf("disk %q", got)
	}
}

// Deleted and renamed files are put back on disk as well.
func TestDeletionAndRenamingArePutBackOnDisk(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "d.txt": "d\n", "z.txt": "z\n"}, helix(
		func(ctx context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			c := p.Edit.DocumentChanges[0]
			switch {
			case strings.HasSuffix(c.TextDocument.URI, "z.txt"):
				return applyResult{FailureReason: "no"}, nil
			case strings.HasSuffix(c.TextDocument.URI, "d.txt"): // it is made by an edit, of a lone newline
				_, err := e.OpenText(c.TextDocument.URI, "plaintext", c.Edits[0].NewText+"\n")
				return applyResult{Applied: true}, err
			}
			return onDisk(ctx, e, p, next)
		}))
	f := s.fail("apply_patch", beginPatch("*** Delete File: d.txt", "*** Update File: a.txt", "*** Move to: b.txt", "*** Update File: z.txt", "@@", "-z", "+Z"))
	if f.Kind != "rejected_by_editor" || !strings.HasSuffix(f.Message, "a.txt and d.txt were put back. "+transaction.NotOnDisk("d.txt")) {
		t.Errorf("%+v", f)
	}
	if b, ok := s.Buffer("d.txt"); !ok || b.Text() != "d\n" || s.disk("a.txt") != "one\n" {
		t.Errorf("buffer %v, disk %q", b, s.disk("a.txt"))
	}
}

// An editor that says yes and does nothing, or no: the file is there, and the
// user may even close it meanwhile.
func TestDeletionThatDoesNotHappen(t *testing.T) {
	for name, test := range map[string]struct {
		client, kind string
		applied      bool
	}{
		"yes, on disk":   {"helix", "not_settled", true},
		"no, on disk":    {"helix", "rejected_by_editor", false},
		"no, by closing": {"", "rejected_by_editor", false},
	} {
		t.Run(name, func(t *testing.T) {
			opts := helix(func(_ context.Context, e *headless.Editor, _ *applyParams, _ applyNext) (applyResult, error) {
				if d, ok := e.Buffer("d.txt"); ok {
					d.Close()
				}
				return applyResult{Applied: test.applied}, nil
			})
			opts.Client.Name = test.client
			s := start(t, map[string]string{"d.txt": "d\n"}, opts)
			s.open("d.txt")
			if f := s.fail("apply_patch", beginPatch("*** Delete File: d.txt")); string(f.Kind) != test.kind {
				t.Errorf("%+v", f)
			}
			if b := s.open("d.txt"); b.Text() != "d\n" || s.disk("d.txt") != "d\n" {
				t.Errorf("buffer %q", b.Text())
			}
		})
	}
}

// A file may get its own name in other case where that is the same file: here a
// hard link stands for a file system that ignores case.
func TestMoveThatChangesCaseAlone(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", "B.txt": "another\n"}, headless.Options{})
	if err := os.Link(s.path("a.txt"), s.path("A.txt")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	for _, open := range []bool{false, true} {
		if open {
			s.open("a.txt")
		}
		patch := beginPatch("*** Update File: a.txt", "*** Move to: A.txt")
		patch["dry_run"] = true
		if f := s.edit("apply_patch", patch).Files[0]; f.Change != "rename" || f.NewPath != "A.txt" {
			t.Errorf("open %v: %+v", open, f)
		}
	}
	if f := s.fail("apply_patch", beginPatch("*** Update File: b.txt", "*** Move to: B.txt")); f.Kind != "already_exists" {
		t.Errorf("%+v", f)
	}
}

// A patch may name one file twice, by two of its names. What does not fit then is told with both.
func TestTwoNamesOfAFile(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
	if err := os.Symlink("a.txt", s.path("b.txt")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	const said = "b.txt is another name of a.txt."
	if f := s.fail("apply_patch", beginPatch("*** Update File: a.txt", "@@", "-one", "+1", "*** Update File: b.txt", "@@", "-one", "+one!")); !strings.Contains(f.Message, said) {
		t.Errorf("%+v", f)
	}
	r := s.edit("apply_patch", beginPatch("*** Update File: a.txt", "@@", "-one", "+1", "*** Update File: b.txt", "@@", "-two", "+2"))
	if !slices.Contains(r.Notes, said) || s.open("a.txt").Text() != "1\n2\n" {
		t.Errorf("%+v", r)
	}
}

// A patch that names a file twice deletes or moves no other name of it than the one that it says.
func TestTwoNamesOfAFileOneOfWhichGoes(t *testing.T) {
	change := []string{"@@", "-one", "+1"}
	for _, c := range []struct {
		name string
		link func(old, put string) error
		gone string
	}{{"a link", os.Symlink, "b.txt"}, {"what a link leads to", os.Symlink, "a.txt"}, {"a second name", os.Link, "b.txt"}, {"the first name", os.Link, "a.txt"}} {
		for _, goes := range [][]string{{"*** Delete File: " + c.gone}, {"*** Update File: " + c.gone, "*** Move to: c.txt"}} {
			t.Run(c.name, func(t *testing.T) {
				s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, headless.Options{})
				if err := c.link(s.path("a.txt"), s.path("b.txt")); err != nil {
					t.Skipf("no links here: %v", err)
				}
				changed := map[string]string{"a.txt": "b.txt", "b.txt": "a.txt"}[c.gone]
				lines := slices.Concat([]string{"*** Update File: " + changed}, change, goes)
				want := c.gone + " is another name of " + changed + ", which is in the patch already; delete or move it by a patch of its own."
				if f := s.fail("apply_patch", beginPatch(lines...)); f.Kind != "unsupported" || !strings.HasPrefix(f.Message, want) {
					t.Errorf("%+v", f)
				}
				if _, err := os.Lstat(s.path(c.gone)); err != nil || s.open(changed).Text() != "one\ntwo\n" {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// What the user types in a file while another one of a circle gets its text is not replaced, and nothing else is.
func TestTypingWhileFilesChangeTheirNamesWithEachOther(t *testing.T) {
	typed := false
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, headless.Options{Habits: personas.Decides(
		func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			if b, ok := e.Buffer("a.txt"); ok && !typed && strings.HasSuffix(p.Edit.DocumentChanges[0].TextDocument.URI, "b.txt") {
				typed = true
				if err := b.Insert(0, "typed "); err != nil {
					return applyResult{}, err
				}
			}
			return next(p), nil
		})})
	a, b := s.open("a.txt"), s.open("b.txt")
	f := s.fail("apply_patch", args{"patch": "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\ndiff --git a/b.txt b/a.txt\nrename from b.txt\nrename to a.txt\n"})
	if f.Kind != "stale" || !typed || a.Text() != "typed one\n" || b.Text() != "two\n" {
		t.Errorf("%+v, %q, %q", f, a.Text(), b.Text())
	}
}

// The argument path says which of two files that were compared is meant, even if it is neither; of other patches it must not
// say another name.
func TestPathBesideNames(t *testing.T) {
	const hunk = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
	for _, c := range []struct{ patch, path, wrong string }{
		{"--- old.txt\n+++ new.txt\n" + hunk, "old.txt", ""},
		{"--- old.txt\n+++ new.txt\n" + hunk, "new.txt", ""},
		{"--- /tmp/1.txt\t2024-01-01 10:00:00\n+++ /tmp/2.txt\t2024-01-01 10:00:00\n" + hunk, "old.txt", ""},
		{"*** old.txt\n--- new.txt\n***************\n*** 2 ****\n! two\n--- 2 ----\n! 2\n", "new.txt", ""},
		{"--- a/old.txt\n+++ b/old.txt\n" + hunk, "new.txt", "invalid_params"},
		{"--- old.txt.orig\n+++ old.txt\n" + hunk, "new.txt", "invalid_params"},
		{"--- x/old.txt\n+++ y/old.txt\n" + hunk + "--- x/new.txt\n+++ y/new.txt\n" + hunk, "old.txt", "invalid_params"},
		{"--- old.txt\n+++ new.txt\n" + hunk, "", "invalid_params"},
	} {
		s := start(t, map[string]string{"old.txt": "one\ntwo\n", "new.txt": "one\ntwo\n"}, headless.Options{})
		sent := args{"patch": c.patch, "path": c.path}
		if c.path == "" {
			delete(sent, "path")
		}
		if c.wrong != "" {
			if f := s.fail("apply_patch", sent); string(f.Kind) != c.wrong {
				t.Errorf("%+v: %+v", c, f)
			}
		} else if r := s.edit("apply_patch", sent); len(r.Files) != 1 || r.Files[0].Path != c.path || s.open(c.path).Text() != "one\n2\n" {
			t.Errorf("%+v: %+v", c, r)
		}
	}
}

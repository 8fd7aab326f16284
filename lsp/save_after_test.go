package lsp_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
)

// TestSaveAfterAnEdit: a file without unsaved text is saved after the edit if the command asks
// for it; unsaved text of the user is left unsaved, and the answer says so.
func TestSaveAfterAnEdit(t *testing.T) {
	replace := func(save bool) args {
		return args{"path": "a.txt", "old_str": "two", "new_str": "2", "save": save}
	}
	for name, c := range map[string]struct {
		options headless.Options
		typed   string // into the first line, unsaved
		args    args
		disk    string
		note    string // of the answer; "" for none
	}{
		"asked for":             {args: replace(true), disk: "one\n2\n"},
		"not asked for":         {args: replace(false), disk: "one\ntwo\n"},
		"by the setting":        {options: headless.Options{Settings: map[string]any{"save_after_edit": "clean"}}, args: replace(false), disk: "one\n2\n"},
		"by no setting":         {options: headless.Options{Settings: map[string]any{"save_after_edit": "always"}}, args: replace(false), disk: "one\ntwo\n"},
		"unsaved text before":   {typed: "typed ", args: replace(true), disk: "one\ntwo\n", note: "a.txt was not saved: it had unsaved changes before the edit"},
		"an editor that cannot": {options: headless.Options{Capabilities: func(c *protocol.ClientCapabilities) { c.Experimental = nil }}, args: replace(true), disk: "one\ntwo\n", note: "a.txt was not saved: the editor cannot be asked to save; ask the user."},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, map[string]string{"a.txt": "one\ntwo\n"}, c.options)
			b := s.open("a.txt")
			if c.typed != "" {
				if err := b.Insert(0, c.typed); err != nil {
					t.Fatal(err)
				}
			}
			r := s.edit("str_replace", c.args)
			if got := s.disk("a.txt"); got != c.disk {
				t.Errorf("disk has %q, want %q", got, c.disk)
			}
			saved := c.disk == "one\n2\n"
			if f := r.Files[0]; f.Saved != saved || f.Dirty == saved {
				t.Errorf("saved %v, dirty %v", f.Saved, f.Dirty)
			}
			said := slices.ContainsFunc(r.Notes, func(n string) bool { return c.note != "" && strings.HasPrefix(n, c.note) })
			if said != (c.note != "") || c.note == "" && len(r.Notes) > 0 {
				t.Errorf("notes %q, want %q", r.Notes, c.note)
			}
		})
	}
}

// TestSaveAfterAPatch: each file of a patch is judged on its own, and so is each file of its undo.
func TestSaveAfterAPatch(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"}, headless.Options{})
	s.open("a.txt")
	if err := s.open("b.txt").Insert(0, "typed "); err != nil {
		t.Fatal(err)
	}
	r := s.edit("apply_patch", args{"save": true, "patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,2 @@\n typed b\n+B\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n"})
	s.onDisk(map[string]string{"a.txt": "A\n", "b.txt": "b\n", "new.txt": "new\n"})
	r = s.edit("undo", args{"edit_id": r.EditID, "save": true})
	s.onDisk(map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	if i := slices.IndexFunc(r.Files, func(f transaction.FileResult) bool { return f.Path == "b.txt" }); r.Files[i].Saved {
		t.Error("b.txt is said to be saved")
	}
}

func (s *session) onDisk(want map[string]string) {
	s.t.Helper()
	for name, text := range want {
		if got := s.disk(name); got != text {
			s.t.Errorf("%s has %q on disk, want %q", name, got, text)
		}
	}
}

// TestASaveThatIsNone: what the editor says that it has saved is saved only if the file has the text.
func TestASaveThatIsNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim", `"experimental":{"patchls":{"save":true}}`)
		for _, name := range []string{"a.txt", "b.txt"} {
			writeFile(t, filepath.Join(d.root, name), "one\n")
			d.changed(d.opened(d.file(name), 1, "one\n"), 2, "two\n")
		}
		saves := func(names ...string) transaction.Result {
			id := d.ask("save", args{"paths": names})
			for range names {
				for d.sent = nil; len(d.sent) == 0 || d.sent[len(d.sent)-1].Method != "patchls/save"; {
					d.read()
				}
				d.say(d.sent[len(d.sent)-1], `{"results":[{"saved":true}]}`)
			}
			var r transaction.Result
			if m := d.reply(id); m.Error != nil || json.Unmarshal(m.Result, &r) != nil {
				t.Fatalf("%+v %s", m.Error, m.Result)
			}
			return r
		}
		if r := saves("a.txt"); r.Verified || r.Files[0].Saved || r.Message != "Saved 0 of 1 file: of a.txt the editor says that it is saved, and the file has another text." {
			t.Errorf("%+v", r)
		}
		writeFile(t, filepath.Join(d.root, "b.txt"), "two\n")
		if r := saves("a.txt", "b.txt"); r.Verified || !strings.HasPrefix(r.Message, "Saved 1 of 2 files: of a.txt the editor") {
			t.Errorf("%+v", r)
		}
		if r := saves("b.txt"); !r.Verified || r.Message != "Saved 1 file." {
			t.Errorf("%+v", r)
		}
	})
}

// TestANewFileIsSaidNotToBeOnDisk: the answer to a command that makes a file says so if only the editor has its text. The
// setting "new" saves the files that an edit makes, and no others.
func TestANewFileIsSaidNotToBeOnDisk(t *testing.T) {
	patch := "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Update File: a.txt\n@@\n-a\n+A\n*** End Patch\n"
	whole := args{"path": "new.txt", "content": "new\n"}
	with := func(a args, more string) args { a = maps.Clone(a); a[more] = true; return a }
	for name, c := range map[string]struct {
		setting, command string
		args             args
		made             bool // on disk
		said             bool
	}{
		"create":              {"never", "create", whole, false, true},
		"write":               {"never", "write", whole, false, true},
		"a patch":             {"never", "apply_patch", args{"patch": patch}, false, true},
		"a dry run":           {"never", "create", with(whole, "dry_run"), false, false},
		"asked to save":       {"never", "create", with(whole, "save"), true, false},
		"the setting new":     {"new", "create", whole, true, false},
		"a patch, saved":      {"new", "apply_patch", args{"patch": patch}, true, false},
		"the setting clean":   {"clean", "create", whole, true, false},
		"an edit, with new":   {"new", "str_replace", args{"path": "a.txt", "old_str": "a", "new_str": "A"}, false, false},
		"an edit, not a file": {"never", "str_replace", args{"path": "a.txt", "old_str": "a", "new_str": "A"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, map[string]string{"a.txt": "a\n"}, headless.Options{Settings: map[string]any{"save_after_edit": c.setting}})
			r := s.edit(c.command, c.args)
			if said := slices.Contains(r.Notes, transaction.NotOnDisk("new.txt")); said != c.said {
				t.Errorf("notes %q", r.Notes)
			}
			if _, err := os.Stat(s.path("new.txt")); (err == nil) != c.made {
				t.Errorf("made on disk: %v, want %v", err == nil, c.made)
			}
			if c.setting != "clean" && s.disk("a.txt") != "a\n" {
				t.Errorf("a.txt was saved")
			}
		})
	}
}

// TestATouchedNewFileIsNotSaved: a new file is not saved if the user has typed in it before that.
func TestATouchedNewFileIsNotSaved(t *testing.T) {
	s := start(t, nil, headless.Options{
		Settings: map[string]any{"save_after_edit": "new"},
		Habits: personas.Decides(func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			r := next(p)
			for _, b := range e.Buffers() {
				_ = b.Insert(0, "typed\n")
			}
			return r, nil
		}),
	})
	r := s.edit("create", args{"path": "new.txt", "content": "a new file of an agent\n"})
	if _, err := os.Stat(s.path("new.txt")); err == nil || !slices.Contains(r.Notes, transaction.NotOnDisk("new.txt")) {
		t.Errorf("saved (%v), notes %q", err, r.Notes)
	}
}

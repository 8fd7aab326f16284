package lsp_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/disk"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// opensAs has the editor say which files it has open as something other than text, as what.
func (s *session) opensAs(as map[string]string) {
	s.t.Helper()
	files := []args{}
	for name, what := range as {
		files = append(files, args{"uri": paths.FileURI(s.path(name)), "as": what})
	}
	if err := s.Notify(context.Background(), "patchls/notText", args{"files": files}); err != nil {
		s.t.Fatal(err)
	}
}

const cells = `{"cells": []}` + "\n"

// TestAFileThatIsOpenAsANotebook: no command shows, edits, saves, moves or deletes a file while the editor has it open as
// something other than text, by whatever name. Other files are not concerned.
func TestAFileThatIsOpenAsANotebook(t *testing.T) {
	files := map[string]string{"n.ipynb": cells, "data.bytes": cells, "b.txt": "b\n"}
	for name, c := range map[string]struct {
		command string
		args    args
	}{
		"view":           {"view", args{"path": "n.ipynb"}},
		"custom editor":  {"view", args{"path": "data.bytes"}},
		"by a link":      {"view", args{"path": "link.ipynb"}},
		"by its URI":     {"view", args{"path": "URI"}},
		"edit":           {"str_replace", args{"path": "n.ipynb", "old_str": "[]", "new_str": "[1]", "save": true}},
		"dry run":        {"str_replace", args{"path": "n.ipynb", "old_str": "[]", "new_str": "[1]", "dry_run": true}},
		"whole text":     {"write", args{"path": "n.ipynb", "content": "{}\n"}},
		"save":           {"save", args{"paths": []string{"n.ipynb"}}},
		"reference tool": {"read_file", args{"path": "n.ipynb"}},
		"patch":          {"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: b.txt\n@@\n-b\n+B\n*** Update File: n.ipynb\n@@\n-{\"cells\": []}\n+{}\n*** End Patch\n"}},
		"delete":         {"apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: n.ipynb\n*** End Patch\n"}},
		"move":           {"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: n.ipynb\n*** Move to: m.ipynb\n*** End Patch\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, files, headless.Options{})
			if err := os.Symlink(s.path("n.ipynb"), s.path("link.ipynb")); err != nil {
				t.Skip("the system does not let this user make links:", err)
			}
			s.opensAs(map[string]string{"n.ipynb": "a notebook", "data.bytes": "a document of another editor"})
			if c.args["path"] == "URI" {
				c.args["path"] = paths.FileURI(s.path("n.ipynb"))
			}
			f := s.fail(c.command, c.args)
			if f.Kind != edits.Unsupported && name != "reference tool" || !strings.Contains(f.Message, "is open in the editor as a") {
				t.Errorf("%s: %s", f.Kind, f.Message)
			}
			s.onDisk(files)
			s.edit("str_replace", args{"path": "b.txt", "old_str": "b", "new_str": "c"})
			s.opensAs(nil)
			if v := run[view.View](s, "view", args{"path": "n.ipynb"}); v.Text != "     1\t"+strings.TrimSuffix(cells, "\n") {
				t.Errorf("after it was closed, view shows %q", v.Text)
			}
		})
	}
}

// TestAFileThatBecomesANotebookMeanwhile: the editor may open a tab of another kind for a file that an agent edits,
// makes or saves. That is not told as a name that leads elsewhere.
func TestAFileThatBecomesANotebookMeanwhile(t *testing.T) {
	var s *session
	now := map[string]string{"n.ipynb": "a notebook", "new.ipynb": "a notebook"}
	edited := answering(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams,
		next func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
		made := next(p)
		s.opensAs(now)
		return made, nil
	})
	saving := headless.Options{Disk: disk.Disk{AllowSave: func(string) error { s.opensAs(now); return nil }}}
	for name, c := range map[string]struct {
		editor  headless.Options
		command string
		args    args
	}{
		"edit": {edited, "str_replace", args{"path": "n.ipynb", "old_str": "[]", "new_str": "[1]"}},
		"make": {edited, "create", args{"path": "new.ipynb", "content": cells}},
		"save": {saving, "str_replace", args{"path": "n.ipynb", "old_str": "[]", "new_str": "[1]", "save": true}},
	} {
		t.Run(name, func(t *testing.T) {
			s = start(t, map[string]string{"n.ipynb": cells}, c.editor)
			if r := s.edit(c.command, c.args); strings.Contains(strings.Join(r.Notes, " "), "led elsewhere") {
				t.Error(r.Notes)
			}
		})
	}
}

// TestAnEditOfWhatIsANotebookNow: an edit of a file that the editor has opened as a notebook since is not taken back or saved
// behind the notebook, and is once it is closed.
func TestAnEditOfWhatIsANotebookNow(t *testing.T) {
	s := start(t, map[string]string{"n.ipynb": cells}, headless.Options{})
	r := s.edit("str_replace", args{"path": "n.ipynb", "old_str": "[]", "new_str": "[1]"})
	s.opensAs(map[string]string{"n.ipynb": "a notebook"})
	for command, a := range map[string]args{"undo": {"edit_id": r.EditID}, "revert": {"edit_id": r.EditID}, "document": {"uri": r.Files[0].URI}} {
		if f := s.fail(command, a); !strings.Contains(f.Message, "is open in the editor as a notebook") {
			t.Errorf("%s: %s: %s", command, f.Kind, f.Message)
		}
	}
	if all := run[transaction.Result](s, "save", args{}); len(all.Files) > 0 {
		t.Errorf("saved %v", all.Files)
	}
	s.onDisk(map[string]string{"n.ipynb": cells})
	s.opensAs(nil)
	s.edit("undo", args{"edit_id": r.EditID})
	if b, _ := s.Buffer(s.path("n.ipynb")); b.Text() != cells {
		t.Errorf("after undo %q", b.Text())
	}
}

package lsp_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace/paths"
)

// The result of a patch of several files, member for member.
func TestPatchResultIsAsInTheContract(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", "d.txt": "d\n"}, headless.Options{})
	raw, err := s.Execute(context.Background(), "patchls.apply_patch", beginPatch(
		"*** Update File: a.txt", "*** Move to: dir/a.txt", "@@", "-one", "+ONE", "*** Delete File: d.txt", "*** Add File: z.txt", "+z"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"message":"Patched 3 files: 2 lines added, 2 removed.","applied":true,"verified":true,"rebased":false,"edit_id":"e1","notes":[` + quote(transaction.NotOnDisk("z.txt")) + `],"files":[` +
		`{"path":"a.txt","uri":` + quote(paths.FileURI(s.path("dir/a.txt"))) + `,"change":"rename","new_path":"dir/a.txt","rev":` + quote(revOf(s, "ONE\n")) +
		`,"version":2,"open":true,"dirty":true,"saved":false,"total_lines":1,"hunks":[{"start_line":1,"end_line":1,"old_lines":1,"new_lines":1,"match":"exact"}],"snippet":"     1\tONE"},` +
		`{"path":"d.txt","uri":` + quote(paths.FileURI(s.path("d.txt"))) + `,"change":"delete","new_path":"","rev":"","version":0,"open":false,"dirty":false,"saved":false,"total_lines":0,` +
		`"hunks":[{"start_line":1,"end_line":0,"old_lines":1,"new_lines":0,"match":"exact"}],"snippet":""},` +
		`{"path":"z.txt","uri":` + quote(paths.FileURI(s.path("z.txt"))) + `,"change":"create","new_path":"","rev":` + quote(revOf(s, "z\n")) +
		`,"version":2,"open":true,"dirty":true,"saved":false,"total_lines":1,"hunks":[{"start_line":1,"end_line":1,"old_lines":0,"new_lines":1,"match":"exact"}],"snippet":"     1\tz"}],` +
		`"diff":"diff --git a/a.txt b/dir/a.txt\nrename from a.txt\nrename to dir/a.txt\n--- a/a.txt\n+++ b/dir/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n` +
		`diff --git a/d.txt b/d.txt\ndeleted file mode 100644\n--- a/d.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n` +
		`diff --git a/z.txt b/z.txt\nnew file mode 100644\n--- /dev/null\n+++ b/z.txt\n@@ -0,0 +1 @@\n+z\n"}`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
}

// git takes the diff of a patch, and makes of the files what the editor has.
func TestDiffOfAPatchIsOneForGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, and it is git that is asked")
	}
	s := start(t, map[string]string{
		"a.txt": "\uFEFFone\r\ntwo", "b \"x\".txt": "b\n", "pure.txt": "p\n", "d.txt": "\uFEFFd\n", "empty.txt": "", "m.txt": "m1\nm2\n",
	}, headless.Options{})
	patch := beginPatch("*** Update File: a.txt", "@@", "-one", "+ONE", "*** Add File: new/e.txt", "*** Add File: new/f.txt", "+f",
		"*** Update File: pure.txt", "*** Move to: new/pure.txt", "*** Delete File: d.txt", "*** Delete File: empty.txt",
		"*** Update File: m.txt", "*** Move to: new/m.txt", "@@", "-m2", "+M2", "*** Update File: b \"x\".txt", "@@", "-b", "+B")
	r := s.edit("apply_patch", patch)
	cmd := exec.Command(git, "apply", "-")
	cmd.Dir, cmd.Stdin = s.root, strings.NewReader(r.Diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, r.Diff)
	}
	for name, want := range map[string]string{
		"a.txt": "\uFEFFONE\r\ntwo", "b \"x\".txt": "B\n", "new/pure.txt": "p\n", "new/e.txt": "", "new/f.txt": "f\n", "new/m.txt": "m1\nM2\n",
	} {
		if got := s.disk(name); got != want {
			t.Errorf("%s: git made %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"pure.txt", "d.txt", "empty.txt", "m.txt"} {
		if left, _ := filepath.Glob(s.path(name)); len(left) > 0 {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestDryRunOfAPatch(t *testing.T) {
	s := startFive(t, true, noEdit(t))
	r := s.edit("apply_patch", args{"patch": fivePatch, "dry_run": true})
	var edited []string
	for _, f := range r.Files {
		if len(f.Edits) > 0 {
			edited = append(edited, f.Path)
		}
	}
	want := []string{"a.txt", "b.txt", "new/c.txt", "e.txt"}
	if r.Applied || r.EditID != "" || len(r.Files) != 5 || !slices.Equal(edited, want) || !strings.HasPrefix(r.Message, "Dry run, nothing was changed: Patched 5 files") || r.Diff == "" {
		t.Errorf("%+v", r)
	}
	s.wantTexts(fiveOld)
}

// A client that applies edits by itself gets all of them, in the order in which
// they can be applied.
func TestPatchForAClientWithoutApplyEdit(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "d.txt": "d\n"}, headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.ApplyEdit = nil },
	})
	r := s.edit("apply_patch", beginPatch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-one", "+ONE", "*** Delete File: d.txt", "*** Add File: z.txt", "+z"))
	var edit struct {
		DocumentChanges []struct {
			Kind         string
			Options      map[string]bool
			TextDocument struct{ URI string }
		}
	}
	if err := json.Unmarshal(r.WorkspaceEdit, &edit); err != nil {
		t.Fatalf("%v in %s", err, r.WorkspaceEdit)
	}
	var kinds []string
	for _, c := range edit.DocumentChanges {
		kinds = append(kinds, c.Kind+filepath.Base(c.TextDocument.URI))
	}
	if want := []string{"rename.", "b.txt", "delete.", "create.", "z.txt"}; r.Applied || !slices.Equal(kinds, want) {
		t.Errorf("%q in %+v", kinds, r)
	}
	if o := edit.DocumentChanges[2].Options; len(o) != 2 || o["recursive"] || o["ignoreIfNotExists"] {
		t.Errorf("options %v", o)
	}
}

// If nothing shows what happened to a file, the answer says so.
func TestPatchThatNobodySees(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"}, headless.Options{
		Client: protocol.ClientInfo{Name: "Neovim"},
		Habits: personas.Decides(func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			if strings.HasSuffix(p.Edit.DocumentChanges[0].TextDocument.URI, "b.txt") {
				return applyResult{Applied: true}, nil
			}
			return next(p), nil
		}),
	})
	r := s.edit("apply_patch", beginPatch("*** Update File: a.txt", "@@", "-one", "+ONE", "*** Update File: b.txt", "@@", "-b", "+B"))
	if !r.Applied || r.Verified || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "b.txt") || !strings.Contains(r.Notes[0], "not verified") {
		t.Errorf("%+v", r)
	}
}

// An editor that cannot delete what it has made: the file is emptied, and the
// answer says so.
func TestWhatTheEditorCannotDeleteIsEmptied(t *testing.T) {
	s := start(t, map[string]string{"b.txt": "b\n"}, headless.Options{
		Capabilities: func(c *protocol.ClientCapabilities) {
			c.Workspace.WorkspaceEdit.ResourceOperations = []protocol.ResourceOperationKind{protocol.ResourceOperationKindCreate}
		},
		Habits: personas.Decides(func(_ context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			if strings.HasSuffix(p.Edit.DocumentChanges[0].TextDocument.URI, "b.txt") {
				return applyResult{FailureReason: "no"}, nil
			}
			return next(p), nil
		}),
	})
	f := s.fail("apply_patch", beginPatch("*** Add File: z.txt", "+z", "*** Update File: b.txt", "@@", "-b", "+B"))
	if !strings.HasSuffix(f.Message, "z.txt could not be deleted again (the editor lacks the resource operation delete), and is left empty.") {
		t.Errorf("%s", f.Message)
	}
	if b, ok := s.Buffer("z.txt"); !ok || b.Text() != "" {
		t.Errorf("%v", b)
	}
}

// What the agent knows about a text's lines stays valid after a renaming.
func TestLinesAreKnownAfterAMove(t *testing.T) {
	s := start(t, map[string]string{"a.txt": "1\n2\n3\n"}, headless.Options{})
	run[any](s, "text_editor", args{"action": "read", "path": "a.txt"})
	s.edit("apply_patch", beginPatch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-1", "+one", "+and more"))
	s.edit("text_editor", args{"action": "patch", "path": "b.txt", "edits": []args{{"from": 4, "to": 4, "content": "three\n"}}})
	if b, _ := s.Buffer("b.txt"); b.Text() != "one\nand more\n2\nthree\n" {
		t.Errorf("%q", b.Text())
	}
}

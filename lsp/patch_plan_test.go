package lsp_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/workspace/paths"
)

func beginPatch(lines ...string) args {
	return args{"patch": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"}
}

var planFiles = map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n", "dir/c.txt": "c\n", "bin": "a\x00b", "empty.txt": ""}

// Patches that ask for the impossible: nothing is sent, and the error says what is
// wrong and where.
func TestPatchesThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		patch []string
		kind  edits.Kind
		file  int // from 1
		says  string
	}{
		"add over a file":                {[]string{"*** Add File: a.txt", "+x"}, "already_exists", 1, "a.txt exists already"},
		"add over what is no text":       {[]string{"*** Add File: bin", "+x"}, "already_exists", 1, "bin exists already"},
		"add over a directory":           {[]string{"*** Add File: dir", "+x"}, "is_directory", 1, "dir is a directory"},
		"add over what is only open":     {[]string{"*** Add File: open.txt", "+x"}, "already_exists", 1, "open.txt exists already"},
		"delete a directory":             {[]string{"*** Delete File: dir"}, "is_directory", 1, "dir is a directory"},
		"delete nothing":                 {[]string{"*** Delete File: none.txt"}, "file_not_found", 1, "File not found: none.txt"},
		"delete what is unsaved":         {[]string{"*** Delete File: dirty.txt"}, "stale", 1, "dirty.txt has unsaved changes, which deleting it would lose; save it first."},
		"delete what is no text":         {[]string{"*** Delete File: bin"}, "binary_file", 1, ""},
		"delete what was never saved":    {[]string{"*** Delete File: open.txt"}, "stale", 1, "unsaved"},
		"delete an untitled document":    {[]string{"*** Delete File: untitled:u"}, "unsupported", 1, "no file"},
		"move onto a file":               {[]string{"*** Update File: a.txt", "*** Move to: b.txt"}, "already_exists", 1, "a.txt cannot be moved to b.txt, which exists already"},
		"move onto what is only open":    {[]string{"*** Update File: a.txt", "*** Move to: open.txt"}, "already_exists", 1, "open.txt"},
		"move onto a directory":          {[]string{"*** Update File: a.txt", "*** Move to: dir"}, "is_directory", 1, "dir, which is a directory"},
		"move a directory":               {[]string{"*** Update File: dir", "*** Move to: d2"}, "is_directory", 1, ""},
		"move out of the workspace":      {[]string{"*** Update File: a.txt", "*** Move to: ../x.txt"}, "outside_workspace", 1, ""},
		"add out of the workspace":       {[]string{"*** Add File: dir/../../x.txt", "+x"}, "outside_workspace", 1, ""},
		"update out of the workspace":    {[]string{"*** Update File: /etc/hosts", "@@", "-a", "+b"}, "outside_workspace", 1, ""},
		"add a hook":                     {[]string{"*** Add File: .git/hooks/pre-commit", "+x"}, "protected", 1, ""},
		"delete in .git":                 {[]string{"*** Update File: b.txt", "@@", "-b", "+B", "*** Delete File: .GIT/config"}, "protected", 2, "No file was changed"},
		"move into .git":                 {[]string{"*** Update File: a.txt", "*** Move to: .git/x"}, "protected", 1, ""},
		"update after delete":            {[]string{"*** Delete File: a.txt", "*** Update File: a.txt", "@@", "-one", "+ONE"}, "context_not_found", 2, "The patch deletes a.txt before this part"},
		"delete after delete":            {[]string{"*** Delete File: a.txt", "*** Delete File: a.txt"}, "context_not_found", 2, "deletes a.txt before"},
		"update after move, old name":    {[]string{"*** Update File: a.txt", "*** Move to: z.txt", "*** Update File: a.txt", "@@", "-one", "+ONE"}, "file_not_found", 2, "moves it to z.txt"},
		"add twice":                      {[]string{"*** Add File: z.txt", "+x", "*** Add File: z.txt", "+y"}, "already_exists", 2, "z.txt exists already"},
		"one of two fails":               {[]string{"*** Update File: a.txt", "@@", "-nine", "+NINE", "*** Update File: b.txt", "@@", "-b", "+B"}, "context_not_found", 1, "No file was changed; b.txt would take its part."},
		"two of four fail":               {[]string{"*** Update File: a.txt", "@@", "-one", "+ONE", "*** Update File: none.txt", "@@", "-n", "+N", "*** Update File: b.txt", "@@", "-nine", "+NINE", "*** Update File: dir/c.txt", "@@", "-c", "+C"}, "file_not_found", 2, "No file was changed; a.txt and dir/c.txt would take their parts, and b.txt fails as well: Hunk 1"},
		"all fail":                       {[]string{"*** Delete File: n1.txt", "*** Delete File: n2.txt"}, "file_not_found", 1, "No file was changed, and n2.txt fails as well"},
		"a name that is still in use":    {[]string{"*** Update File: a.txt", "*** Move to: t.txt", "*** Update File: b.txt", "*** Move to: a.txt", "*** Update File: t.txt", "*** Move to: b.txt"}, "unsupported", 2, "as two patches"},
		"all in place":                   {[]string{"*** Add File: b.txt", "+b", "*** Update File: a.txt", "@@", " one", "-TWO", "+two"}, "already_applied", 0, "b.txt is there already, with this text."},
		"one file in place":              {[]string{"*** Update File: a.txt", "@@", " one", "-TWO", "+two"}, "already_applied", 1, "a.txt"},
		"one file that is there already": {[]string{"*** Add File: b.txt", "+b"}, "already_applied", 1, "b.txt is there already, with this text."},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, planFiles, headless.Options{Habits: personas.Decides(noEdit(t))})
			writeFile(t, s.path("dirty.txt"), "saved\n")
			if err := s.open("dirty.txt").Insert(0, "un"); err != nil {
				t.Fatal(err)
			}
			for _, uri := range []string{"untitled:u", paths.FileURI(s.path("open.txt"))} {
				if _, err := s.OpenText(uri, "plaintext", "text\n"); err != nil {
					t.Fatal(err)
				}
			}
			f := s.fail("apply_patch", beginPatch(test.patch...))
			if f.Kind != test.kind || !strings.Contains(f.Message, test.says) {
				t.Errorf("%s: %s\nwant %s: %s", f.Kind, f.Message, test.kind, test.says)
			}
			if file := f.FileIndex; (file == nil) != (test.file == 0) || file != nil && *file != test.file-1 {
				t.Errorf("file_index %v, want %d", file, test.file-1)
			}
		})
	}
}

// noEdit fails the test when something is to be edited.
func noEdit(t *testing.T) personas.ApplyEditFunc {
	t.Helper()
	return func(_ context.Context, _ *headless.Editor, p *applyParams, _ applyNext) (applyResult, error) {
		t.Errorf("sent: %+v", p.Edit)
		return applyResult{}, nil
	}
}

// Several parts of a patch about one file make one change of that file.
func TestPartsAboutOneFile(t *testing.T) {
	for name, test := range map[string]struct {
		patch   []string
		change  string
		path    string
		newPath string
		text    string // of the file in the end
		message string
	}{
		"update twice": {[]string{"*** Update File: a.txt", "@@", "-one", "+ONE", "+more", "*** Update File: b.txt", "@@", "-b", "+B", "*** Update File: a.txt", "@@", "-more", "-two", "+2"},
			"update", "a.txt", "", "ONE\n2\n", "Patched 2 files: 3 lines added, 3 removed."},
		"add, then update": {[]string{"*** Add File: z.txt", "+x", "+y", "*** Update File: z.txt", "@@", "-x", "+X"},
			"create", "z.txt", "", "X\ny\n", "Patched 1 file: 2 lines added, 0 removed."},
		"update, then delete": {[]string{"*** Update File: a.txt", "@@", "-one", "+ONE", "*** Delete File: a.txt"},
			"delete", "a.txt", "", absent, "Patched 1 file: 0 lines added, 2 removed."},
		"delete, then add": {[]string{"*** Delete File: a.txt", "*** Add File: a.txt", "+one", "+2"},
			"update", "a.txt", "", "one\n2\n", "Patched 1 file: 1 line added, 1 removed."},
		"move, then update": {[]string{"*** Update File: a.txt", "*** Move to: dir/z.txt", "*** Update File: dir/z.txt", "@@", "-one", "+ONE"},
			"rename", "a.txt", "dir/z.txt", "ONE\ntwo\n", "Patched 1 file: 1 line added, 1 removed."},
		"move to itself": {[]string{"*** Update File: a.txt", "*** Move to: dir/../a.txt", "@@", "-one", "+ONE"},
			"update", "a.txt", "", "ONE\ntwo\n", "Patched 1 file: 1 line added, 1 removed."},
		"move there and back": {[]string{"*** Update File: a.txt", "*** Move to: z.txt", "*** Update File: z.txt", "*** Move to: a.txt", "@@", "-one", "+ONE"},
			"update", "a.txt", "", "ONE\ntwo\n", "Patched 1 file: 1 line added, 1 removed."},
		"move to a deleted name": {[]string{"*** Update File: a.txt", "@@", "-one", "+ONE", "*** Delete File: b.txt", "*** Update File: a.txt", "*** Move to: b.txt", "@@", "-two", "+2"},
			"rename", "a.txt", "b.txt", "ONE\n2\n", "Patched 2 files: 2 lines added, 3 removed."},
		"add under a name that was left": {[]string{"*** Update File: a.txt", "*** Move to: z.txt", "*** Add File: a.txt", "+new"},
			"rename", "a.txt", "z.txt", "one\ntwo\n", "Patched 2 files: 1 line added, 0 removed."},
		"add, then move": {[]string{"*** Add File: z.txt", "+z", "*** Update File: z.txt", "*** Move to: y.txt"},
			"create", "y.txt", "", "z\n", "Patched 1 file: 1 line added, 0 removed."},
		"an empty file": {[]string{"*** Delete File: empty.txt"}, "delete", "empty.txt", "", absent, "Patched 1 file: 0 lines added, 0 removed."},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, planFiles, headless.Options{})
			r := s.edit("apply_patch", beginPatch(test.patch...))
			f := r.Files[0]
			if !r.Verified || r.Message != test.message || f.Change != test.change || f.Path != test.path || f.NewPath != test.newPath {
				t.Errorf("%+v", r)
			}
			name := test.path
			if test.newPath != "" {
				name = test.newPath
			}
			b, err := s.Open(s.path(name))
			switch {
			case test.text == absent && os.IsNotExist(err):
			case err != nil:
				t.Error(err)
			case b.Text() != test.text || b.Text() == absent:
				t.Errorf("text %q, want %q", b.Text(), test.text)
			}
		})
	}
}

// A part that is in place is noted, and the others are applied.
func TestPartThatIsInPlace(t *testing.T) {
	s := start(t, planFiles, headless.Options{})
	r := s.edit("apply_patch", beginPatch("*** Update File: a.txt", "@@", " one", "-TWO", "+two", "*** Add File: b.txt", "+b", "*** Update File: dir/c.txt", "@@", "-c", "+C"))
	want := []string{"a.txt already has its part of the patch.", "b.txt is there already, with this text."}
	if len(r.Files) != 1 || r.Files[0].Path != "dir/c.txt" || strings.Join(r.Notes, "|") != strings.Join(want, "|") || r.Message != "Patched 1 file: 1 line added, 1 removed." {
		t.Errorf("%+v", r)
	}
}

// An editor that lacks what the patch needs is not sent anything.
func TestEditorWithoutResourceOperations(t *testing.T) {
	for name, test := range map[string]struct {
		patch  []string
		client string
		lacks  string // "" if the patch lands
	}{
		"create":                {[]string{"*** Add File: z.txt", "+z"}, "", "create"},
		"create by an edit":     {[]string{"*** Add File: z.txt", "+z"}, "Neovim", ""},
		"delete":                {[]string{"*** Delete File: b.txt"}, "", "delete"},
		"rename":                {[]string{"*** Update File: b.txt", "*** Move to: z.txt"}, "", "rename"},
		"the second file alone": {[]string{"*** Update File: a.txt", "@@", "-one", "+ONE", "*** Delete File: b.txt"}, "", "delete"},
		"updates":               {[]string{"*** Update File: a.txt", "@@", "-one", "+ONE", "*** Update File: b.txt", "@@", "-b", "+B"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			opts := headless.Options{
				Client:       protocol.ClientInfo{Name: test.client},
				Capabilities: func(c *protocol.ClientCapabilities) { c.Workspace.WorkspaceEdit.ResourceOperations = nil },
			}
			if test.lacks != "" {
				opts.Habits = personas.Decides(noEdit(t))
			} else {
				// The headless editor itself makes no file by an edit.
				opts.Habits = personas.Decides(func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
					if uri := p.Edit.DocumentChanges[0].TextDocument.URI; strings.HasSuffix(uri, "z.txt") {
						_, err := e.OpenText(uri, "plaintext", p.Edit.DocumentChanges[0].Edits[0].NewText)
						return applyResult{Applied: true}, err
					}
					return next(p), nil
				})
			}
			s := start(t, planFiles, opts)
			if test.lacks == "" {
				if r := s.edit("apply_patch", beginPatch(test.patch...)); !r.Verified {
					t.Errorf("%+v", r)
				}
				return
			}
			if f := s.fail("apply_patch", beginPatch(test.patch...)); f.Kind != "unsupported" || !strings.Contains(f.Message, "resource operation "+test.lacks) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// Unsaved text moves along with a renaming, unless the editor may save it then. There it is refused, and so is the undo of a
// move, until the text is saved.
func TestMoveOfUnsavedText(t *testing.T) {
	for client, kind := range map[string]string{
		"patchls-headless": "", "Visual Studio Code": "", "helix": "",
		"Neovim": "stale", "emacs": "stale", "eglot": "stale", "Zed": "stale", "an unknown one": "stale",
	} {
		t.Run(client, func(t *testing.T) {
			s := start(t, planFiles, headless.Options{Client: protocol.ClientInfo{Name: client}, Capabilities: func(c *protocol.ClientCapabilities) { c.Experimental = nil }})
			clean := s.edit("apply_patch", beginPatch("*** Update File: b.txt", "*** Move to: y.txt"))
			if y, ok := s.Buffer(s.path("y.txt")); ok {
				if err := y.Insert(0, "unsaved\n"); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.open("a.txt").Insert(0, "unsaved\n"); err != nil {
				t.Fatal(err)
			}
			patch := beginPatch("*** Update File: a.txt", "*** Move to: z.txt", "@@", "-one", "+ONE")
			if kind != "" {
				for command, a := range map[string]args{"apply_patch": patch, "undo": {"edit_id": clean.EditID}} {
					if f := s.fail(command, a); string(f.Kind) != kind || !strings.Contains(f.Message, "the editor may save in renaming it; save it first") {
						t.Errorf("%s: %+v", command, f)
					}
				}
				return
			}
			r := s.edit("apply_patch", patch)
			if b, ok := s.Buffer("z.txt"); !ok || b.Text() != "unsaved\nONE\ntwo\n" {
				t.Errorf("%v", b)
			}
			s.edit("undo", args{"edit_id": r.EditID})
			if b, ok := s.Buffer("a.txt"); !ok || b.Text() != "unsaved\none\ntwo\n" || !b.Dirty() {
				t.Errorf("after undo %v", b)
			}
			s.edit("undo", args{"edit_id": clean.EditID})
		})
	}
}

package lsp_test

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/editors/headless"
)

// guardedEdits change a file by which VS Code starts programs, in every way that there is.
var guardedEdits = map[string]struct {
	command string
	args    args
}{
	"write":  {"write", args{"path": ".vscode/settings.json", "content": "{}\n"}},
	"edit":   {"str_replace", args{"path": ".vscode/settings.json", "old_str": "old", "new_str": "new"}},
	"create": {"create", args{"path": ".vscode/tasks.json", "content": "{}\n"}},
	"patch":  {"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: .vscode/settings.json\n*** End Patch\n"}},
	"move":   {"apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: .envrc\n@@\n-one\n+1\n*** End Patch\n"}},
	"a mode": {"text_editor", args{"action": "write", "path": ".vscode/settings.json", "content": "{}\n"}},
}

var guardedFiles = map[string]string{"a.txt": "one\n", ".vscode/settings.json": "{\"old\": 1}\n"}

// TestGuardedFilesAreAskedAbout: the user is asked about an edit of a file by which an
// editor starts programs, also where the command wants no confirmation.
func TestGuardedFilesAreAskedAbout(t *testing.T) {
	for name, edit := range guardedEdits {
		t.Run(name, func(t *testing.T) {
			p := &asked{answers: []string{"Reject", "Apply"}}
			s := start(t, guardedFiles, headless.Options{Answer: chooses(p.choose)})
			s.open("a.txt")
			if f := s.fail(edit.command, edit.args); f.Kind != "rejected_by_editor" {
				t.Errorf("%+v", f)
			}
			if len(p.questions) != 1 || !strings.Contains(p.questions[0], " is protected: ") {
				t.Fatalf("asked %q", p.questions)
			}
			s.edit(edit.command, edit.args)
			if len(p.questions) != 2 {
				t.Errorf("asked %q", p.questions)
			}
		})
	}
}

// TestGuardedFilesWhereTheUserCannotBeAsked: without a way to ask, such an edit is refused; other edits are not.
func TestGuardedFilesWhereTheUserCannotBeAsked(t *testing.T) {
	for name, edit := range guardedEdits {
		t.Run(name, func(t *testing.T) {
			s := start(t, guardedFiles, headless.Options{})
			b := s.open(".vscode/settings.json")
			if f := s.fail(edit.command, edit.args); f.Kind != "protected" || b.Text() != guardedFiles[".vscode/settings.json"] {
				t.Errorf("%+v", f)
			}
			s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "1"})
		})
	}
}

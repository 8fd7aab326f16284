package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
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

// TestGuardedFilesBehindLinks: the user is asked about what a guarded name leads to, by both of its names, and whether it is
// open by its other name or not open.
func TestGuardedFilesBehindLinks(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "conf/settings.json": "{\"old\": 1}\n"}
	for name, edit := range guardedEdits {
		if name == "move" { // which is not about that folder
			continue
		}
		for _, by := range []string{".vscode/", "conf/"} {
			for _, open := range []string{"a.txt", "conf/settings.json"} {
				t.Run(name+" "+by+" "+open, func(t *testing.T) {
					p := &asked{answers: []string{"Reject"}}
					s := start(t, files, headless.Options{Answer: chooses(p.choose)})
					if err := os.Symlink("conf", filepath.Join(s.root, ".vscode")); err != nil {
						t.Fatal(err)
					}
					s.open(open)
					edited := args{}
					for key, value := range edit.args {
						edited[key] = strings.ReplaceAll(value.(string), ".vscode/", by)
					}
					if f := s.fail(edit.command, edited); f.Kind != "rejected_by_editor" {
						t.Errorf("%+v", f)
					}
					if len(p.questions) != 1 || !strings.Contains(p.questions[0], " is protected: ") {
						t.Errorf("asked %q", p.questions)
					}
				})
			}
		}
	}
}

// addsFiles returns a patch that adds files with a line each.
func addsFiles(names ...string) args {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "*** Add File: %s\n+line\n", name)
	}
	return args{"patch": "*** Begin Patch\n" + b.String() + "*** End Patch\n"}
}

// numbered returns n names, in which each "#" is replaced by a number.
func numbered(n int, name string) (names []string) {
	for i := range n {
		names = append(names, strings.ReplaceAll(name, "#", fmt.Sprint(i)))
	}
	return names
}

// TestEachGuardedFileIsNamed: wherever they are in an edit of many files, the question names the guarded ones with
// their reasons, before all others, and the diff begins with them.
func TestEachGuardedFileIsNamed(t *testing.T) {
	const husky, tasks = ".husky/readme is protected: git runs hooks from it, or hooks that it names.", ".vscode/tasks.json is protected: VS Code starts programs"
	many := numbered(40, "aaa#.txt")
	for name, c := range map[string]struct {
		edit args
		want []string // what the question has, in this order
	}{
		"at both ends":   {addsFiles(append(append([]string{".husky/readme"}, many...), ".vscode/tasks.json")...), []string{husky, tasks, ".husky/readme, .vscode/tasks.json, aaa0.txt, "}},
		"in the middle":  {addsFiles(append(append(many[:20:20], "sub/.envrc"), many[20:]...)...), []string{"sub/.envrc is protected: direnv runs it.", "sub/.envrc, aaa0.txt, "}},
		"the new name":   {args{"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: .envrc\n@@\n-one\n+1\n*** End Patch\n"}, []string{".envrc is protected: "}},
		"both names":     {args{"patch": "*** Begin Patch\n*** Update File: .vscode/settings.json\n*** Move to: .envrc\n@@\n-{\"old\": 1}\n+{}\n*** End Patch\n"}, []string{".vscode/settings.json is protected: ", ".envrc is protected: "}},
		"a removed file": {args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: .vscode/settings.json\n*** End Patch\n"}, []string{".vscode/settings.json is protected: ", ".vscode/settings.json and a.txt: "}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &asked{answers: []string{"Show diff", "Reject"}}
			s := start(t, guardedFiles, headless.Options{Answer: chooses(p.choose)})
			if f := s.fail("apply_patch", c.edit); f.Kind != "rejected_by_editor" || len(p.questions) != 2 {
				t.Fatalf("%+v, asked %q", f, p.questions)
			}
			for i, question := range p.questions {
				rest, want := question, c.want
				if i == 1 { // the diff
					want = append(want[:len(want)-1:len(want)-1], "\n--- ", "\n+++ ")
					if before, _, _ := strings.Cut(rest, "\n+++ "); strings.Contains(before, "aaa0.txt") {
						t.Errorf("the diff begins with another file: %q", rest)
					}
				}
				for _, part := range want {
					_, after, found := strings.Cut(rest, part)
					if !found {
						t.Errorf("%q comes not after what is before it, or not at all, in %q", part, question)
					}
					rest = after
				}
			}
		})
	}
}

// TestMoreGuardedFilesThanAQuestionNames: such an edit is refused, and the user is not asked about a part of it.
func TestMoreGuardedFilesThanAQuestionNames(t *testing.T) {
	for name, guarded := range map[string][]string{
		"many":             numbered(30, ".husky/#"),
		"a few long names": numbered(4, ".husky/#"+strings.Repeat("x", 180)),
	} {
		t.Run(name, func(t *testing.T) {
			p := &asked{answers: []string{"Apply"}}
			s := start(t, guardedFiles, headless.Options{Answer: chooses(p.choose)})
			if f := s.fail("apply_patch", addsFiles(guarded...)); f.Kind != "protected" || !strings.Contains(f.Message, "in parts") || len(p.questions) > 0 {
				t.Errorf("%+v, asked %q", f, p.questions)
			}
			s.edit("apply_patch", addsFiles(guarded[:2]...)) // the advice helps
		})
	}
}

package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// once does something when the editor first sends a message that has a part.
func once(part string, does func()) func(dir string, raw []byte) {
	var first sync.Once
	return func(dir string, raw []byte) {
		if dir == "send" && strings.Contains(string(raw), part) {
			first.Do(does)
		}
	}
}

// A file of a patch or an undo that comes to be guarded while the editor edits the file before it is not edited: the user
// was not asked about it.
func TestAFileThatComesToBeGuardedMeanwhile(t *testing.T) {
	files := map[string]string{
		"b.txt": "one\n", "a.json": "{}\n", "docs/config": "{}\n", "sub/settings.json": "{}\n",
		".vscode/settings.json": "{}\n", ".git-parts/HEAD": "x\n",
	}
	move := func(from, to string) func(root string) error {
		return func(root string) error {
			_ = os.RemoveAll(filepath.Join(root, to))
			return os.Rename(filepath.Join(root, from), filepath.Join(root, to))
		}
	}
	for name, c := range map[string]struct {
		file  string
		swaps func(root string) error
		to    string // the guarded file
	}{
		"a link to a guarded file": {"a.json", func(root string) error {
			_ = os.Remove(filepath.Join(root, "a.json"))
			return os.Symlink(".vscode/settings.json", filepath.Join(root, "a.json"))
		}, ".vscode/settings.json"},
		"a guarded name that leads to its folder": {"sub/settings.json", func(root string) error {
			_ = os.RemoveAll(filepath.Join(root, ".vscode"))
			return os.Symlink("sub", filepath.Join(root, ".vscode"))
		}, "sub/settings.json"},
		"a folder of git": {"docs/config", func(root string) error {
			for _, part := range []string{"objects", "refs"} {
				if err := os.Mkdir(filepath.Join(root, "docs", part), 0o700); err != nil {
					return err
				}
			}
			return move(".git-parts/HEAD", "docs/HEAD")(root)
		}, "docs/config"},
	} {
		for _, editor := range []string{"", "vscode-plugin", "neovim-plugin"} {
			for _, command := range []string{"apply_patch", "undo"} {
				t.Run(name+" "+editor+" "+command, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						var swap atomic.Pointer[func(dir string, raw []byte)]
						p := &asked{answers: []string{"Apply"}}
						opts := headless.Options{}
						if persona, ok := personas.Named(editor); ok {
							opts = persona.Options(opts)
						}
						opts.Answer, opts.Trace = chooses(p.choose), func(dir string, raw []byte) {
							if now := swap.Load(); now != nil {
								(*now)(dir, raw)
							}
						}
						s := startInBubble(t, files, opts)
						for name := range map[string]bool{"b.txt": true, c.file: true} {
							s.open(name)
						}
						first, second := "*** Update File: b.txt\n@@\n-one\n+two\n", "*** Update File: "+c.file+"\n@@\n-{}\n+{\"run\": 1}\n"
						change := args{"save": true}
						if command == "undo" { // which begins with the last file
							s.edit("apply_patch", args{"patch": "*** Begin Patch\n" + second + first + "*** End Patch\n"})
						} else {
							change["patch"] = "*** Begin Patch\n" + first + second + "*** End Patch\n"
						}
						now := s.disk(c.to)
						pass(5 * time.Second)
						meanwhile := once(`"applied":true`, func() {
							if err := c.swaps(s.root); err != nil {
								t.Error(err)
							}
						})
						swap.Store(&meanwhile)
						f := s.fail(command, change)
						if f.Kind != "protected" || !strings.Contains(f.Message, "has come to be protected: ") || s.disk(c.to) != now {
							t.Errorf("%+v, and the file has %q", f, s.disk(c.to))
						}
						if len(p.questions) > 0 {
							t.Errorf("asked %q", p.questions)
						}
					})
				})
			}
		}
	}
}

// What the user types in a guarded file while an agent saves it is not saved with it.
func TestTypingInAGuardedFileThatIsSaved(t *testing.T) {
	for name, before := range map[string]string{"that had nothing unsaved": "", "that the user agreed to": "half\n"} {
		t.Run(name, func(t *testing.T) {
			var s *session
			var b *headless.Buffer
			var about []string
			others := asksOthers{func() error {
				if len(about) == 2 {
					return typed(s, b, "typed\n")
				}
				return nil
			}, &about}
			p := &asked{answers: []string{"Apply"}}
			s = startBeside(t, others, map[string]string{".vscode/tasks.json": "{\n}\n", "a.txt": "one\n"}, headless.Options{Answer: chooses(p.choose)})
			b = s.open(".vscode/tasks.json")
			s.open("a.txt")
			s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
			if err := b.Insert(2, before); err != nil {
				t.Fatal(err)
			}
			f := s.fail("save", args{"paths": []string{"a.txt", ".vscode/tasks.json"}})
			if f.Kind != "stale" || s.disk(".vscode/tasks.json") != "{\n}\n" || s.disk("a.txt") != "two\n" || !strings.HasSuffix(f.Message, "Saved before that: a.txt.") {
				t.Errorf("%+v, asked %q, and the file has %q", f, p.questions, s.disk(".vscode/tasks.json"))
			}
		})
	}
}

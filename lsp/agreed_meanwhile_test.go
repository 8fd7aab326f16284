package lsp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// makesGit makes the folder docs one of git.
func makesGit(s *session) error {
	for _, part := range []string{"docs/objects", "docs/refs", "docs/HEAD"} {
		if err := os.MkdirAll(s.path(part), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// The user is asked again if a file comes to be guarded while they are asked: the question did not name it.
func TestAFileThatComesToBeGuardedWhileTheUserIsAsked(t *testing.T) {
	link := func(s *session) error {
		_ = os.RemoveAll(s.path(".vscode"))
		return os.Symlink("sub", s.path(".vscode"))
	}
	one := func(file string) string { return "*** Update File: " + file + "\n@@\n-{}\n+{1}\n" }
	for name, c := range map[string]struct {
		patch     string
		file      string
		meanwhile func(*session) error
	}{
		"a folder of git":                     {one("docs/config"), "docs/config", makesGit},
		"a folder of git, with a guarded one": {one(".vscode/settings.json") + one("docs/config"), "docs/config", makesGit},
		"a link":                              {one("sub/tasks.json"), "sub/tasks.json", link},
	} {
		t.Run(name, func(t *testing.T) {
			var s *session
			p := &asked{answers: []string{"Apply", "Reject"}}
			p.before = func() {
				if len(p.questions) == 1 {
					if err := c.meanwhile(s); err != nil {
						t.Error(err)
					}
				}
			}
			s = start(t, map[string]string{".vscode/settings.json": "{}\n", "docs/config": "{}\n", "sub/tasks.json": "{}\n"}, headless.Options{Answer: chooses(p.choose)})
			f := s.fail("apply_patch", args{"confirm": true, "save": true, "patch": "*** Begin Patch\n" + c.patch + "*** End Patch\n"})
			if f.Kind != "rejected_by_editor" || len(p.questions) != 2 || !strings.Contains(p.questions[1], c.file+" is protected: ") || s.disk(c.file) != "{}\n" {
				t.Errorf("%+v, asked %q, and the file has %q", f, p.questions, s.disk(c.file))
			}
		})
	}
}

// The user is asked about a file of a folder that comes to be one of git while other editors are asked.
func TestAFolderThatComesToBeOfGitWhileOthersAreAsked(t *testing.T) {
	for _, name := range []string{"docs/config", "docs/hooks/post-checkout"} {
		for _, editor := range []string{"kakoune", "vscode-plugin", "neovim-plugin", "zed"} {
			var s *session
			var about []string
			p := &asked{answers: []string{"Reject"}}
			opts := headless.Options{}
			if persona, ok := personas.Named(editor); ok {
				opts = persona.Options(opts)
			}
			opts.Answer = chooses(p.choose)
			s = startBeside(t, asksOthers{func() error { return makesGit(s) }, &about}, map[string]string{"docs/readme": "x\n"}, opts)
			f := s.fail("create", args{"path": name, "content": "evil\n", "save": true})
			if f.Kind != "rejected_by_editor" || len(p.questions) != 1 {
				t.Errorf("%s in %s: %+v, asked %q", name, editor, f, p.questions)
			}
		}
	}
}

// An edit that the user has agreed to is made as it was shown, or not at all: in another place, or in another file to which
// its name leads by then, it would be another edit.
func TestAnAgreedEditIsNotMadeElsewhere(t *testing.T) {
	const shown, now = "[test]\nrun = x\n[deploy]\nrun = z\n", "[test]\nrun = q\n[deploy]\nrun = x\n"
	for name, c := range map[string]struct {
		file      string
		meanwhile func(*session, *headless.Buffer) error
	}{
		"another place": {".vscode/tasks.json", func(s *session, b *headless.Buffer) error {
			if err := b.Replace(0, len(b.Text()), now); err != nil {
				return err
			}
			return s.Call(s.t.Context(), "patchls/synced", args{}, nil)
		}},
		"another file": {"link/x.txt", func(s *session, _ *headless.Buffer) error {
			_ = os.Remove(s.path("link"))
			return os.Symlink("other", s.path("link"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var s *session
			var b *headless.Buffer
			var about []string
			others := asksOthers{func() error {
				if len(about) == 1 {
					return c.meanwhile(s, b)
				}
				return nil
			}, &about}
			p := &asked{answers: []string{"Apply"}}
			s = startBeside(t, others, map[string]string{".vscode/tasks.json": shown, "safe/x.txt": shown, "other/x.txt": shown + "more\n"}, headless.Options{Answer: chooses(p.choose)})
			if err := os.Symlink("safe", s.path("link")); err != nil {
				t.Fatal(err)
			}
			b = s.open(".vscode/tasks.json")
			f := s.fail("apply_patch", args{"confirm": true, "save": true, "patch": "*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: " + c.file + "\n@@\n-run = x\n+run = y\n*** End Patch\n"})
			if f.Kind != "stale" || len(p.questions) != 1 || s.disk(".vscode/tasks.json") != shown || s.disk("other/x.txt") != shown+"more\n" || s.disk("safe/x.txt") != shown {
				t.Errorf("%+v, asked %q", f, p.questions)
			}
		})
	}
}

// A rollback asks no other editors: what a file was before, they have allowed to change.
func TestARollbackWhileOthersAreSilent(t *testing.T) {
	for name, part := range map[string]string{
		"delete": "*** Delete File: a.txt\n", "move": "*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+two\n", "add": "*** Add File: b.txt\n+x\n",
	} {
		var about []string
		others := asksOthers{func() error {
			if strings.HasPrefix(about[len(about)-1], "new") || len(about) > 2 {
				return os.ErrDeadlineExceeded
			}
			return nil
		}, &about}
		s := startBeside(t, others, map[string]string{"a.txt": "one\n"}, headless.Options{})
		f := s.fail("apply_patch", args{"patch": "*** Begin Patch\n" + part + "*** Add File: new.txt\n+x\n*** End Patch\n"})
		if !strings.Contains(f.Message, "Nothing is changed: ") || s.disk("a.txt") != "one\n" {
			t.Errorf("%s: %+v, and the file has %q", name, f, s.disk("a.txt"))
		}
	}
}

// Each change of a question has documents of its own, also two of one name, and files that would be shown alike have their
// whole paths.
func TestEachChangeOfAQuestionIsShown(t *testing.T) {
	other := t.TempDir()
	writeFile(t, filepath.Join(other, ".vscode", "tasks.json"), "one\n")
	for name, c := range map[string]struct {
		patch string
		want  []string // the texts after it
	}{
		"one name":    {"*** Update File: .vscode/tasks.json\n*** Move to: old.json\n*** Add File: .vscode/tasks.json\n+evil\n", []string{"one\n", "evil\n"}},
		"two folders": {"*** Add File: .vscode/launch.json\n+harmless\n*** Update File: " + filepath.Join(other, ".vscode", "tasks.json") + "\n@@\n-one\n+evil\n*** Update File: .vscode/tasks.json\n@@\n-one\n+two\n", []string{"evil\n", "harmless\n", "two\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s *session
			var shown, paths []string
			opts := headless.Options{Roots: []string{other}}
			opts.Capabilities = func(c *protocol.ClientCapabilities) { c.Experimental = protocol.LSPAny(`{"patchls":{"confirm":true}}`) }
			opts.Answer = func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
				var question struct {
					Files []struct{ Path, After string }
				}
				if err := json.Unmarshal(params, &question); err != nil {
					return nil, err
				}
				for _, f := range question.Files {
					var content struct{ Text string }
					if err := s.Call(ctx, "workspace/textDocumentContent", args{"uri": f.After}, &content); err != nil {
						return nil, err
					}
					shown, paths = append(shown, content.Text), append(paths, f.Path)
				}
				return args{"decision": "reject"}, nil
			}
			s = start(t, map[string]string{".vscode/tasks.json": "one\n"}, opts)
			s.fail("apply_patch", args{"patch": "*** Begin Patch\n" + c.patch + "*** End Patch\n"})
			slices.Sort(shown)
			slices.Sort(c.want)
			slices.Sort(paths)
			if !slices.Equal(shown, c.want) || name == "two folders" && len(slices.Compact(paths)) != len(c.want) {
				t.Errorf("shown %q of %q, want %q", shown, paths, c.want)
			}
		})
	}
}

// A guarded name that is a link is put back after an agreed edit that fails: it leads to its own place by then. A patch that would
// move it is refused, and the user is not asked.
func TestAGuardedLinkIsPutBack(t *testing.T) {
	for part, want := range map[string]string{
		"*** Delete File: .envrc\n":                                           ".envrc was put back.",
		"*** Update File: .envrc\n*** Move to: env2\n":                        ".envrc is a symbolic link, which can be edited and deleted, and not moved or copied.",
		"*** Update File: .envrc\n*** Move to: .bashrc\n@@\n-one\n+two\n":     ".envrc is a symbolic link,",
		"*** Update File: .envrc\n*** Move to: sub/.bashrc\n@@\n-one\n+two\n": ".envrc is a symbolic link,",
	} {
		for _, editor := range []string{"", "vscode-plugin", "neovim-plugin"} {
			t.Run(part+editor, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					var about []string
					others := asksOthers{func() error {
						if strings.HasPrefix(about[len(about)-1], "new") {
							return os.ErrDeadlineExceeded
						}
						return nil
					}, &about}
					p := &asked{answers: []string{"Apply"}}
					opts := headless.Options{}
					if persona, ok := personas.Named(editor); ok {
						opts = persona.Options(opts)
					}
					opts.Answer = chooses(p.choose)
					s := startSession(t, map[string]string{"conf/env": "one\n"}, opts, func(*session) func(time.Duration) <-chan time.Time { return nil }, func(o *lsp.Options) {
						o.Others = func() transaction.Others { return others }
					})
					if err := os.Symlink("conf/env", s.path(".envrc")); err != nil {
						t.Fatal(err)
					}
					f := s.fail("apply_patch", args{"patch": "*** Begin Patch\n" + part + "*** Add File: new.txt\n+x\n*** End Patch\n"})
					link, _ := os.Readlink(s.path(".envrc"))
					moved := strings.Contains(part, "Move")
					if !strings.Contains(f.Message, want) || s.disk("conf/env") != "one\n" || moved && link != "conf/env" || len(p.questions) > 0 == moved {
						t.Errorf("%+v, conf/env has %q, .envrc leads to %q, asked %q", f, s.disk("conf/env"), link, p.questions)
					}
				})
			})
		}
	}
}

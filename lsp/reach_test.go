package lsp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace/paths"
)

// The program that these tests are about runs beside an agent, or is the agent's shell. It may change what is in the
// workspace, and puts links there. Outside is a file that it may neither read nor write, of which it knows two lines.
const (
	secretKey   = "-- BEGIN KEY --\nsecret\n-- END KEY --\n"
	knownOfKey  = "-- BEGIN KEY --\n-- END KEY --\n"
	secretToken = "secret"
)

// reachScene is an editor with a workspace, and a file outside of it.
type reachScene struct {
	*session
	out string // the file outside
}

// inSavingEditors runs f in each simulated editor that saves for agents.
func inSavingEditors(t *testing.T, files map[string]string, f func(t *testing.T, s reachScene)) {
	t.Helper()
	for _, name := range []string{"", "vscode-plugin", "neovim-plugin"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p, _ := personas.Named(name)
				out := filepath.Join(t.TempDir(), "id_rsa")
				writeFile(t, out, secretKey)
				asked := &asked{answers: []string{"Reject", "Apply"}}
				s := startInBubble(t, files, p.Options(headless.Options{Answer: chooses(asked.choose)}))
				f(t, reachScene{s, out})
				if raw, err := os.ReadFile(out); err != nil || string(raw) != secretKey {
					t.Errorf("outside is now %q, %v", raw, err)
				}
			})
		})
	}
}

// leads makes a name in the workspace a link to a file, as "ln -sf" does.
func (s reachScene) leads(name, to string) {
	s.t.Helper()
	tmp := s.path("tmp-link")
	if err := os.Symlink(to, tmp); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(tmp, s.path(name)); err != nil {
		s.t.Fatal(err)
	}
	s.told(name)
}

// becomes makes a name in the workspace a file of its own, as editors do that save by renaming.
func (s reachScene) becomes(name, content string) {
	s.t.Helper()
	writeFile(s.t, s.path("tmp-file"), content)
	if err := os.Rename(s.path("tmp-file"), s.path(name)); err != nil {
		s.t.Fatal(err)
	}
	s.told(name)
}

// told has the editor report that a file has changed, and gives the server time for what follows.
func (s reachScene) told(name string) {
	s.t.Helper()
	_ = s.Notify(context.Background(), "workspace/didChangeWatchedFiles", args{"changes": []args{{"uri": paths.FileURI(s.path(name)), "type": 2}}})
	pass(3 * time.Second)
}

// reloads has the editor read a file again, as editors do by themselves if it is not edited.
func (s reachScene) reloads(b *headless.Buffer) {
	s.t.Helper()
	if err := personas.Reload(s.Editor, b); err != nil {
		s.t.Fatal(err)
	}
	personas.Flush(s.Editor)
	pass(time.Second)
}

// refused runs a command that must fail, and tell nothing of the file outside.
func (s reachScene) refused(kind, command string, a args) {
	s.t.Helper()
	f := s.fail(command, a)
	if string(f.Kind) != kind || strings.Contains(fmt.Sprintf("%+v", f), secretToken) {
		s.t.Errorf("%s: %+v, want %s", command, f, kind)
	}
}

// isOutOfReach checks that no command reaches a document.
func (s reachScene) isOutOfReach(name string) {
	s.t.Helper()
	s.refused("outside_workspace", "view", args{"path": name})
	s.refused("outside_workspace", "document", args{"uri": paths.FileURI(s.path(name))})
	s.refused("outside_workspace", "str_replace", args{"path": name, "old_str": "-- BEGIN KEY --", "new_str": "x", "save": true})
	s.refused("outside_workspace", "write", args{"path": name, "content": "x\n"})
	s.refused("outside_workspace", "save", args{"paths": []string{name}})
	s.refused("outside_workspace", "apply_patch", args{"patch": "*** Begin Patch\n*** Delete File: " + name + "\n*** End Patch\n"})
	s.refused("outside_workspace", "apply_patch", args{"patch": "*** Begin Patch\n*** Update File: " + name + "\n*** Move to: moved.txt\n@@\n--- BEGIN KEY --\n+x\n*** End Patch\n"})
	for _, d := range run[view.Listing](s.session, "list", args{}).Documents {
		if d.URI == paths.FileURI(s.path(name)) && (d.Rev != "" || d.Dirty || d.Unsaved) {
			s.t.Errorf("list says %+v", d)
		}
	}
}

// A file with unsaved text is replaced by a link that leads out. Nothing is merged from there, and nothing saved there.
func TestALinkUnderUnsavedText(t *testing.T) {
	inSavingEditors(t, map[string]string{"k.txt": knownOfKey}, func(t *testing.T, s reachScene) {
		b := s.open("k.txt")
		pass(time.Second)
		s.edit("insert", args{"path": "k.txt", "after_line": 0, "content": "a line"})
		s.leads("k.txt", s.out)
		if strings.Contains(b.Text(), secretToken) {
			t.Errorf("the buffer has %q", b.Text())
		}
		s.isOutOfReach("k.txt")
		s.becomes("k.txt", knownOfKey)
		if v := run[view.View](s.session, "view", args{"path": "k.txt"}); !strings.Contains(v.Text, "a line") {
			t.Errorf("view shows %q once the name leads back", v.Text)
		}
	})
}

// A file without unsaved text is replaced by a link that leads out, and the editor reads what is there. The agent does
// not see that, not even if the name leads back before the editor has read the file again.
func TestALinkThatTheEditorReloads(t *testing.T) {
	inSavingEditors(t, map[string]string{"k.txt": knownOfKey}, func(t *testing.T, s reachScene) {
		b := s.open("k.txt")
		pass(time.Second)
		s.leads("k.txt", s.out)
		s.reloads(b)
		if b.Text() != secretKey {
			t.Fatalf("the editor shows %q", b.Text())
		}
		s.isOutOfReach("k.txt")
		s.becomes("k.txt", knownOfKey)
		s.isOutOfReach("k.txt")
		s.reloads(b)
		if v := run[view.View](s.session, "view", args{"path": "k.txt"}); !strings.Contains(v.Text, "END KEY") {
			t.Errorf("view shows %q once the editor has the file's text", v.Text)
		}
		s.edit("str_replace", args{"path": "k.txt", "old_str": "-- END KEY --", "new_str": "-- end --", "save": true})
	})
}

// A folder is replaced by a link that leads out, with a document open in it.
func TestAFolderThatComesToLeadOut(t *testing.T) {
	inSavingEditors(t, map[string]string{"d/id_rsa": knownOfKey}, func(t *testing.T, s reachScene) {
		b := s.open("d/id_rsa")
		pass(time.Second)
		if err := os.Rename(s.path("d"), s.path("away")); err != nil {
			t.Fatal(err)
		}
		s.leads("d", filepath.Dir(s.out))
		s.reloads(b)
		s.isOutOfReach("d/id_rsa")
		s.refused("outside_workspace", "create", args{"path": "d/new.txt", "content": "x\n"})
	})
}

// The user may open a link that leads out of the workspace, and agents may edit what they have opened there.
func TestALinkThatTheUserOpens(t *testing.T) {
	bubble(t, func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "notes.txt")
		writeFile(t, out, "one\n")
		s := startInBubble(t, map[string]string{"a.txt": "a\n"}, headless.Options{})
		if err := os.Symlink(out, s.path("link.txt")); err != nil {
			t.Fatal(err)
		}
		s.open("link.txt")
		pass(time.Second)
		s.edit("str_replace", args{"path": "link.txt", "old_str": "one", "new_str": "two", "save": true})
		if raw, _ := os.ReadFile(out); string(raw) != "two\n" {
			t.Errorf("the file has %q", raw)
		}
	})
}

// An editor opens a closed file for an agent's edit, which has come to lead out meanwhile. The agent does not see it.
func TestALinkThatAnEditOpens(t *testing.T) {
	for _, name := range []string{"", "vscode-plugin", "neovim-plugin", "eglot", "zed"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p, _ := personas.Named(name)
				out := filepath.Join(t.TempDir(), "id_rsa")
				writeFile(t, out, secretKey)
				var s reachScene
				opts := p.Options(headless.Options{})
				opts.Habits = personas.Decides(func(_ context.Context, _ *headless.Editor, p *headless.ApplyEditParams, next func(*headless.ApplyEditParams) headless.ApplyEditResult) (headless.ApplyEditResult, error) {
					_ = os.Remove(s.path("k.txt"))
					_ = os.Symlink(out, s.path("k.txt"))
					return next(p), nil
				})
				s = reachScene{startInBubble(t, map[string]string{"k.txt": knownOfKey}, opts), out}
				raw, err := s.Execute(context.Background(), "patchls.str_replace", args{"path": "k.txt", "old_str": "-- BEGIN KEY --", "new_str": "x"})
				if strings.Contains(fmt.Sprint(string(raw), err), secretToken) {
					t.Errorf("the answer is %s, %v", raw, err)
				}
				pass(time.Second)
				for _, b := range s.Buffers() {
					s.refused("outside_workspace", "view", args{"path": b.Path()})
				}
				_ = os.Remove(s.path("k.txt"))
				writeFile(t, s.path("k.txt"), knownOfKey)
				if f, err := s.Execute(context.Background(), "patchls.view", args{"path": "k.txt"}); strings.Contains(fmt.Sprint(string(f), err), secretToken) {
					t.Errorf("once the name leads back, view gives %s, %v", f, err)
				}
			})
		})
	}
}

// A file with unsaved text is replaced by a link to a guarded file. It is not saved there.
func TestALinkToAGuardedFileUnderUnsavedText(t *testing.T) {
	inSavingEditors(t, map[string]string{"x.json": "{\n}\n", ".vscode/settings.json": "{ }\n"}, func(t *testing.T, s reachScene) {
		s.open("x.json")
		pass(time.Second)
		s.edit("write", args{"path": "x.json", "content": "{\"git.path\": \"evil\"}\n"})
		s.leads("x.json", ".vscode/settings.json")
		s.refused("stale", "save", args{"paths": []string{"x.json"}})
		s.refused("stale", "save", args{"paths": []string{".vscode/settings.json"}})
		if got := s.disk(".vscode/settings.json"); got != "{ }\n" {
			t.Errorf("the guarded file has %q", got)
		}
	})
}

// The user is typing in a guarded file. No command saves that without a question.
func TestSavingAGuardedFileIsAskedAbout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := &asked{answers: []string{"Reject", "Apply"}}
		s := startInBubble(t, map[string]string{".vscode/tasks.json": "{\n}\n", "a.txt": "one\n"}, headless.Options{Answer: chooses(p.choose)})
		b := s.open(".vscode/tasks.json")
		s.open("a.txt")
		s.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
		if err := b.Insert(2, "half\n"); err != nil {
			t.Fatal(err)
		}
		both := args{"paths": []string{"a.txt", ".vscode/tasks.json"}}
		if f := s.fail("save", both); f.Kind != "rejected_by_editor" {
			t.Errorf("%+v", f)
		}
		if s.disk(".vscode/tasks.json") != "{\n}\n" || s.disk("a.txt") != "one\n" || len(p.questions) != 1 || !strings.Contains(p.questions[0], ".vscode/tasks.json: 1 line added, 0 removed.") {
			t.Errorf("asked %q, and saved %q", p.questions, s.disk(".vscode/tasks.json"))
		}
		if r := run[transaction.Result](s, "save", both); !r.Verified || s.disk(".vscode/tasks.json") != "{\nhalf\n}\n" {
			t.Errorf("%+v", r)
		}
		s.edit("save", both) // nothing is left to save
		if len(p.questions) != 2 {
			t.Errorf("asked %q", p.questions)
		}
	})
}

// The workspace folders are those that the editor has named, wherever their names are made to lead.
func TestAWorkspaceFolderThatComesToLeadOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		root, other, out := t.TempDir(), t.TempDir(), t.TempDir()
		writeFile(t, filepath.Join(other, "a.txt"), "one\n")
		writeFile(t, filepath.Join(out, "a.txt"), "one\n")
		writeFile(t, filepath.Join(out, "secret.txt"), secretKey)
		link := filepath.Join(root, "b")
		if err := os.Symlink(other, link); err != nil {
			t.Fatal(err)
		}
		s := reachScene{session: startInBubble(t, nil, headless.Options{Roots: []string{root, link}})}
		s.edit("str_replace", args{"path": filepath.Join(link, "a.txt"), "old_str": "one", "new_str": "two"})
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(out, link); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{filepath.Join(link, "secret.txt"), filepath.Join(out, "secret.txt"), "secret.txt", link, out} {
			f := s.fail("view", args{"path": path})
			if f.Kind != "outside_workspace" && f.Kind != "file_not_found" || strings.Contains(fmt.Sprintf("%+v", f), "KEY") || strings.Contains(f.Message, "perhaps") {
				t.Errorf("view %s: %+v", path, f)
			}
		}
		if f := s.fail("create", args{"path": filepath.Join(link, "new.txt"), "content": "x\n"}); f.Kind != "outside_workspace" || !strings.Contains(f.Message, "leads elsewhere since") {
			t.Errorf("%+v", f)
		}
		s.refused("outside_workspace", "str_replace", args{"path": filepath.Join(link, "a.txt"), "old_str": "two", "new_str": "three"})
		folder := args{"uri": paths.FileURI(link), "name": "b"}
		_ = s.Notify(context.Background(), "workspace/didChangeWorkspaceFolders", args{"event": args{"added": []args{folder}, "removed": []args{folder}}})
		if v := run[view.View](s.session, "view", args{"path": filepath.Join(link, "secret.txt")}); !strings.Contains(v.Text, secretToken) {
			t.Errorf("once the user has opened the folder again, view shows %q", v.Text)
		}
	})
}

//go:build unix

package setup_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patchls/patchls/agent/setup"
)

// TestLinksAndModes: a file that is a link stays one, and keeps its mode; so does one with two names.
func TestLinksAndModes(t *testing.T) {
	home := newHome(t)
	home.write(t, map[string]string{"dotfiles/claude.json": "{}\n", "dotfiles/settings.json": "{}\n", ".claude/note": ""})
	at := func(name string) string { return filepath.Join(string(home), name) }
	for _, err := range []error{
		os.Symlink("dotfiles/claude.json", at(".claude.json")), os.Link(at("dotfiles/settings.json"), at(".claude/settings.json")),
		os.Chmod(at("dotfiles/claude.json"), 0o640), os.Chmod(at("dotfiles/settings.json"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a := find(t, "claude")
	for _, plan := range []func() (*setup.Plan, error){a.Set, a.Undo} {
		p, err := plan()
		if err != nil || len(p.Changes) != 2 {
			t.Fatalf("%d changes, %v", len(p.Changes), err)
		}
		makeIt(t, p)
		for _, c := range p.Changes {
			raw, err := os.ReadFile(at("dotfiles/" + map[string]string{".claude.json": "claude.json", "settings.json": "settings.json"}[filepath.Base(c.Path)]))
			if err != nil || string(raw) != c.After {
				t.Errorf("%s leads to %q, %v", c.Path, raw, err)
			}
		}
		link, err := os.Readlink(at(".claude.json"))
		if err != nil || link != "dotfiles/claude.json" {
			t.Errorf("the link is %q, %v", link, err)
		}
		for name, want := range map[string]os.FileMode{"dotfiles/claude.json": 0o640, "dotfiles/settings.json": 0o644} {
			if info, err := os.Stat(at(name)); err != nil || info.Mode() != want {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
	}
	if got := home.read(t); got[".claude.json"] != "{}\n" || got[".claude/settings.json"] != "{}\n" {
		t.Errorf("undone, the files are %q", got)
	}
}

// TestNewFilesArePrivate: agents keep secrets in theirs.
func TestNewFilesArePrivate(t *testing.T) {
	home := newHome(t)
	a := find(t, "claude")
	p, err := a.Set()
	if err != nil {
		t.Fatal(err)
	}
	makeIt(t, p)
	if info, err := os.Stat(filepath.Join(string(home), ".claude.json")); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

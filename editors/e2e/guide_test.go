//go:build unix

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const page = "# Page\n\n```sh\nnot run\n```\n\n```sh e2e=neovim,vscode\ninstall\n```\n\n```lua e2e=neovim file=~/.config/nvim/init.lua\nx = 1\n```\n\n" +
	"```sh e2e=neovim editor\nnvim menu.txt\n```\n\n```sh e2e=neovim agent\npatchls call\n```\n"

func TestAGuideIsRead(t *testing.T) {
	g, err := readGuide(page)
	if err != nil {
		t.Fatal(err)
	}
	if run := g.of("neovim", ""); len(run) != 2 || run[0].script != "install\n" || run[1].file != "~/.config/nvim/init.lua" || run[1].script != "x = 1\n" {
		t.Errorf("to run: %+v", run)
	}
	if b := g.of("neovim", "editor"); len(b) != 1 || b[0].script != "nvim menu.txt\n" {
		t.Errorf("to start: %+v", b)
	}
	if b := g.of("neovim", "agent"); len(b) != 1 || b[0].script != "patchls call\n" {
		t.Errorf("beside it: %+v", b)
	}
	if b := g.of("vscode", ""); len(b) != 1 {
		t.Errorf("of the other: %+v", b)
	}
	if _, err := readGuide(strings.Replace(page, " agent", " agnet", 1)); err == nil || !strings.Contains(err.Error(), "agnet") {
		t.Errorf("a word that is not known: %v", err)
	}
}

// TestTheREADMEIsShort: a user who has nothing but Neovim, or nothing but npm and VS Code, has an agent's
// edit in unsaved text after three commands.
func TestTheREADMEIsShort(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	g, err := readGuide(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"neovim", "vscode"} {
		var commands []string
		for _, b := range append(g.of(name, ""), g.of(name, "agent")...) {
			commands = append(commands, strings.Split(strings.TrimSpace(b.script), "\n")...)
		}
		if len(commands) < 2 || len(commands) > 3 {
			t.Errorf("%s: %d commands, want at most three:\n%s", name, len(commands), strings.Join(commands, "\n"))
		}
	}
}

// TestThePageOfInstallingIsWhole: each way is tried by docs/install.md or README.md, and removed again.
func TestThePageOfInstallingIsWhole(t *testing.T) {
	raw, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	g, err := readGuide(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range released {
		if w.name == "neovim" { // in README.md; each other way has the plugin that it has
			continue
		}
		if len(g.of(w.name, "")) == 0 || len(g.of(w.name, "agent")) == 0 || len(g.of(w.name, "remove")) == 0 {
			t.Errorf("docs/install.md does not say how %s is installed, used and removed", w.name)
		}
	}
	for _, b := range g.blocks {
		for _, name := range b.names {
			if !slices.ContainsFunc(released, func(w way) bool { return w.name == name }) {
				t.Errorf("docs/install.md has a block of %q, which is no way that is tried", name)
			}
		}
	}
}

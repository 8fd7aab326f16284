//go:build unix

package main

import (
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

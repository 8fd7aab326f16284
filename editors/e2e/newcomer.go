package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// settle gives the newcomer a machine on which the editor is installed, and nothing else:
// of patchls there is only its repository.
func (n *newcomer) settle(name string) error {
	tools := filepath.Join(n.seat.folder, "tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return err
	}
	script, program := "", ""
	switch name {
	case "neovim":
		program = "nvim"
		share := filepath.Join(n.suiteRoot(), "usr", "share", "nvim")
		script = fmt.Sprintf("VIM='%s' VIMRUNTIME='%s' exec '%s' \"$@\"", share, filepath.Join(share, "runtime"), n.newerProgram("nvim"))
	case "vscode":
		program = "code"
		script = fmt.Sprintf("exec '%s' '%s' --user-data-dir '%s' --extensions-dir '%s' --config '%s' \"$@\"",
			filepath.Join(n.vscodeDir(), "node"),
			filepath.Join(n.vscodeDir(), "code-server", "node_modules", "code-server", "out", "node", "entry.js"),
			filepath.Join(n.state(), "data"), filepath.Join(n.state(), "extensions"), filepath.Join(n.state(), "config.yaml"))
	}
	if err := os.WriteFile(filepath.Join(tools, program), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil { //nolint:gosec // it is to be run
		return err
	}
	for _, ours := range []string{filepath.Join(n.bin(), "patchls"), filepath.Join(n.home(), ".profile")} {
		if err := os.Remove(ours); err != nil {
			return err
		}
	}
	for _, e := range n.env() {
		if !strings.HasPrefix(e, "GOBIN=") && !strings.HasPrefix(e, "GOPATH=") && !strings.HasPrefix(e, "PATH=") {
			n.variables = append(n.variables, e)
		}
	}
	n.variables = append(n.variables, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	// What Go has fetched and built once is not what is tried here.
	for _, cache := range []string{"GOMODCACHE", "GOCACHE"} {
		where, err := exec.CommandContext(context.Background(), "go", "env", cache).Output()
		if err != nil {
			return err
		}
		n.variables = append(n.variables, cache+"="+strings.TrimSpace(string(where)))
	}
	return nil
}

func (n *newcomer) state() string { return filepath.Join(n.seat.folder, "state") }

// start starts the editor as the page has left it.
func (n *newcomer) start(name string) (Editor, error) {
	s := *n.seat
	s.environment, s.cwd = n.variables, n.folder
	if name == "neovim" {
		return s.startNvim("", []string{"nvim"})
	}
	return s.startDriver(n.state(), nil)
}

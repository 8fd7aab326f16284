//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tools is the folder of the programs of their machine.
func (n *newcomer) tools() string { return filepath.Join(n.seat.folder, "tools") }

// settle gives the newcomer a machine on which the editor is installed, and nothing of patchls.
func (n *newcomer) settle(name string) error {
	tools := n.tools()
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return err
	}
	var program, script string
	switch name {
	case "neovim":
		program, script = "nvim", n.nvimScript()
	case "vscode":
		program = "code"
		script = fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' --user-data-dir '%s' --extensions-dir '%s' --config '%s' \"$@\"\n",
			filepath.Join(n.vscodeDir(), "node"),
			filepath.Join(n.vscodeDir(), "code-server", "node_modules", "code-server", "out", "node", "entry.js"),
			filepath.Join(n.state(), "data"), filepath.Join(n.state(), "extensions"), filepath.Join(n.state(), "config.yaml"))
	}
	if err := os.WriteFile(filepath.Join(tools, program), []byte(script), 0o755); err != nil {
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
	return nil
}

// clone gives the newcomer all programs of this machine, and a clone of the repository.
func (n *newcomer) clone(ctx context.Context) error {
	n.variables = append(n.variables, "PATH="+n.tools()+string(os.PathListSeparator)+os.Getenv("PATH"))
	// The caches are shared, since the downloads and builds of Go and npm are not tested here.
	for name, ask := range map[string][]string{
		"GOMODCACHE": {"go", "env", "GOMODCACHE"}, "GOCACHE": {"go", "env", "GOCACHE"}, "npm_config_cache": {"npm", "config", "get", "cache"},
	} {
		where, err := exec.CommandContext(ctx, ask[0], ask[1:]...).Output()
		if err != nil {
			return err
		}
		n.variables = append(n.variables, name+"="+strings.TrimSpace(string(where)))
	}
	// The newcomer works in a copy of the repository.
	files, _, err := sources(n.Repo)
	if err != nil {
		return err
	}
	n.folder = filepath.Join(n.home(), "patchls")
	return copyFiles(n.folder, n.Repo, files)
}

func (n *newcomer) state() string { return filepath.Join(n.seat.folder, "state") }

// start starts the editor as the page has left it: Neovim where they are, VS Code with the
// folder of the file.
func (n *newcomer) start(name, folder string) (Editor, error) {
	s := *n.seat
	s.cwd = folder
	// The proxy variables, which cut commands off from the network, would also cut off VS Code's browser.
	s.environment = slices.DeleteFunc(slices.Clone(n.variables), func(variable string) bool {
		return strings.Contains(variable, "_proxy=")
	})
	if name == "neovim" {
		s.cwd = n.folder
		return s.startNvim("", []string{"nvim"})
	}
	// VS Code looks into the folder for what is installed, the driver's probe too, only where
	// there is no list yet.
	if err := os.Remove(filepath.Join(n.state(), "extensions", "extensions.json")); err != nil {
		return nil, fmt.Errorf("no extension was installed: %w", err)
	}
	if err := n.packaged(); err != nil {
		return nil, err
	}
	return s.startDriver(n.state(), nil)
}

// packaged returns an error if the installed extension is faulty: its program must know its
// version, and it must contain the licences of all its parts.
func (n *newcomer) packaged() error {
	found, err := filepath.Glob(filepath.Join(n.state(), "extensions", "patchls.patchls-*"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("installed are %q (%w), want one extension", found, err)
	}
	var is struct{ Version string }
	raw, err := os.ReadFile(filepath.Join(found[0], "package.json"))
	if err == nil {
		err = json.Unmarshal(raw, &is)
	}
	if err != nil {
		return err
	}
	said, err := exec.Command(filepath.Join(found[0], "bin", "patchls"), "version").Output() //nolint:noctx // it ends at once
	if want := "patchls v" + is.Version + ","; err != nil || !strings.HasPrefix(string(said), want) {
		return fmt.Errorf("the program of the extension says %q (%w), want %q", said, err, want)
	}
	for name, want := range map[string]string{"THIRD_PARTY.md": "## `github.com/spf13/cobra`", "out/THIRD-PARTY.txt": "vscode-languageclient "} {
		if text, err := os.ReadFile(filepath.Join(found[0], name)); err != nil || !strings.Contains(string(text), want) {
			return fmt.Errorf("%s of the extension (%w) lacks %q", name, err, want)
		}
	}
	return nil
}

//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// nvimScript is a program nvim that is the newest Neovim, wherever it was unpacked.
func (k *kit) nvimScript() string {
	share := filepath.Join(k.suiteRoot(), "usr", "share", "nvim")
	return fmt.Sprintf("#!/bin/sh\nVIM='%s' VIMRUNTIME='%s' exec '%s' \"$@\"\n", share, filepath.Join(share, "runtime"), k.newerProgram("nvim"))
}

// testPlugins runs the tests that the plugins have of their own, in the real editors.
func (k *kit) testPlugins(ctx context.Context, out io.Writer) error {
	return errors.Join(k.testNvim(ctx, out), k.testExtension(ctx, out))
}

// testNvim runs the tests of the plugin for Neovim in the newest Neovim: make test skips them
// on a machine with none or an old one.
func (k *kit) testNvim(ctx context.Context, out io.Writer) error {
	if err := installNeovim(ctx, k); err != nil {
		return leaveOut(out, "Neovim", err)
	}
	folder, err := os.MkdirTemp("", "p")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := os.WriteFile(filepath.Join(folder, "nvim"), []byte(k.nvimScript()), 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "./editors/nvim")
	cmd.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return k.show(cmd, out)
}

// testExtension runs those of the extension for VS Code.
func (k *kit) testExtension(ctx context.Context, out io.Writer) error {
	if err := installVSCode(ctx, k); err != nil {
		return leaveOut(out, "VS Code", err)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(k.vscodeDir(), "node"), "--test", "--test-concurrency=1", "--test-reporter=spec",
		"editors/e2e/vscode/extension.test.mjs", "editors/e2e/vscode/absorb.test.mjs", "editors/e2e/vscode/trouble.test.mjs", "editors/e2e/vscode/nottext.test.mjs")
	cmd.Env = append(os.Environ(), "E2E_TOOLS="+k.vscodeDir(), "E2E_PATCHLS="+k.Server, "E2E_EXTENSION="+k.extension())
	return k.show(cmd, out)
}

func (k *kit) show(cmd *exec.Cmd, out io.Writer) error {
	cmd.Dir, cmd.Stdout, cmd.Stderr = k.Repo, out, out
	return cmd.Run()
}

// leaveOut says why an editor's tests are left out, if they are to be.
func leaveOut(out io.Writer, editor string, err error) error {
	if why, is := isLeftOut(err); is {
		_, err = fmt.Fprintf(out, "the plugin's tests in %s are left out: %s\n", editor, why)
	}
	return err
}

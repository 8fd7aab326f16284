package main

import (
	"context"
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

// testPlugin runs the plugin's own tests in the newest Neovim: on a machine with none,
// or an old one, make test skips them.
func (k *kit) testPlugin(ctx context.Context, out io.Writer) error {
	if err := installNeovim(ctx, k); err != nil {
		if why, is := isLeftOut(err); is {
			_, err = fmt.Fprintf(out, "the plugin's tests are left out: %s\n", why)
		}
		return err
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
	cmd.Dir, cmd.Stdout, cmd.Stderr = k.Repo, out, out
	cmd.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd.Run()
}

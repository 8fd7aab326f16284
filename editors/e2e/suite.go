//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A newer editor than the system's comes from a newer suite of Debian, which is unpacked
// into a folder. Its programs are made to run with the loader and the libraries there, on
// this system's files: nothing is mounted, and nothing of the system changes.

// newerSuite is where the newest editors of Debian are.
const newerSuite = "sid"

func (k *kit) suiteRoot() string { return filepath.Join(k.Cache, newerSuite) }

// newer installs a package of the newer suite with its dependencies and its program. A marker
// file records that it is done.
func (k *kit) newer(ctx context.Context, name, program string) error {
	root := k.suiteRoot()
	done := filepath.Join(root, "."+name)
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := k.need(ctx, []string{"patchelf", "dpkg-deb"}, []string{"patchelf", "dpkg"}); err != nil {
		return err
	}
	if err := k.fetch(ctx, root, name); err != nil {
		return leftOutError{err.Error()}
	}
	debs, err := filepath.Glob(filepath.Join(root, "apt", "cache", "archives", "*.deb"))
	if err != nil {
		return err
	}
	for _, deb := range debs {
		if err := k.command(ctx, "dpkg-deb", "-x", deb, root); err != nil {
			return err
		}
		if err := os.Remove(deb); err != nil {
			return err
		}
	}
	if err := k.settle(ctx, program); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o600)
}

// fetch has apt download a package with all that it depends on, as if nothing were
// installed; the system's own state is left alone.
func (k *kit) fetch(ctx context.Context, root, name string) error {
	apt := filepath.Join(root, "apt")
	for _, dir := range []string{"state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(apt, dir), 0o755); err != nil {
			return err
		}
	}
	mirror, err := debianMirror(ctx)
	if err != nil {
		return err
	}
	source := fmt.Sprintf("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n", mirror, newerSuite)
	for name, content := range map[string]string{"sources.list": source, "status": ""} {
		if err := os.WriteFile(filepath.Join(apt, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	options := []string{
		"-o", "Dir::Etc::SourceList=" + filepath.Join(apt, "sources.list"), "-o", "Dir::Etc::SourceParts=/dev/null",
		"-o", "Dir::State=" + filepath.Join(apt, "state"), "-o", "Dir::State::Status=" + filepath.Join(apt, "status"),
		"-o", "Dir::Cache=" + filepath.Join(apt, "cache"), "-o", "APT::Sandbox::User=root",
		"-o", "Acquire::Check-Valid-Until=false", "-o", "Acquire::Languages=none",
	}
	if err := k.command(ctx, "apt-get", append(options, "update")...); err != nil {
		return err
	}
	install := []string{"install", "--download-only", "-y", "--no-install-recommends", name}
	return k.command(ctx, "apt-get", append(options, install...)...)
}

// debianMirror is where the system's own packages come from.
func debianMirror(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian").Output()
	if err != nil {
		return "", fmt.Errorf("apt-get indextargets: %w", err)
	}
	for line := range bytes.Lines(out) {
		if uri := strings.TrimSpace(string(line)); !strings.Contains(uri, "security") {
			return uri, nil
		}
	}
	return "", fmt.Errorf("apt knows no mirror of Debian")
}

// settle makes a program find its loader and libraries where they were unpacked, also when it
// starts itself, as Neovim does.
func (k *kit) settle(ctx context.Context, program string) error {
	loaders, err := filepath.Glob(filepath.Join(k.suiteRoot(), "usr", "lib", "*", "ld-linux-*.so.*"))
	if err != nil || len(loaders) == 0 {
		return fmt.Errorf("no loader in %s", k.suiteRoot())
	}
	libraries := filepath.Dir(loaders[0])
	return k.command(ctx, "patchelf", "--force-rpath", "--set-interpreter", loaders[0],
		"--set-rpath", libraries+":"+filepath.Dir(libraries), k.newerProgram(program))
}

// newerProgram is a program of the newer suite.
func (k *kit) newerProgram(name string) string {
	return filepath.Join(k.suiteRoot(), "usr", "bin", name)
}

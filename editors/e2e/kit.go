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
	"slices"
	"strings"
)

// kit has the paths and programs that the runs of all editors share.
type kit struct {
	Repo   string // the repository
	Cache  string // the folder of everything that is installed
	Server string // patchls, built from the repository
	Tee    string // this program, which records under the name of the server
	Agents string // the program that leads agent programs

	log io.Writer
}

// cacheVariable names the cache folder, if it is not the default.
const cacheVariable = "PATCHLS_E2E_CACHE"

// findKit returns the kit's paths; it builds and installs nothing.
func findKit(ctx context.Context, log io.Writer) (*kit, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("the repository of patchls: %w", err)
	}
	cache := os.Getenv(cacheVariable)
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		cache = filepath.Join(user, "patchls-e2e")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return nil, err
	}
	return &kit{
		Repo: strings.TrimSpace(string(out)), Cache: cache, log: log,
		Server: filepath.Join(cache, "bin", "patchls"), Tee: filepath.Join(cache, "bin", "e2e"), Agents: filepath.Join(cache, "bin", "agents"),
	}, os.MkdirAll(filepath.Join(cache, "bin"), 0o755)
}

// build makes the server and its recorder, and what leads agent programs if they take part.
func (k *kit) build(ctx context.Context, agents bool) error {
	programs := map[string]string{k.Server: "./cmd/patchls", k.Tee: "./editors/e2e"}
	if agents {
		programs[k.Agents] = "./editors/e2e/agents"
	}
	for out, source := range programs {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", out, source)
		cmd.Dir, cmd.Env, cmd.Stderr = k.Repo, append(os.Environ(), "CGO_ENABLED=0"), k.log
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go build %s: %w", source, err)
		}
	}
	return nil
}

// installed returns those of the agent programs that make agents has installed, and says which are left out.
func (k *kit) installed(names string, out io.Writer) string {
	return strings.Join(slices.DeleteFunc(strings.Split(names, ","), func(name string) bool {
		_, err := os.Stat(filepath.Join(k.Cache, "agents", "bin", name))
		if err != nil {
			fmt.Fprintf(out, "%s is left out: %v\n", name, err)
		}
		return err != nil
	}), ",")
}

// command runs a program that installs something. If it fails, the error has the
// last lines of its output.
func (k *kit) command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s: %w: %s", filepath.Base(name), err, strings.Join(lines[max(0, len(lines)-3):], "; "))
	}
	return nil
}

// has reports whether a program is there.
func has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// need installs Debian packages unless the programs that they bring are there.
func (k *kit) need(ctx context.Context, programs, packages []string) error {
	missing := false
	for _, p := range programs {
		missing = missing || !has(p)
	}
	if !missing {
		return nil
	}
	return k.install(ctx, packages...)
}

// install installs Debian packages.
func (k *kit) install(ctx context.Context, packages ...string) error {
	if !has("apt-get") {
		return leftOutError{fmt.Sprintf("no apt-get to install %s", strings.Join(packages, ", "))}
	}
	args := append([]string{"install", "-y", "--no-install-recommends"}, packages...)
	err := k.command(ctx, "apt-get", args...)
	if err != nil { // the lists may be old, or not there yet
		if err = k.command(ctx, "apt-get", "update"); err == nil {
			err = k.command(ctx, "apt-get", args...)
		}
	}
	if err != nil {
		return leftOutError{err.Error()}
	}
	return nil
}

// isLeftOut reports whether an editor cannot be had here.
func isLeftOut(err error) (why string, is bool) {
	var l leftOutError
	is = errors.As(err, &l)
	return l.why, is
}

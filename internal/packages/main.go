// Command packages writes everything that a release consists of to dist/, and publishes nothing. It is
// what make packages runs.
//
//	dist/           what a release on GitHub has: archives, .deb, .rpm, .vsix, the plugin for
//	                Neovim, a bill of materials (.cdx.json) for each program, checksums.txt
//	dist/npm        the packages for npm
//	dist/patchls.nvim   the repository of the plugin for Neovim
//	dist/manifests  what says to Homebrew, Scoop, winget, mason and the MCP registry where these are
//	dist/goreleaser what goreleaser made
//
// It needs git, GNU's find, tar and sha256sum, and npm for the extension of VS Code and the packages of npm.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	homepage    = "https://github.com/patchls/patchls"
	description = "Agents edit the text that you have on screen, not the file behind it."
	dist        = "dist"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

// release is what all packages are made of.
type release struct {
	base     string // the version of the next release
	version  string // the same, or one that names the commit
	tagged   bool
	programs []program
}

// program is patchls, built for a platform.
type program struct{ OS, Arch, File string }

func run(ctx context.Context) error {
	root, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	r := &release{}
	if r.base, err = base(); err != nil {
		return err
	}
	if r.version, r.tagged, err = version(ctx, r.base); err != nil {
		return err
	}
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"programs, archives, deb, rpm", r.goreleaser},
		{"bills of materials", r.materials},
		{"extensions for VS Code", r.extensions},
		{"packages for npm", r.npm},
		{"plugin for Neovim", r.neovim},
		{"manifests", r.manifests},
		{"checksums", checksums},
	} {
		fmt.Fprintf(os.Stderr, "== %s, %s\n", r.version, step.name)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// goreleaser runs goreleaser for the packages that it can make, and sets the programs from which all others are made.
func (r *release) goreleaser(ctx context.Context) error {
	args := []string{"tool", "-modfile=.ci/release.mod", "goreleaser", "release", "--clean", "--skip=publish,announce"}
	if !r.tagged {
		args = append(args, "--snapshot")
	}
	if err := command(ctx, "", []string{"GORELEASER_CURRENT_TAG=v" + r.base, "PATCHLS_VERSION=" + r.version}, "go", args...); err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(dist, "goreleaser", "artifacts.json"))
	if err != nil {
		return err
	}
	var artifacts []struct{ Name, Path, Type, Goos, Goarch string }
	if err := json.Unmarshal(raw, &artifacts); err != nil {
		return err
	}
	for _, a := range artifacts {
		switch a.Type {
		case "Binary":
			r.programs = append(r.programs, program{a.Goos, a.Goarch, a.Path})
		case "Archive", "Linux Package":
			if err := copyFile(ctx, filepath.Join(dist, a.Name), a.Path); err != nil {
				return err
			}
		}
	}
	if len(r.programs) != 6 {
		return fmt.Errorf("goreleaser built %d programs, want six", len(r.programs))
	}
	return nil
}

// extensions packs the extension for VS Code with the program of each platform.
func (r *release) extensions(ctx context.Context) error {
	const source, top = "editors/vscode", "../.."
	if err := command(ctx, source, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	for _, p := range r.programs {
		server, out := filepath.Join(top, p.File), filepath.Join(top, dist, "patchls-"+p.node()+".vsix")
		if err := command(ctx, source, nil, "npm", "run", "--silent", "package", "--", "--target", p.node(), "--server", server, "--release", r.version, "--out", out); err != nil {
			return err
		}
	}
	return nil
}

// node is what Node, npm and VS Code call the platform.
func (p program) node() string {
	return strings.NewReplacer("windows", "win32", "amd64", "x64").Replace(p.OS + "-" + p.Arch)
}

// command runs a program in a folder, with variables more, and shows what it prints.
func command(ctx context.Context, folder string, variables []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, append(os.Environ(), variables...), os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// output returns what a program prints, without the last line end.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimRight(string(out), "\n"), err
}

// copyFile copies a file, and makes the folder that it goes to.
func copyFile(ctx context.Context, to, from string) error {
	return command(ctx, "", nil, "sh", "-c", `mkdir -p "$(dirname "$1")" && cp "$0" "$1"`, from, to)
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // it is put into packages, with its mode
		return err
	}
	return os.WriteFile(name, text, 0o644) //nolint:gosec // it is put into packages
}

// writeJSON writes a value as people would.
func writeJSON(name string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return write(name, append(raw, '\n'))
}

// versionFile has the version of the next release, of all packages. It is the manifest of the
// extension, since VS Code, npm and those who build it alone read it there.
const versionFile = "editors/vscode/package.json"

// base is the version of the next release.
func base() (string, error) {
	raw, err := os.ReadFile(versionFile)
	if err != nil {
		return "", err
	}
	var is struct{ Version string }
	err = json.Unmarshal(raw, &is)
	return is.Version, err
}

// version returns the version of the tag of this commit, or one that names the commit.
func version(ctx context.Context, base string) (version string, tagged bool, err error) {
	tags, err := output(ctx, "git", "tag", "--points-at", "HEAD", "--list", "v*")
	if err != nil {
		return "", false, err
	}
	commit, err := output(ctx, "git", "rev-parse", "--short", "HEAD")
	if err != nil {
		return "", false, err
	}
	return choose(base, strings.Fields(tags), commit)
}

func choose(base string, tags []string, commit string) (version string, tagged bool, err error) {
	switch {
	case len(tags) == 0:
		return base + "-g" + commit, false, nil // with a letter, since 0123 is no part of a version
	case len(tags) > 1 || tags[0] != "v"+base:
		return "", false, fmt.Errorf("the commit has the tags %q, and %s says %s", tags, versionFile, base)
	}
	return base, true, nil
}

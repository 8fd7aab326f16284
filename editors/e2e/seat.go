//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// seat is where one editor runs: its home, its workspace, and what it finds there.
type seat struct {
	*kit
	name   string
	folder string // of all the others; short, since sockets are in it
	starts int
	rounds int // of the cases of other programs that write files

	environment []string // of the editor, as others have made it; nil for the seat's own
	cwd         string   // where the editor is started; "" for the workspace
	second      string   // the second folder that VS Code opens; "" for none

	settings map[string]any // of VS Code, beside those of all tests
}

func newSeat(k *kit, name, folder string) (*seat, error) {
	s := &seat{kit: k, name: name, folder: folder}
	for _, dir := range []string{s.home(), s.workspace(), s.wire(), s.run(), s.bin()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	// Under its own name this program runs the tests; under the name patchls it is the recorder.
	if err := os.Symlink(k.Tee, filepath.Join(s.bin(), "patchls")); err != nil {
		return nil, err
	}
	// VS Code asks the user's login shell where programs are.
	err := s.write(".profile", fmt.Sprintf("PATH=%q:$PATH\n", s.bin()))
	return s, err
}

func (s *seat) home() string { return filepath.Join(s.folder, "home") }
func (s *seat) wire() string { return filepath.Join(s.folder, "wire") }
func (s *seat) run() string  { return filepath.Join(s.folder, "run") }
func (s *seat) bin() string  { return filepath.Join(s.folder, "bin") }

// workspace is the folder that the editor has open.
func (s *seat) workspace() string {
	if s.cwd != "" {
		return s.cwd
	}
	return filepath.Join(s.folder, "menu")
}

// socket is a path for a socket of the editor that starts next.
func (s *seat) socket(name string) string {
	return filepath.Join(s.folder, fmt.Sprintf("%s%d", name, s.starts))
}

// env returns the environment of the editor: the user's home, and every folder that a
// variable names, are in the seat.
func (s *seat) env() []string {
	if s.environment != nil {
		return s.environment
	}
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "PATCHLS_"), strings.HasPrefix(name, "TMUX"):
		case name == "HOME", name == "PATH", name == "TMPDIR", name == "TERM", name == "LANG", name == "LC_ALL", name == "NVIM":
		default:
			env = append(env, e)
		}
	}
	return append(env,
		"HOME="+s.home(), "PATH="+s.bin()+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_RUNTIME_DIR="+s.run(), "TMPDIR="+s.run(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		teeServer+"="+s.Server, teeFolder+"="+s.wire())
}

// write lays a file into the user's home.
func (s *seat) write(name, content string) error {
	path := filepath.Join(s.home(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

// variables are what is set for the editor alone.
func (s *seat) variables() map[string]string {
	own := map[string]string{}
	for _, e := range s.env() {
		name, value, _ := strings.Cut(e, "=")
		if os.Getenv(name) != value || name == "HOME" { // a driver has a home of its own
			own[name] = value
		}
	}
	return own
}

// versionOf reads the version that a program prints after a word.
func (s *seat) versionOf(program, after string) (string, error) {
	cmd := exec.CommandContext(context.Background(), program, "--version")
	cmd.Env = s.env()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	_, rest, _ := strings.Cut(string(out), after)
	version, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return strings.TrimSpace(version), nil
}

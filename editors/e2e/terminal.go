//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// terminal is a tmux session of its own server, in which one editor runs.
type terminal struct {
	socket string
	env    []string
}

const (
	terminalColumns = 96
	terminalRows    = 30
)

// terminalConfig: an escape is a key, and not the beginning of another one; colours are
// those of a terminal of today.
const terminalConfig = `set -s escape-time 0
set -g default-terminal tmux-256color
set -g terminal-overrides ",*:Tc"
set -g status off
set -g remain-on-exit on
`

// startTerminal runs a command in a new terminal.
func startTerminal(socket, folder string, env []string, command ...string) (*terminal, error) {
	t := &terminal{socket: socket, env: env}
	config := socket + ".conf"
	if err := os.WriteFile(config, []byte(terminalConfig), 0o600); err != nil {
		return nil, err
	}
	args := []string{
		"-f", config, "new-session", "-d", "-s", "e2e", "-c", folder,
		"-x", strconv.Itoa(terminalColumns), "-y", strconv.Itoa(terminalRows), "--",
	}
	_, err := t.tmux(append(args, command...)...)
	return t, err
}

func (t *terminal) tmux(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket, "-u"}, args...)...)
	cmd.Env = t.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, errs.String())
	}
	return out.String(), nil
}

// keys presses keys by tmux's names for them, such as Escape.
func (t *terminal) keys(names ...string) error {
	_, err := t.tmux(append([]string{"send-keys", "-t", "e2e"}, names...)...)
	return err
}

// keyboard is that of any editor in a terminal.
func (t *terminal) keyboard() *terminal { return t }

// types presses the keys of a text.
func (t *terminal) types(text string) error {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			if err := t.keys("Enter"); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if _, err := t.tmux("send-keys", "-t", "e2e", "-l", "--", line); err != nil {
			return err
		}
	}
	return nil
}

// Screen is what the terminal shows, or why that cannot be had.
func (t *terminal) Screen() string {
	screen, err := t.capture()
	if err != nil {
		return err.Error()
	}
	return screen
}

// capture is what the terminal shows; more are options of tmux for how.
func (t *terminal) capture(more ...string) (string, error) {
	return t.tmux(append([]string{"capture-pane", "-t", "e2e", "-p"}, more...)...)
}

// pid is that of the program in the terminal.
func (t *terminal) pid() (int, error) {
	out, err := t.tmux("list-panes", "-t", "e2e", "-F", "#{pane_pid}")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(out))
}

// leaveTime is how long an editor may take to end.
const leaveTime = 5 * time.Second

// ended waits until a process that was told to end has done so.
func ended(pid int) error {
	return until(leaveTime, func() error {
		if syscall.Kill(pid, 0) == nil {
			return fmt.Errorf("process %d does not end", pid)
		}
		return nil
	})
}

// stopTerminals ends what a worker that was killed has left in its folder.
func stopTerminals(folder string) {
	sockets, _ := filepath.Glob(filepath.Join(folder, "tmux*")) // the pattern is right
	for _, s := range sockets {
		if filepath.Ext(s) == "" {
			(&terminal{socket: s}).close()
		}
	}
}

func (t *terminal) close() { _, _ = t.tmux("kill-server") }

//go:build unix

package main

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

//go:embed testdata/emacs/init.el
var emacsInit string

// emacs is an Emacs with eglot in a terminal. Operations for which no key is suitable go
// through emacsclient.
type emacs struct {
	*terminal
	seat    *seat
	sockets string
	version string
	pid     int
	over    chan struct{} // closed when its user has left
}

func installEmacs(ctx context.Context, k *kit) error {
	if has("emacsclient") && k.command(ctx, "emacs", "--batch", "--eval", "(require 'eglot)") == nil {
		return nil
	}
	return k.install(ctx, "emacs-nox", "elpa-eglot")
}

func startEmacs(s *seat) (Editor, error) {
	if err := s.write(".emacs.d/init.el", emacsInit); err != nil {
		return nil, err
	}
	sockets := s.socket("emacs")
	if err := os.MkdirAll(sockets, 0o700); err != nil {
		return nil, err
	}
	t, err := startTerminal(s.socket("tmux"), s.workspace(), s.env(), "env", "E2E_SERVER="+sockets, "emacs", "-nw")
	if err != nil {
		return nil, err
	}
	e := &emacs{terminal: t, seat: s, sockets: sockets, over: make(chan struct{})}
	go e.agree()
	if e.pid, err = t.pid(); err == nil {
		err = until(startTime, func() (err error) {
			e.version, err = e.eval(`emacs-version`)
			return err
		})
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, e.Screen())
		_ = e.Close()
		return nil, err
	}
	return e, nil
}

// answers are a user's answers to Emacs's questions. C-c i is the key after each: eglot 1.9
// reports an edit that it has asked about only when the next key comes.
var answers = []struct {
	question string
	keys     []string
}{
	{"Proceed? (y or n)", []string{"y", "C-c", "i"}}, // a file that is not open
	{"really edit the buffer?", []string{"y", "C-c", "i"}},
	{"Discard your edits", []string{"n", "o", "Enter", "C-c", "i"}},
}

// agree has the user answer its questions until they leave.
func (e *emacs) agree() {
	look := time.NewTicker(promptTime)
	defer look.Stop()
	for {
		select {
		case <-e.over:
			return
		case <-look.C:
			screen := e.Screen()
			for _, a := range answers {
				if strings.Contains(screen, a.question) {
					_ = e.keys(a.keys...) // if it fails, an agent's answer shows it
				}
			}
		}
	}
}

// eval has Emacs evaluate an expression, whose value is a string.
func (e *emacs) eval(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), rpcTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "emacsclient", "-s", e.sockets+"/e2e", "-e", expression)
	cmd.Env = e.seat.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("emacsclient: %w: %s", err, out)
	}
	return strings.Trim(strings.TrimSpace(string(out)), `"`), nil
}

func (e *emacs) Version() string { return e.version }

// Open visits a file by keys, since eglot starts after a command of the user.
func (e *emacs) Open(path string) error {
	if err := e.keys("C-x", "C-f", "C-a", "C-k"); err != nil {
		return err
	}
	if err := e.types(path); err != nil {
		return err
	}
	if err := e.keys("Enter"); err != nil {
		return err
	}
	return until(settleTime, func() error {
		_, err := e.eval(fmt.Sprintf(`(progn (e2e-show %q) "")`, path))
		return err
	})
}

func (e *emacs) Goto(path string, line, column int) error {
	_, err := e.eval(fmt.Sprintf(`(progn (e2e-goto %q %d %d) "")`, path, line, column))
	return err
}

func (e *emacs) Type(text string) error { return e.types(text) }

// Rest ends a sequence of commands that Emacs would undo as one, by C-c i, which does
// nothing.
func (e *emacs) Rest() error { return e.keys("C-c", "i") }

func (e *emacs) Text(path string) (buffer, error) {
	answer, err := e.eval(fmt.Sprintf(`(e2e-text %q)`, path))
	if err != nil || answer == "closed" {
		return buffer{}, err
	}
	state, coded, _ := strings.Cut(answer, " ")
	text, err := base64.StdEncoding.DecodeString(coded)
	return buffer{Open: true, Dirty: state == "dirty", Text: string(text)}, err
}

// press shows a file and presses keys in it, and waits until they had an effect.
func (e *emacs) press(path string, keys ...string) error {
	before, err := e.Text(path)
	if err != nil {
		return err
	}
	if _, err := e.eval(fmt.Sprintf(`(progn (e2e-show %q) "")`, path)); err != nil {
		return err
	}
	if err := e.keys(keys...); err != nil {
		return err
	}
	return until(settleTime, func() error {
		b, err := e.Text(path)
		if err == nil && b == before {
			err = fmt.Errorf("%s did nothing", strings.Join(keys, " "))
		}
		return err
	})
}

func (e *emacs) Undo(path string) error { return errors.Join(e.Rest(), e.press(path, "C-x", "u")) }

// Redo is an undo of the undo, as it always was in Emacs.
func (e *emacs) Redo(path string) error { return e.Undo(path) }

func (e *emacs) Save(path string) error { return e.press(path, "C-x", "C-s") }

func (e *emacs) Reload(path string) error {
	_, err := e.eval(fmt.Sprintf(`(progn (e2e-show %q) (revert-buffer t t) "")`, path))
	return err
}

func (e *emacs) Picture(folder string) (string, error) {
	return e.picture(folder, "emacs", pictureColumns)
}

func (e *emacs) Kill() error { return syscall.Kill(e.pid, syscall.SIGKILL) }

// Close leaves no time for questions.
func (e *emacs) Close() error {
	close(e.over)
	_ = e.Kill() // it may be dead
	e.close()
	return nil
}

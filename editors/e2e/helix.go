//go:build unix

package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

//go:embed testdata/helix/languages.toml
var helixLanguages string

// helixConfig binds keys to sequences that must not be interrupted. %[1]s of F5 is the file
// that gets the text, which is taken in another view, so that the cursor stays.
//
//go:embed testdata/helix/config.toml
var helixConfig string

// helix is a Helix in a terminal. Keys are the only way to control it, and piping a text to
// a program the only way to get it.
type helix struct {
	*terminal
	seat    *seat
	version string
	pid     int
	typing  bool
	shown   string // the file in front of the user
	look    string
}

func installHelix(ctx context.Context, k *kit) error { return k.newer(ctx, "hx", "hx") }

func startHelix(s *seat) (Editor, error) {
	look := filepath.Join(s.folder, "look")
	for name, content := range map[string]string{"languages.toml": helixLanguages, "config.toml": fmt.Sprintf(helixConfig, look)} {
		if err := s.write(filepath.Join(".config", "helix", name), content); err != nil {
			return nil, err
		}
	}
	runtime := filepath.Join(s.suiteRoot(), "usr", "lib", "helix", "runtime")
	t, err := startTerminal(s.socket("tmux"), s.workspace(), s.env(), "env", "HELIX_RUNTIME="+runtime, s.newerProgram("hx"))
	if err != nil {
		return nil, err
	}
	e := &helix{terminal: t, seat: s, look: look}
	if e.pid, err = t.pid(); err == nil {
		err = e.shows(" NOR ")
	}
	if err == nil {
		e.version, err = s.versionOf(s.newerProgram("hx"), "helix ")
	}
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	return e, nil
}

func (e *helix) Version() string { return e.version }

// shows waits until something is on the screen.
func (e *helix) shows(what string) error {
	return until(settleTime, func() error {
		if screen := e.Screen(); !strings.Contains(screen, what) {
			return fmt.Errorf("helix does not show %s:\n%s", what, screen)
		}
		return nil
	})
}

// Rest waits for normal mode: an Escape that is read together with the next key would be
// another key.
func (e *helix) Rest() error {
	if !e.typing {
		return nil
	}
	e.typing = false
	if err := e.keys("Escape"); err != nil {
		return err
	}
	return e.shows(" NOR ")
}

// command types a command of Helix's command line.
func (e *helix) command(words ...string) error {
	if err := e.Rest(); err != nil {
		return err
	}
	if err := e.types(":" + strings.Join(words, " ")); err != nil {
		return err
	}
	return e.keys("Enter")
}

func (e *helix) Open(path string) error {
	if err := e.Rest(); err != nil || e.shown == path {
		return err
	}
	if err := e.command("open", path); err != nil {
		return err
	}
	e.shown = path
	return e.shows(" " + e.named(path) + " ")
}

// named is a file as Helix calls it.
func (e *helix) named(path string) string {
	return strings.TrimPrefix(path, e.seat.workspace()+string(filepath.Separator))
}

func (e *helix) Goto(path string, line, column int) error {
	if err := e.Open(path); err != nil {
		return err
	}
	// Not by :goto: Helix 25.07.1 panicked once right after it, with a selection beyond the end of a file just opened.
	if err := e.Rest(); err != nil {
		return err
	}
	if err := e.types(fmt.Sprintf("%dgggh", line)); err != nil || column == 1 {
		return err
	}
	return e.types(fmt.Sprintf("%dl", column-1))
}

func (e *helix) Type(text string) error {
	if !e.typing {
		e.typing = true
		if err := e.types("i"); err != nil {
			return err
		}
		if err := e.shows(" INS "); err != nil { // otherwise Rest could not see the mode end
			return err
		}
	}
	return e.types(text)
}

// Text ends typing.
func (e *helix) Text(path string) (buffer, error) {
	if err := e.press(path, "F5"); err != nil {
		return buffer{}, err
	}
	defer func() { _ = os.Remove(e.look) }()
	var raw []byte
	err := until(settleTime, func() (err error) {
		raw, err = os.ReadFile(e.look)
		return err
	})
	return buffer{Open: true, Text: string(raw)}, err
}

// press presses a key in a file.
func (e *helix) press(path, key string) error {
	if err := e.Open(path); err != nil {
		return err
	}
	return e.keys(key)
}

func (e *helix) Undo(path string) error   { return e.press(path, "u") }
func (e *helix) Redo(path string) error   { return e.press(path, "U") }
func (e *helix) Reload(path string) error { return e.press(path, "F7") }

func (e *helix) Save(path string) error {
	if err := e.press(path, "F6"); err != nil {
		return err
	}
	return e.shows("'" + e.named(path) + "' written")
}

func (e *helix) Picture(folder string) (string, error) {
	return e.picture(folder, "helix", pictureColumns)
}

func (e *helix) Kill() error { return syscall.Kill(e.pid, syscall.SIGKILL) }

func (e *helix) Close() error {
	defer e.close()
	if e.Rest() != nil || e.keys("F8") != nil {
		return nil // it was killed
	}
	return ended(e.pid)
}

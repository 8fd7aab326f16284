package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

//go:embed testdata/helix/languages.toml
var helixLanguages string

//go:embed testdata/helix/config.toml
var helixConfig string

// helix is a Helix in a terminal. It can only be told by keys, and its texts be had by
// piping them to a program.
type helix struct {
	*terminal
	seat    *seat
	version string
	pid     int
	typing  bool
	looks   int
}

func installHelix(ctx context.Context, k *kit) error { return k.newer(ctx, "hx", "hx") }

func startHelix(s *seat) (Editor, error) {
	for name, content := range map[string]string{"languages.toml": helixLanguages, "config.toml": helixConfig} {
		if err := s.write(filepath.Join(".config", "helix", name), content); err != nil {
			return nil, err
		}
	}
	runtime := filepath.Join(s.suiteRoot(), "usr", "lib", "helix", "runtime")
	t, err := startTerminal(s.socket("tmux"), s.workspace(), s.env(), "env", "HELIX_RUNTIME="+runtime, s.newerProgram("hx"))
	if err != nil {
		return nil, err
	}
	e := &helix{terminal: t, seat: s}
	if e.pid, err = t.pid(); err == nil {
		err = until(settleTime, func() error {
			if screen := e.Screen(); !strings.Contains(screen, "NOR") {
				return fmt.Errorf("helix does not start: %s", screen)
			}
			return nil
		})
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

// escapeTime is what Helix, or the terminal below it, may take to see that an Escape is
// not the first byte of another key.
const escapeTime = 80 * time.Millisecond

func (e *helix) Rest() error {
	e.typing = false
	err := e.keys("Escape")
	time.Sleep(escapeTime)
	return err
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

func (e *helix) Open(path string) error { return e.command("open", path) }

func (e *helix) Goto(path string, line, column int) error {
	if err := e.command("open", path); err != nil {
		return err
	}
	if err := e.command("goto", fmt.Sprint(line)); err != nil {
		return err
	}
	if err := e.types("gh"); err != nil || column == 1 {
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
	}
	return e.types(text)
}

// Text looks at a text in another view, so that the cursor stays; it ends typing.
func (e *helix) Text(path string) (buffer, error) {
	e.looks++
	file := filepath.Join(e.seat.folder, fmt.Sprintf("look%d", e.looks))
	if err := e.command("vsplit", path); err != nil {
		return buffer{}, err
	}
	if err := e.types("%"); err != nil {
		return buffer{}, err
	}
	if err := e.command("pipe-to", "cat >", file+".part && mv", file+".part", file); err != nil {
		return buffer{}, err
	}
	defer func() { _ = os.Remove(file) }()
	var raw []byte
	if err := until(settleTime, func() (err error) {
		raw, err = os.ReadFile(file)
		return err
	}); err != nil {
		return buffer{}, err
	}
	return buffer{Open: true, Text: string(raw)}, e.keys("C-w", "q")
}

func (e *helix) press(path, keys string) error {
	if err := e.command("open", path); err != nil {
		return err
	}
	return e.types(keys)
}

func (e *helix) Undo(path string) error { return e.press(path, "u") }
func (e *helix) Redo(path string) error { return e.press(path, "U") }

func (e *helix) Save(path string) error {
	if err := e.command("open", path); err != nil {
		return err
	}
	before := modified(path)
	if err := e.command("write"); err != nil {
		return err
	}
	return until(settleTime, func() error {
		if modified(path).Equal(before) {
			return fmt.Errorf("helix does not write %s", path)
		}
		return nil
	})
}

// modified is when a file was written last, zero if it is not there.
func modified(path string) (at time.Time) {
	if info, err := os.Stat(path); err == nil {
		at = info.ModTime()
	}
	return at
}

func (e *helix) Reload(path string) error {
	if err := e.command("open", path); err != nil {
		return err
	}
	return e.command("reload")
}

func (e *helix) Screen() string {
	screen, err := e.screen(false)
	if err != nil {
		return err.Error()
	}
	return screen
}

func (e *helix) Picture(folder string) (string, error) { return e.picture(folder, "helix") }

func (e *helix) Kill() error { return syscall.Kill(e.pid, syscall.SIGKILL) }

func (e *helix) Close() error {
	defer e.close()
	if e.command("quit-all!") != nil {
		return nil // it was killed
	}
	return until(leaveTime, func() error {
		if syscall.Kill(e.pid, 0) == nil {
			return fmt.Errorf("helix does not end")
		}
		return nil
	})
}

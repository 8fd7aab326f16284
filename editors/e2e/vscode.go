//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// vscode is the real VS Code, controlled through vscode/driver.mjs: each line of the driver's
// stdin is a request, and each line of its stdout an answer.
type vscode struct {
	mu      sync.Mutex
	driver  *exec.Cmd
	in      io.WriteCloser
	answers chan driverAnswer
	last    int
	version string
}

type driverAnswer struct {
	Ready   *bool           `json:"ready"`
	Version string          `json:"version"`
	ID      int             `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
}

func startVSCode(s *seat) (Editor, error) {
	return s.startDriver(filepath.Join(s.folder, fmt.Sprintf("state%d", s.starts)), []string{s.extension()})
}

// startDriver starts VS Code with extensions beside those that are installed in state.
func (s *seat) startDriver(state string, extensions []string) (Editor, error) {
	dir := s.vscodeDir()
	config, err := json.Marshal(map[string]any{
		"folder": s.workspace(), "second": s.second, "state": state, "extensions": extensions,
		"code_server": filepath.Join(dir, "code-server"), "node": filepath.Join(dir, "node"), "chromium": filepath.Join(dir, "chromium"),
		"env": s.variables(), "settings": s.settings, "viewport": map[string]int{"width": 960, "height": 600},
	})
	if err != nil {
		return nil, err
	}
	e := &vscode{answers: make(chan driverAnswer)}
	e.driver = exec.CommandContext(context.Background(), filepath.Join(dir, "node"), filepath.Join(s.Repo, "editors", "e2e", "vscode", "driver.mjs"), string(config))
	e.driver.Env, e.driver.Stderr = s.env(), s.log
	if e.in, err = e.driver.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.driver.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.driver.Start(); err != nil {
		return nil, err
	}
	go e.read(out)
	ready, err := e.answer(startTime)
	if err == nil && (ready.Ready == nil || !*ready.Ready) {
		err = errors.New(ready.Error)
	}
	if err != nil {
		_ = e.Close()
		return nil, fmt.Errorf("VS Code: %w", err)
	}
	e.version = ready.Version
	return e, nil
}

const (
	// startTime is more than VS Code takes to start on a slow machine.
	startTime = 90 * time.Second
	// driverTime is more than the driver takes for anything else.
	driverTime = 30 * time.Second
)

func (e *vscode) read(out io.Reader) {
	defer close(e.answers)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a driverAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			a.Error = fmt.Sprintf("%v in %s", err, lines.Bytes())
		}
		e.answers <- a
	}
}

func (e *vscode) answer(limit time.Duration) (driverAnswer, error) {
	select {
	case a, ok := <-e.answers:
		if !ok {
			return a, errors.New("the driver has ended")
		}
		return a, nil
	case <-time.After(limit):
		return driverAnswer{}, errors.New("the driver does not answer")
	}
}

// do asks the driver for an operation.
func (e *vscode) do(result any, operation string, more args) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	line := args{"id": e.last, "op": operation}
	maps.Copy(line, more)
	raw, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := e.in.Write(append(raw, '\n')); err != nil {
		return err
	}
	for {
		a, err := e.answer(driverTime)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", operation, err)
		case a.ID != e.last:
			continue // of an operation that took too long
		case a.Error != "":
			return fmt.Errorf("%s: %s", operation, a.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(a.Result, result)
	}
}

func (e *vscode) Version() string { return e.version }

func (e *vscode) Open(path string) error { return e.do(nil, "open", args{"path": path}) }

func (e *vscode) Goto(path string, line, column int) error {
	return e.do(nil, "goto", args{"path": path, "line": line - 1, "column": column - 1})
}

func (e *vscode) Type(text string) error { return e.do(nil, "type", args{"text": text}) }
func (e *vscode) Rest() error            { return nil }

func (e *vscode) Text(path string) (buffer, error) {
	var b buffer
	err := e.do(&b, "text", args{"path": path})
	return b, err
}

func (e *vscode) Undo(path string) error   { return e.do(nil, "undo", args{"path": path}) }
func (e *vscode) Redo(path string) error   { return e.do(nil, "redo", args{"path": path}) }
func (e *vscode) Save(path string) error   { return e.do(nil, "save", args{"path": path}) }
func (e *vscode) Reload(path string) error { return e.do(nil, "revert", args{"path": path}) }

func (e *vscode) Screen() string {
	var messages json.RawMessage
	if err := e.do(&messages, "messages", nil); err != nil {
		return err.Error()
	}
	return "notifications: " + string(messages)
}

// fadeTime is more than VS Code takes to show lenses and to let its scroll bars fade.
const fadeTime = 2 * time.Second

// draw writes the page to a file of that name.
func (e *vscode) draw(folder, name string) (string, error) {
	file := filepath.Join(folder, name)
	time.Sleep(fadeTime) // no event reports the end of the fading
	return file, e.do(nil, "screenshot", args{"file": file})
}

func (e *vscode) Picture(folder string) (string, error) {
	return e.draw(folder, "vscode.png")
}

func (e *vscode) Kill() error { return e.do(nil, "kill", nil) }

func (e *vscode) Close() error {
	_ = e.do(nil, "close", nil) // it may have been killed
	_ = e.in.Close()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range e.answers { // so that the reader ends
		}
		_ = e.driver.Wait()
	}()
	select {
	case <-over:
		return nil
	case <-time.After(driverTime):
		return errors.Join(errors.New("the driver does not end"), e.driver.Process.Kill())
	}
}

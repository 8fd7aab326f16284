//go:build unix

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

//go:embed testdata/neovim/driver.lua
var nvimDriver string

//go:embed testdata/neovim/old.lua
var nvimOld string

// nvim is a Neovim in a terminal.
type nvim struct {
	*terminal
	rpc     *rpc
	side    *rpc // a second connection, used while an operation runs
	pid     int
	version string
	typing  bool   // in insert mode
	insert  string // the key that leads there from where the cursor is
	stock   bool   // without the plugin
}

func installNeovim(ctx context.Context, k *kit) error { return k.newer(ctx, "neovim", "nvim") }

func installOldNeovim(ctx context.Context, k *kit) error {
	return k.need(ctx, []string{"nvim"}, []string{"neovim"})
}

// startNeovim starts the newest Neovim with our plugin.
func startNeovim(s *seat) (Editor, error) {
	plugin := filepath.Join(s.Repo, "editors", "nvim")
	if _, err := os.Stat(plugin); err != nil {
		return nil, err
	}
	return s.startNewNeovim(fmt.Sprintf("vim.opt.runtimepath:prepend(%q)\n", plugin))
}

// startNeovimStock starts the newest Neovim with what docs/editors/neovim.md says of it.
func startNeovimStock(s *seat) (Editor, error) {
	page, err := os.ReadFile(filepath.Join(s.Repo, "docs", "editors", "neovim.md"))
	if err != nil {
		return nil, err
	}
	config := regexp.MustCompile("(?s)```lua\n(vim\\.lsp\\.config\\(\"patchls\".*?)```").FindStringSubmatch(string(page))
	if config == nil {
		return nil, fmt.Errorf("docs/editors/neovim.md has no configuration of a Neovim without the plugin")
	}
	ed, err := s.startNewNeovim(config[1])
	if e, is := ed.(*nvim); is {
		e.stock = true
	}
	return ed, err
}

func (s *seat) startNewNeovim(config string) (Editor, error) {
	share := filepath.Join(s.suiteRoot(), "usr", "share", "nvim")
	return s.startNvim(config, []string{"env", "VIM=" + share, "VIMRUNTIME=" + filepath.Join(share, "runtime"), s.newerProgram("nvim")})
}

func startOldNeovim(s *seat) (Editor, error) { return s.startNvim(nvimOld, []string{"nvim"}) }

func (s *seat) startNvim(config string, command []string) (Editor, error) {
	if config != "" {
		if err := s.write(".config/nvim/init.lua", config); err != nil {
			return nil, err
		}
	}
	socket := s.socket("nvim")
	t, err := startTerminal(s.socket("tmux"), s.workspace(), s.env(), append(command, "--listen", socket)...)
	if err != nil {
		return nil, err
	}
	e := &nvim{terminal: t}
	err = until(settleTime, func() (err error) {
		e.rpc, err = dialRPC(socket)
		return err
	})
	if err == nil {
		e.side, err = dialRPC(socket)
	}
	if err == nil {
		err = until(settleTime, e.started)
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, e.Screen())
		_ = e.Close()
		return nil, err
	}
	return e, nil
}

// started waits until the user's configuration has been read.
func (e *nvim) started() error {
	var about struct {
		PID     int    `json:"pid"`
		Version string `json:"version"`
		Entered bool   `json:"entered"`
	}
	err := e.do(&about, "about", "")
	if e.pid, e.version = about.PID, about.Version; err == nil && !about.Entered {
		err = errors.New("neovim does not get through its configuration")
	}
	return err
}

// do runs an operation of driver.lua. Where Neovim waits for a key before it goes on, the
// user presses it.
func (e *nvim) do(result any, operation, path string, more ...any) error {
	done := make(chan struct{})
	defer close(done)
	go e.pressEnter(done)
	v, err := e.rpc.call("nvim_exec_lua", nvimDriver, append([]any{operation, path}, more...))
	if err != nil || result == nil {
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// promptTime is after which a user sees that Neovim waits for them.
const promptTime = 300 * time.Millisecond

// pressEnter answers "Press ENTER" until done is closed.
func (e *nvim) pressEnter(done <-chan struct{}) {
	look := time.NewTicker(promptTime)
	defer look.Stop()
	for {
		select {
		case <-done:
			return
		case <-look.C:
			if mode, err := modeOf(e.side); err == nil && strings.HasPrefix(mode, "r") {
				_, _ = e.side.call("nvim_input", "<CR>") // if it fails, the operation shows it
			}
		}
	}
}

// keys presses keys, in Neovim's notation.
func (e *nvim) keys(keys string) error {
	_, err := e.rpc.call("nvim_input", keys)
	return err
}

func (e *nvim) Version() string { return e.version }

func (e *nvim) Open(path string) error {
	if err := e.Rest(); err != nil {
		return err
	}
	return e.do(nil, "open", path)
}

func (e *nvim) Goto(path string, line, column int) error {
	if err := e.Rest(); err != nil {
		return err
	}
	before := false
	err := e.do(&before, "goto_", path, line, column)
	if e.insert = "A"; before {
		e.insert = "i"
	}
	return err
}

func (e *nvim) Type(text string) error {
	keys := strings.NewReplacer("<", "<lt>", "\n", "<CR>").Replace(text)
	if !e.typing {
		keys = e.insert + keys
		e.typing = true
	}
	return e.keys(keys)
}

func (e *nvim) Rest() error {
	if !e.typing {
		return nil
	}
	e.typing = false
	if err := e.keys("<Esc>"); err != nil {
		return err
	}
	return until(settleTime, func() error {
		mode, err := modeOf(e.rpc)
		if err == nil && mode != "n" {
			err = fmt.Errorf("the mode is %s", mode)
		}
		return err
	})
}

func modeOf(c *rpc) (string, error) {
	v, err := c.call("nvim_get_mode")
	m, _ := v.(map[string]any)
	mode, _ := m["mode"].(string)
	return mode, err
}

func (e *nvim) Text(path string) (buffer, error) {
	var b buffer
	err := e.do(&b, "text", path)
	return b, err
}

// command is an operation in normal mode.
func (e *nvim) command(operation, path string) error {
	if err := e.Rest(); err != nil {
		return err
	}
	return e.do(nil, operation, path)
}

func (e *nvim) Undo(path string) error   { return e.command("undo", path) }
func (e *nvim) Redo(path string) error   { return e.command("redo", path) }
func (e *nvim) Save(path string) error   { return e.command("save", path) }
func (e *nvim) Reload(path string) error { return e.command("reload", path) }

func (e *nvim) Picture(folder string) (string, error) {
	return e.picture(folder, "neovim", pictureColumns)
}

func (e *nvim) Kill() error { return syscall.Kill(e.pid, syscall.SIGKILL) }

func (e *nvim) Close() error {
	defer e.close()
	if e.rpc == nil || e.side == nil {
		return nil
	}
	defer func() { _, _ = e.rpc.conn.Close(), e.side.conn.Close() }()
	if e.Rest() != nil || e.keys(":qall!<CR>") != nil {
		return nil // it was killed
	}
	return ended(e.pid)
}

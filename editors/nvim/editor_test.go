//go:build unix

package nvim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// editor is a Neovim with the plugin, driven from outside as a user's is: in a script of
// its own all that it does would be one step of undo.
type editor struct {
	t      *testing.T
	dir    string // where the files are
	socket string
	env    []string
}

// options are what start may be given beside files.
type options struct {
	config string   // a Lua table for vim.g.patchls; "" is none but cmd
	init   string   // Lua that runs before the plugin is loaded
	args   []string // files to open
	cwd    string   // where Neovim starts, seen from the folder of the files
	older  bool     // also for Neovims that the plugin says no to
}

// unfit is why the plugin cannot be tried here, "" if it can.
var unfit = sync.OnceValue(func() string {
	out, err := exec.Command("nvim", "--version").Output()
	if err != nil {
		return "there is no Neovim: " + err.Error()
	}
	version, _, _ := strings.Cut(string(out), "\n")
	var major, minor int
	if _, err := fmt.Sscanf(version, "NVIM v%d.%d", &major, &minor); err != nil || major == 0 && minor < 10 {
		return version + " is older than 0.10, which the plugin needs"
	}
	return ""
})

// temporary is where the folders of tests are, whatever they set.
var temporary = os.TempDir()

// start runs Neovim in a folder with files; it has no configuration of the user's.
func start(t *testing.T, files map[string]string, opts options) *editor {
	t.Helper()
	if why := unfit(); why != "" && (!opts.older || !strings.HasPrefix(why, "NVIM")) {
		t.Skip(why)
	}
	base, err := os.MkdirTemp(temporary, "pn") //nolint:usetesting // a socket's path is short, and t.TempDir has the test's name in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	base, err = filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(base, "home")) // also for the agent, which looks for the editor there
	t.Setenv("XDG_RUNTIME_DIR", base)
	t.Setenv("TMPDIR", base)
	t.Setenv("PATCHLS_SOCKET", "")
	e := &editor{t: t, dir: filepath.Join(base, "files"), socket: filepath.Join(base, "nvim.sock")}
	for _, kind := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		e.env = append(e.env, kind+"="+filepath.Join(base, "home"))
	}
	for _, dir := range []string{e.dir, filepath.Join(base, "home")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		e.write(name, content)
	}
	e.run(opts)
	return e
}

func (e *editor) run(opts options) {
	e.t.Helper()
	here, err := os.Getwd()
	if err != nil {
		e.t.Fatal(err)
	}
	config := opts.config
	if config == "" {
		config = "{}"
	}
	lua := fmt.Sprintf(`
		NOTES = {}
		vim.notify = function(m) table.insert(NOTES, m) end
		vim.g.patchls = vim.tbl_extend("keep", %s, { cmd = { %q, "serve" } })
		%s`, config, program, opts.init)
	init := filepath.Join(filepath.Dir(e.socket), "init.lua")
	if err := os.WriteFile(init, []byte(lua), 0o600); err != nil {
		e.t.Fatal(err)
	}
	args := append([]string{
		"--headless", "--listen", e.socket, "--clean",
		"--cmd", "set runtimepath^=" + here, "--cmd", "luafile " + init,
	}, opts.args...)
	cmd := exec.Command("nvim", args...)
	cmd.Dir = e.dir
	if filepath.IsAbs(opts.cwd) {
		cmd.Dir = opts.cwd
	} else if opts.cwd != "" {
		cmd.Dir = e.path(opts.cwd)
	}
	cmd.Env = append(os.Environ(), e.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	e.t.Cleanup(func() {
		_, _ = e.remote("--remote-send", `<C-\><C-n>:qall!<CR>`)
		select {
		case <-ended:
		case <-time.After(patience):
			e.t.Error("Neovim does not end")
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		if e.t.Failed() {
			e.t.Logf("Neovim said: %s", out.String())
		}
	})
	e.until("Neovim to listen", func() bool {
		got, err := e.remote("--remote-expr", "v:vim_did_enter")
		return err == nil && got == "1"
	})
}

// remote runs another nvim that speaks to this one.
func (e *editor) remote(args ...string) (string, error) {
	cmd := exec.Command("nvim", append([]string{"--headless", "--clean", "--server", e.socket}, args...)...)
	cmd.Env = append(os.Environ(), e.env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// lua runs the body of a Lua function and returns what it returns.
func (e *editor) lua(body string) any {
	e.t.Helper()
	code := "vim.fn.json_encode({ (function() " + body + "\nend)() })"
	out, err := e.remote("--remote-expr", "luaeval('"+strings.ReplaceAll(code, "'", "''")+"')")
	var values []any
	if err == nil {
		err = json.Unmarshal([]byte(out), &values)
	}
	if err != nil {
		e.t.Fatalf("%s: %v: %s", body, err, out)
	}
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

// eval returns the value of a Lua expression.
func (e *editor) eval(expr string) any {
	e.t.Helper()
	return e.lua("return " + expr)
}

// keys types, as Neovim spells keys, and waits until they are taken.
func (e *editor) keys(keys string) {
	e.t.Helper()
	if out, err := e.remote("--remote-send", keys); err != nil {
		e.t.Fatalf("%s: %v: %s", keys, err, out)
	}
	e.wait("vim.fn.getchar(1) == 0")
}

// until waits for what must become true.
func (e *editor) until(what string, is func() bool) {
	e.t.Helper()
	late, again := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer again.Stop()
	for !is() {
		select {
		case <-again.C:
		case <-late:
			e.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// wait waits until a Lua expression is true.
func (e *editor) wait(expr string) {
	e.t.Helper()
	e.until(expr, func() bool { return e.eval(expr) == true })
}

// expect compares the value of a Lua expression.
func (e *editor) expect(expr string, want any) {
	e.t.Helper()
	if got := e.eval(expr); fmt.Sprint(got) != fmt.Sprint(want) {
		e.t.Errorf("%s is %v, want %v", expr, got, want)
	}
}

// attached waits until the server has the buffer of the file.
func (e *editor) attached(name string) {
	e.t.Helper()
	e.wait(fmt.Sprintf(`(function()
		local server, wire = require("patchls.server"), require("patchls.wire")
		local client, bufnr = server.client(), vim.fn.bufnr(%q)
		return client ~= nil and bufnr > 0 and wire.version(client, bufnr) ~= nil and server.socket ~= nil
	end)()`, e.path(name)))
}

// text returns the lines of the buffer of a file.
func (e *editor) text(name string) string {
	e.t.Helper()
	return e.eval(fmt.Sprintf(`table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(%q), 0, -1, false), "\n")`, e.path(name))).(string)
}

// notes returns what the user was told.
func (e *editor) notes() string {
	e.t.Helper()
	return e.eval(`table.concat(NOTES, "\n")`).(string)
}

// noted waits until the user is told something.
func (e *editor) noted(part string) {
	e.t.Helper()
	e.until("the note "+part, func() bool { return strings.Contains(e.notes(), part) })
}

// told is noted for a message that is no answer to a command. It must fit on the line: for
// more Neovim waits for a key, and does nothing that agents ask until then. (Neovim's own note
// of a server that crashed does not fit.)
func (e *editor) told(part string) {
	e.t.Helper()
	e.noted(part)
	for note := range strings.SplitSeq(e.notes(), "\n") {
		if room := e.eval("vim.v.echospace").(float64); strings.HasPrefix(note, "patchls") && len([]rune(note)) > int(room) {
			e.t.Errorf("%q is longer than the %v columns that there are", note, room)
		}
	}
}

func (e *editor) path(name string) string { return filepath.Join(e.dir, name) }
func (e *editor) uri(name string) string  { return "file://" + e.path(name) }

func (e *editor) write(name, content string) {
	e.t.Helper()
	if err := os.MkdirAll(filepath.Dir(e.path(name)), 0o755); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(e.path(name), []byte(content), 0o644); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) disk(name string) string {
	e.t.Helper()
	raw, err := os.ReadFile(e.path(name))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(raw)
}

//go:build unix

package nvim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTheProgramIsMissing(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}, config: `{ cmd = { "/nowhere/patchls", "serve" } }`})
	e.told("/nowhere/patchls")
	e.lua(`vim.cmd("edit b.txt")`)
	e.expect("#NOTES", 1)
	if got := e.health(); !strings.Contains(got, `ERROR the program "/nowhere/patchls" was not found`) {
		t.Errorf("checkhealth says %s", got)
	}
}

// The page of :checkhealth has no swap file itself, which says nothing of the user's.
func TestHealthOfSwapFiles(t *testing.T) {
	e := start(t, nil, options{})
	for _, on := range []bool{true, false} {
		e.lua(fmt.Sprintf("vim.go.swapfile = %v", on))
		if got := e.health(); strings.Contains(got, "'swapfile' is off") == on {
			t.Errorf("with swapfile %v, checkhealth says %s", on, got)
		}
	}
}

// health is what :checkhealth patchls shows.
func (e *editor) health() string {
	e.t.Helper()
	return e.lua(`vim.cmd("checkhealth patchls")
		local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
		vim.cmd("bwipeout!")
		return (table.concat(lines, "\n"):gsub("[✅❌⚠️]+ ", ""))`).(string)
}

// A server that crashes is started again, and has the buffers as they are.
func TestTheServerCrashes(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, config: `{ restart = { delay = 50 } }`})
	a := e.agent("a.txt")
	e.keys("Otyped<Esc>")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.expect(marked, "PatchlsEdit[two]")
	pid := a.conn.Live().PID
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	e.wait(`require("patchls.server").crashes == 1`)
	e.wait(`require("patchls.server").client() ~= nil`)
	if got := e.text("a.txt"); got != "typed\ntwo" {
		t.Errorf("the buffer has %q", got)
	}
	e.expect(marked, "") // the new server does not know that edit
	again := e.agent("a.txt")
	if again.conn.Live().PID == pid {
		t.Error("it is the same server")
	}
	again.edit("str_replace", args{"path": "a.txt", "old_str": "typed\ntwo", "new_str": "three"})
	if got := e.text("a.txt"); got != "three" {
		t.Errorf("the buffer has %q", got)
	}
	e.keys("u")
	e.until("the edit to be undone", func() bool { return e.text("a.txt") == "typed\ntwo" })
}

func TestTheServerCrashesEachTime(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n", "count": ""}, options{
		args: []string{"a.txt"}, config: `{ cmd = { "sh", "-c", "echo >> count; exit 3" }, restart = { tries = 3, delay = 20 } }`,
	})
	e.told("gave up after 4 crashes")
	e.lua(`vim.cmd("edit other.txt | edit a.txt")`)
	if got := e.disk("count"); got != "\n\n\n\n" {
		t.Errorf("it was started %d times", len(got))
	}
	if got := e.health(); !strings.Contains(got, "crashed too often") || !strings.Contains(got, "exit code 3") {
		t.Errorf("checkhealth says %s", got)
	}
	e.lua(fmt.Sprintf(`vim.g.patchls = { cmd = { %q, "serve" } }
		vim.cmd("Patchls restart")`, program))
	e.attached("a.txt")
}

// A user who stops the server does not get it back until they ask for it.
func TestTheServerIsStopped(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	for _, force := range []string{"false", "true"} {
		e.attached("a.txt")
		e.lua(`vim.lsp.stop_client(vim.lsp.get_clients()[1].id, ` + force + `)`)
		e.wait(`#vim.lsp.get_clients() == 0 and require("patchls.server").socket == nil`)
		e.expect(`require("patchls.server").crashes`, 0)
		e.expect(`vim.env.PATCHLS_SOCKET or "none"`, "none")
		e.lua(`vim.cmd("Patchls restart")`)
	}
	e.attached("a.txt")
	if e.eval(`vim.lsp.is_enabled ~= nil`) == true {
		e.lua(`vim.lsp.enable("patchls", false)`)
		e.wait(`#vim.lsp.get_clients() == 0`)
		e.lua(`vim.cmd("edit other.txt")`)
		e.expect(`#vim.lsp.get_clients({ _uninitialized = true })`, 0)
		e.lua(`vim.lsp.enable("patchls")
			vim.cmd("edit a.txt")`)
		e.attached("a.txt")
	}
	e.lua(`vim.cmd("Patchls restart")`)
	e.wait(`#vim.lsp.get_clients() == 1`)
	e.attached("a.txt")
}

func TestTheServerIsTooOld(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}}, "null")
	s.opened("a.txt")
	s.told("is too old for this plugin")
	if v := s.apply(insertion(s.uri("a.txt"), 0, "new")); !v.Applied {
		t.Errorf("the answer is %+v", v)
	}
	s.expect("#NOTES", 1)
	if got := s.health(); !strings.Contains(got, "you were told: the server is too old for this plugin: marks,") {
		t.Errorf("checkhealth says %s", got)
	}
}

func TestTwoClients(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, init: fmt.Sprintf(
		`vim.api.nvim_create_autocmd("BufReadPost", { callback = function(args)
			vim.lsp.start({ name = "mine", cmd = { %q, "serve" }, root_dir = vim.fn.getcwd() }, { bufnr = args.buf })
		end })`, program)})
	e.attached("a.txt")
	e.wait(`#vim.lsp.get_clients() == 2`)
	e.told("the client mine also runs patchls")
	if got := e.health(); !strings.Contains(got, "the client mine also runs patchls") {
		t.Errorf("checkhealth says %s", got)
	}
}

// Agents in a terminal find the Neovim that they are in, also when its server was started again.
func TestTerminal(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	e.attached("a.txt")
	e.lua(`vim.cmd("terminal echo is=$PATCHLS_SOCKET=")`)
	e.wait(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ""):find("is=" .. require("patchls.server").window .. "=", 1, true) ~= nil`)
	e.lua(`vim.cmd("bwipeout!")`)
}

// Without a workspace folder what is open can be edited, and nothing else. The home folder
// is none, nor is the root of all.
func TestNoWorkspaceFolder(t *testing.T) {
	for name, cwd := range map[string]string{"root": "/", "home": "../home"} {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"../home/a.txt": "one\n", "../home/b.txt": "b\n"}, options{cwd: cwd})
			e.lua(fmt.Sprintf(`vim.cmd("edit %s")`, e.path("../home/a.txt")))
			a := e.agent("../home/a.txt")
			a.edit("str_replace", args{"path": e.path("../home/a.txt"), "old_str": "one", "new_str": "two"})
			if _, err := a.try("str_replace", args{"path": e.path("../home/b.txt"), "old_str": "b", "new_str": "c"}); err == nil || !strings.Contains(err.Error(), "workspace") {
				t.Errorf("the error is %v", err)
			}
			if got := e.health(); !strings.Contains(got, "no workspace folder") {
				t.Errorf("checkhealth says %s", got)
			}
		})
	}
}

// All files are of one server; their repositories become its workspace folders.
func TestWorkspaceFolders(t *testing.T) {
	e := start(t, map[string]string{"one/.git/HEAD": "", "one/a.txt": "a\n", "two/.git/HEAD": "", "two/b.txt": "b\n", "two/c.txt": "c\n"}, options{args: []string{"one/a.txt"}})
	e.attached("one/a.txt")
	e.lua(`vim.cmd("edit two/b.txt")`)
	a := e.agent("two/b.txt")
	a.edit("str_replace", args{"path": e.path("two/c.txt"), "old_str": "c", "new_str": "cc"})
	e.expect(`#vim.lsp.get_clients()`, 1)
	e.expect(`#require("patchls.server").client().workspace_folders`, 2)
}

// Buffers that are no files are left alone, and those that get a name are not.
func TestWhichBuffers(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n", "big.txt": strings.Repeat("0123456789\n", 100)}, options{
		args: []string{"a.txt"}, config: `{ settings = { max_document_bytes = 1000 } }`,
	})
	e.attached("a.txt")
	is := func(want bool) {
		t.Helper()
		e.expect(`require("patchls.wire").version(require("patchls.server").client(), vim.api.nvim_get_current_buf()) ~= nil`, want)
	}
	e.lua(`vim.cmd("enew")`)
	is(false)
	e.lua(`vim.cmd("file named.txt | write")`)
	is(true)
	e.lua(`vim.cmd("help")`)
	is(false)
	e.lua(`vim.cmd("bwipeout! | edit big.txt")`)
	is(false)
	e.told("agents cannot edit big.txt")
	if got := e.lua(`return vim.fn.execute("Patchls status")`).(string); !strings.Contains(got, "agents do not see it: it has 1100 bytes") {
		t.Errorf(":Patchls status says %s", got)
	}
}

// What is left out cannot be edited behind the user's back either.
func TestBuffersThatAreLeftOut(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n", "secret.txt": "b\n", "sub/secret.txt": "c\n"}, options{
		args: []string{"a.txt"}, config: `{ attach = function(bufnr) return not vim.api.nvim_buf_get_name(bufnr):find("secret") end }`,
	})
	a := e.agent("a.txt")
	e.lua(`vim.cmd("edit secret.txt | call setline(1, 'typed')")`)
	for name, old := range map[string]string{"secret.txt": "b", "sub/secret.txt": "c"} {
		if _, err := a.try("str_replace", args{"path": name, "old_str": old, "new_str": "new"}); err == nil || !strings.Contains(err.Error(), "the option attach leaves it out") {
			t.Errorf("the error is %v", err)
		}
	}
	if got := e.text("secret.txt"); got != "typed" {
		t.Errorf("the buffer has %q", got)
	}
	e.expect(`vim.fn.bufnr("sub/secret.txt")`, -1)
}

// A home folder that is a repository is not handed out because of a file in it.
func TestTheHomeFolderIsNoWorkspaceFolder(t *testing.T) {
	e := start(t, map[string]string{"../home/.git/HEAD": "", "../home/a.txt": "one\n"}, options{cwd: "../home"})
	e.lua(fmt.Sprintf(`vim.cmd("edit %s")`, e.path("../home/a.txt")))
	e.attached("../home/a.txt")
	e.expect(`#(require("patchls.server").client().workspace_folders or {})`, 0)
}

// The end of a server that was replaced takes nothing from the one that runs.
func TestAnOldServerEndsLate(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	e.agent("a.txt").edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.lua(`require("patchls.server").config().on_exit(0, 0, require("patchls.server").client().id + 1)
		vim.schedule(function() OVER = true end)`)
	e.wait("OVER == true")
	e.expect(marked, "PatchlsEdit[two]")
	e.expect(`vim.env.PATCHLS_SOCKET == require("patchls.server").window`, true)
}

// Slips in the options are said, and the rest holds.
func TestOptions(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, init: `
		require("patchls").setup({ marks = { fade = "soon", highlight = "Search" }, colour = 1 })`})
	e.told("the option marks.fade must be a number")
	e.told("there is no option colour")
	e.agent("a.txt").edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.expect(marked, "Search[two]")
	e.expect(`require("patchls.config").get().marks.fade`, 60)
	if got := e.health(); !strings.Contains(got, "there is no option colour") {
		t.Errorf("checkhealth says %s", got)
	}
}

// A value that its type does not rule out is left out as well, and not an error at each edit.
func TestValuesOfOptions(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, config: `{ settings = { match = "lenient" } }`, init: `
		require("patchls").setup({ marks = { sign = "agent" }, cmd = {}, settings = { max_document_bytes = "lots" } })`})
	e.told("the option marks.sign must be")
	e.told("the option cmd must be")
	e.agent("a.txt").edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.expect(marked, "PatchlsEdit[two]")
	e.expect(`require("patchls.config").get().settings.match`, "lenient") // setup() goes before vim.g option by option
}

func TestHealthAndStatus(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	e.agent("a.txt")
	e.wait(`#require("patchls.server").agents == 1`) // the agent may have its answer before Neovim is told
	got := e.health()
	for _, want := range []string{"OK " + program + ": patchls", "attached to 1 buffers, columns in utf-", "the server has all that the plugin uses", "agents can connect at /"} {
		if !strings.Contains(got, want) {
			t.Errorf("checkhealth lacks %q: %s", want, got)
		}
	}
	if strings.Contains(got, "ERROR") || strings.Contains(got, "WARNING") {
		t.Errorf("checkhealth complains: %s", got)
	}
	status := e.lua(`return vim.fn.execute("Patchls")`).(string)
	for _, want := range []string{"server: running", "agents can connect at /", "1 agent connected: a tester", "this buffer: attached, 0 hunks to review", "1 buffer attached, 0 marks, 0 edits"} {
		if !strings.Contains(status, want) {
			t.Errorf(":Patchls lacks %q: %s", want, status)
		}
	}
}

// A Neovim that is too old is told so, and nothing else happens.
func TestNeovimIsTooOld(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, older: true})
	if e.eval(`vim.fn.has("nvim-0.10")`) == 1.0 {
		t.Skip("this Neovim is new enough")
	}
	e.told("patchls needs Neovim 0.10 or newer")
	e.expect("#NOTES", 1)
	e.lua(`vim.cmd("Patchls status")`)
	e.expect("#NOTES", 2)
	if got := e.health(); !strings.Contains(got, "patchls needs Neovim 0.10 or newer") {
		t.Errorf("checkhealth says %s", got)
	}
}

//go:build unix

package nvim_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// shown are the lenses of the buffer in front, each as "row: title", as vim.lsp.codelens
// has them.
const shown = `(function()
	local found = {}
	for _, lens in ipairs(vim.lsp.codelens.get(vim.lsp.codelens.enable and { bufnr = 0 } or 0)) do
		lens = lens.lens or lens
		table.insert(found, lens.range.start.line + 1 .. ": " .. lens.command.title)
	end
	table.sort(found)
	return table.concat(found, ", ")
end)()`

// lensesOf are those of one-line hunks on lines.
func lensesOf(lines ...int) string {
	var all []string
	for _, line := range lines {
		all = append(all, fmt.Sprintf("%[1]d: 1 line by a tester, %[1]d: patchls: keep, %[1]d: revert", line))
	}
	return strings.Join(all, ", ")
}

func (e *editor) waitFor(expr, want string) {
	e.t.Helper()
	got := ""
	defer func() {
		if got != want {
			e.t.Logf("%s is %q, want %q", expr, got, want)
		}
	}()
	e.until(want, func() bool {
		got = fmt.Sprint(e.eval(expr))
		return got == want
	})
}

// reviewed starts an editor in which an agent has changed the lines 1, 3 and 5.
func reviewed(t *testing.T, opts options) (*editor, *client, string) {
	t.Helper()
	opts.args = []string{"a.txt"}
	e := start(t, map[string]string{"a.txt": "x 1\nkeep\nx 2\nkeep\nx 3\n"}, opts)
	a := e.agent("a.txt")
	id := a.edit("str_replace", args{"path": "a.txt", "old_str": "x", "new_str": "why", "replace_all": true}).EditID
	return e, a, id
}

// pick has the user choose what begins with a word wherever Neovim lets them choose.
func (e *editor) pick(title string) {
	e.t.Helper()
	e.lua(fmt.Sprintf(`vim.ui.select = function(items, opts, on_choice)
		for _, item in ipairs(items) do
			if vim.startswith((opts.format_item or tostring)(item), %q) then
				return on_choice(item)
			end
		end
		table.insert(NOTES, "nothing to pick")
	end`, title))
}

func TestLenses(t *testing.T) {
	e, _, _ := reviewed(t, options{})
	e.waitFor(shown, lensesOf(1, 3, 5))
	e.keys("Otyped<Esc>")
	e.waitFor(shown, lensesOf(2, 4, 6))
	e.pick("revert")
	e.lua(`vim.api.nvim_win_set_cursor(0, { 4, 0 })
		vim.lsp.codelens.run()`)
	e.until("the hunk to be reverted", func() bool { return e.text("a.txt") == "typed\nwhy 1\nkeep\nx 2\nkeep\nwhy 3" })
	e.noted("Reverted hunk 2 of edit")
	e.wait(`require("patchls.edits").log[1].undone == false`) // not all of it
	e.waitFor(shown, lensesOf(2, 6))
	e.waitFor(marked, "PatchlsEdit[why] PatchlsEdit[why]")
	e.pick("patchls: keep")
	e.lua(`vim.api.nvim_win_set_cursor(0, { 2, 0 })
		vim.lsp.codelens.run()`)
	e.waitFor(shown, lensesOf(6))
	e.waitFor(marked, "PatchlsEdit[why]")
	// What the user takes back themselves is nothing to review either.
	e.lua(`vim.cmd("silent earlier 1f")`)
	e.waitFor(shown, "")
	e.waitFor(marked, "")
}

func TestNoLenses(t *testing.T) {
	e, _, _ := reviewed(t, options{config: `{ review = { codeLens = false } }`})
	e.keys("Otyped<Esc>")
	// The marks are those of the server all the same.
	e.lua(`vim.cmd("4 | Patchls revert")`)
	e.until("the hunk to be reverted", func() bool { return e.text("a.txt") == "typed\nwhy 1\nkeep\nx 2\nkeep\nwhy 3" })
	e.waitFor(marked, "PatchlsEdit[why] PatchlsEdit[why]")
	e.expect(shown, "")
	if e.eval(`vim.lsp.codelens.is_enabled ~= nil`) == true {
		e.expect(`vim.lsp.codelens.is_enabled({ bufnr = 0 })`, false)
	}
}

// another is a server of the user's with a lens of its own, which counts how often it
// is asked for that.
const another = `
	ASKED = 0
	vim.api.nvim_create_autocmd("BufReadPost", { callback = function(args)
		vim.lsp.start({ name = "another", cmd = function()
			local function request(method, _, callback)
				local at = { line = 1, character = 0 }
				if method == "initialize" then
					callback(nil, { capabilities = { codeLensProvider = vim.empty_dict() } })
				elseif method == "textDocument/codeLens" then
					ASKED = ASKED + 1
					callback(nil, { { range = { start = at, ["end"] = at }, command = { title = "another's", command = "" } } })
				else
					callback(nil, vim.NIL)
				end
				return true, 1
			end
			local is_closing = false
			return {
				request = request,
				notify = function() return true end,
				is_closing = function() return is_closing end,
				terminate = function() is_closing = true end,
			}
		end }, { bufnr = args.buf })
	end })`

// The lenses of a server that crashed go with it. Neovim 0.12.4 fails at the next redraw
// otherwise, and waits for a key, and agents with it.
func TestLensesOfAServerThatCrashed(t *testing.T) {
	e, a, _ := reviewed(t, options{config: `{ restart = { delay = 50 } }`})
	e.waitFor(shown, lensesOf(1, 3, 5))
	if err := syscall.Kill(a.conn.Live().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e.wait(`require("patchls.server").crashes == 1`)
	e.wait(`require("patchls.server").client() ~= nil`)
	e.waitFor(shown, "")
	e.lua(`vim.v.errmsg = ""`)
	e.agent("a.txt").edit("str_replace", args{"path": "a.txt", "old_str": "why 3", "new_str": "because"})
	e.waitFor(shown, lensesOf(5))
	e.lua(`vim.cmd("redraw!")`)
	e.expect("vim.v.errmsg", "")
}

// Another server's lenses are shown if the user has them shown, and ours are there once.
func TestLensesOfAnotherServer(t *testing.T) {
	e, a, _ := reviewed(t, options{init: another})
	e.waitFor(shown, lensesOf(1, 3, 5))
	e.expect("ASKED", 0)
	e.lua(`if vim.lsp.codelens.enable then
			vim.lsp.codelens.enable(true, { bufnr = 0 })
		else
			vim.lsp.codelens.refresh({ bufnr = 0 })
		end`)
	e.waitFor(shown, strings.Replace(lensesOf(1, 3, 5), ", 3: 1", ", 2: another's, 3: 1", 1))
	a.edit("str_replace", args{"path": "a.txt", "old_str": "keep\nwhy 3", "new_str": "keep\nwhy 3!"})
	e.wait(`(` + shown + `):find("another's") ~= nil`)
}

func TestCodeActions(t *testing.T) {
	e, _, _ := reviewed(t, options{})
	choose := func(line int, title string) {
		t.Helper()
		e.lua(fmt.Sprintf(`vim.api.nvim_win_set_cursor(0, { %d, 0 })
			vim.lsp.buf.code_action({ apply = true, filter = function(action) return vim.startswith(action.title, %q) end })`, line, title))
	}
	choose(3, "Revert 1 line")
	e.until("the hunk to be reverted", func() bool { return e.text("a.txt") == "why 1\nkeep\nx 2\nkeep\nwhy 3" })
	e.waitFor(marked, "PatchlsEdit[why] PatchlsEdit[why]")
	choose(5, "Keep 1 line")
	e.waitFor(marked, "PatchlsEdit[why]")
	choose(1, "Revert all of edit")
	e.until("the edit to be reverted", func() bool { return e.text("a.txt") == "x 1\nkeep\nx 2\nkeep\nx 3" })
	e.waitFor(marked, "")
}

// Commands of the user's work while agents are paused.
func TestReviewWhilePaused(t *testing.T) {
	e, _, _ := reviewed(t, options{})
	e.waitFor(shown, lensesOf(1, 3, 5))
	e.lua(`vim.cmd("Patchls pause")`)
	e.pick("revert")
	e.lua(`vim.lsp.codelens.run()`)
	e.until("the hunk to be reverted", func() bool { return e.text("a.txt") == "x 1\nkeep\nwhy 2\nkeep\nwhy 3" })
}

func TestReviewOfTheBuffer(t *testing.T) {
	e, a, _ := reviewed(t, options{})
	other := a.edit("create", args{"path": "b.txt", "content": "b\n"})
	if !other.Files[0].Open {
		t.Errorf("%+v", other)
	}
	e.lua(`vim.cmd("Patchls! revert")`)
	e.until("all to be reverted", func() bool { return e.text("a.txt") == "x 1\nkeep\nx 2\nkeep\nx 3" })
	e.waitFor(marked, "")
	e.lua(`vim.cmd("buffer b.txt")`)
	e.expect(`#require("patchls.marks").list(vim.fn.bufnr())`, 1)
	e.waitFor(shown, lensesOf(1))
	e.lua(`vim.cmd("Patchls! keep")`)
	e.waitFor(marked, "")
	e.waitFor(shown, "")
	if got := e.text("b.txt"); got != "b" {
		t.Errorf("b.txt is %q", got)
	}
	e.lua(`vim.cmd("Patchls! keep")`)
	e.noted("There is no hunk of an agent's")
	e.lua(`vim.cmd("enew | Patchls keep")`)
	e.noted("agents do not see this buffer: it is no buffer of a file")
}

// Lines that are gone can be kept and reverted as well, at the end of the text too.
func TestReviewOfDeletions(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	a.edit("delete_lines", args{"path": "a.txt", "start_line": 3, "end_line": 3})
	a.edit("delete_lines", args{"path": "a.txt", "start_line": 1, "end_line": 1})
	const removed = "1: 1 line removed by a tester"
	e.waitFor(shown, removed+", "+removed+", 1: patchls: keep, 1: patchls: keep, 1: revert, 1: revert")
	e.lua(`vim.cmd("1 | Patchls revert")`)
	e.until("the first line", func() bool { return strings.HasPrefix(e.text("a.txt"), "one\ntwo") })
	e.wait(`#require("patchls.marks").list(vim.fn.bufnr()) == 1`)
	e.lua(`vim.cmd("2 | Patchls revert")`)
	e.until("the last line", func() bool { return e.text("a.txt") == "one\ntwo\nthree" })
	e.wait(`#require("patchls.marks").list(vim.fn.bufnr()) == 0`)
	a.call("view", args{"path": "a.txt"}) // its numbers are of what it has seen
	a.edit("delete_lines", args{"path": "a.txt", "start_line": 2, "end_line": 3})
	e.lua(`vim.cmd("1")
		vim.lsp.buf.code_action({ apply = true, filter = function(action) return vim.startswith(action.title, "Revert") end })`)
	e.until("the last lines", func() bool { return e.text("a.txt") == "one\ntwo\nthree" })
}

func TestGoingToHunks(t *testing.T) {
	e, _, _ := reviewed(t, options{})
	at := func(command string, line int) {
		t.Helper()
		e.lua(fmt.Sprintf(`vim.cmd("Patchls %s")`, command))
		e.expect(`vim.api.nvim_win_get_cursor(0)[1]`, line)
	}
	at("next", 3)
	e.expect(`vim.api.nvim_buf_get_mark(0, "'")[1]`, 1)
	at("next", 5)
	e.expect(`vim.api.nvim_buf_get_mark(0, "'")[1]`, 3)
	at("next", 1)
	at("prev", 5)
	at("prev", 3)
	e.keys("``")
	e.expect(`vim.api.nvim_win_get_cursor(0)[1]`, 5)
	e.lua(`vim.o.wrapscan = false`)
	at("next", 5)
	e.noted("there is no other hunk that way")
	e.lua(`vim.cmd("Patchls! keep")`)
	e.waitFor(shown, "")
	at("prev", 5)
	e.noted("no agent's hunk is to be reviewed")
}

func TestDiff(t *testing.T) {
	e, _, id := reviewed(t, options{})
	e.keys("Otyped<Esc>")
	e.waitFor(shown, lensesOf(2, 4, 6))
	check := func() {
		t.Helper()
		e.expect("#vim.api.nvim_list_tabpages()", 2)
		e.expect(`table.concat(vim.tbl_map(function(win)
			local bufnr = vim.api.nvim_win_get_buf(win)
			local options = vim.bo[bufnr]
			return ("%s %s %s %s %s %s %s"):format(vim.api.nvim_buf_get_name(bufnr), table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), "|"),
				options.buftype, options.bufhidden, options.modifiable, options.filetype, vim.wo[win].diff)
		end, vim.api.nvim_tabpage_list_wins(0)), "\n")`,
			fmt.Sprintf("patchls-diff:///%[1]s/before/a.txt x 1|keep|x 2|keep|x 3 nofile wipe false text true\n"+
				"patchls-diff:///%[1]s/after/a.txt why 1|keep|why 2|keep|why 3 nofile wipe false text true", id))
		e.keys("q")
		e.wait("#vim.api.nvim_list_tabpages() == 1")
		e.expect(`#vim.tbl_filter(function(bufnr) return vim.startswith(vim.api.nvim_buf_get_name(bufnr), "patchls-diff") end, vim.api.nvim_list_bufs())`, 0)
		e.expect("vim.fn.bufname()", "a.txt")
	}
	e.lua(`vim.cmd("4 | Patchls diff")`)
	check()
	e.pick("1 line by")
	e.lua(`vim.lsp.codelens.run()`)
	e.wait("#vim.api.nvim_list_tabpages() == 2")
	check()
	e.lua(`vim.cmd("3 | Patchls diff")`)
	e.noted("no agent's hunk is here")
	e.expect(`pcall(vim.cmd, "tabedit patchls-diff:///e99/before/a.txt")`, false)
}

func TestReviewInHealth(t *testing.T) {
	e, _, _ := reviewed(t, options{})
	if got, want := e.health(), "code lenses over agents' changes: on"; !strings.Contains(got, want) {
		t.Errorf("checkhealth lacks %q: %s", want, got)
	}
}

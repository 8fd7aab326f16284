//go:build unix

package nvim_test

import (
	"fmt"
	"strings"
	"testing"
)

// marked is the text that is marked, each mark between brackets, as it is shown.
const marked = `(function()
	local space = vim.api.nvim_get_namespaces().patchls
	local found = {}
	for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
		-- While an edit is being taken back, its mark may end before it begins.
		local ok, text = pcall(vim.api.nvim_buf_get_text, 0, mark[2], mark[3], mark[4].end_row, mark[4].end_col, {})
		table.insert(found, mark[4].hl_group .. "[" .. (ok and table.concat(text, "|") or "?") .. "]")
	end
	return table.concat(found, " ")
end)()`

func TestMarks(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{
		args: []string{"a.txt"}, config: `{ marks = { sign = "A" } }`,
	})
	a := e.agent("a.txt")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "two and 😀 more"})
	a.edit("insert", args{"path": "a.txt", "after_line": 3, "content": "four\nfive\n"})
	e.wait(`#require("patchls.edits").log == 2`)
	got := e.eval(marked).(string)
	if !strings.HasPrefix(got, "PatchlsEdit[ and 😀 more] PatchlsEdit[") || !strings.Contains(got, "four|five") {
		t.Errorf("marked is %s", got)
	}
	e.expect(`vim.api.nvim_get_hl(0, { name = "PatchlsEdit" }).link`, "DiffAdd")
	// What is typed at a mark is not the agent's.
	e.keys("2GA!<Esc>")
	e.wait(`vim.api.nvim_get_current_line() == "two and 😀 more!"`)
	if got := e.eval(marked).(string); !strings.HasPrefix(got, "PatchlsEdit[ and 😀 more] ") {
		t.Errorf("marked is %s", got)
	}
	e.keys("u") // what was typed
	e.keys("u") // the second edit
	e.wait(marked + ` == "PatchlsEdit[ and 😀 more]"`)
	e.keys("u")
	e.wait(marked + ` == ""`)
	// What is undone where it stood in the place of something else leaves nothing either.
	a.edit("str_replace", args{"path": "a.txt", "old_str": "three", "new_str": "drei"})
	if e.eval(marked) == "" {
		t.Error("nothing is marked")
	}
	e.keys("u")
	e.wait(marked + ` == ""`)
}

func TestMarksFade(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, config: `{ marks = { fade = 1.5 } }`})
	a := e.agent("a.txt")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.expect(marked, "PatchlsEdit[two]")
	e.wait(marked + ` == ""`)
	e.expect(`#require("patchls.marks").list(vim.fn.bufnr())`, 0)
}

// A mark of a text that was loaded anew does not fade with those of the text before.
func TestMarksOfAnotherTextFade(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, config: `{ marks = { fade = 0.3 } }`})
	a := e.agent("a.txt")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.lua(`vim.defer_fn(function() FADED = true end, 300)
		require("patchls").setup({ marks = { fade = 60 } })
		vim.cmd("edit!")`)
	a.sees(e, "a.txt", "one")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "six"})
	e.wait("FADED == true")
	e.expect(marked, "PatchlsEdit[six]")
}

func TestNoMarks(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, config: `{ marks = { enabled = false } }`})
	e.agent("a.txt").edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.expect(marked, "")
}

// The server takes an edit back, for the user or an agent, and its marks go, and no others.
func TestMarksOfWhatIsTakenBack(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	var ids []string
	for _, word := range []string{"one", "two", "three"} {
		ids = append(ids, a.edit("str_replace", args{"path": "a.txt", "old_str": word, "new_str": word + "+"}).EditID)
	}
	e.wait(`#require("patchls.edits").log == 3`)
	a.call("undo", args{"edit_id": ids[0]})
	e.wait(marked + ` == "PatchlsEdit[+] PatchlsEdit[+]"`)
	if got, want := e.text("a.txt"), "one\ntwo+\nthree+"; got != want {
		t.Errorf("the buffer has %q, want %q", got, want)
	}
	// The user takes back what the cursor is on, with typing of their own in between.
	e.keys("ggOtyped<Esc>3GA.<Esc>$h")
	e.wait(`vim.fn.mode() == "n" and vim.api.nvim_get_current_line() == "two+."`)
	e.lua(`vim.cmd("Patchls revert")`)
	e.until("the edit to be taken back", func() bool { return e.text("a.txt") == "typed\none\ntwo.\nthree+" })
	e.wait(marked + ` == "PatchlsEdit[+]"`)
	e.noted("Reverted hunk 1 of edit " + ids[1] + " in a.txt.")
	e.wait(`require("patchls.edits").log[2].undone`)
	// Elsewhere there is nothing to take back.
	e.lua(`vim.cmd("1 | Patchls revert")`)
	e.noted("no agent's hunk is here")
	// Where the text of an edit was changed since, it stays, and the user is told why.
	e.keys("4Gcctres<Esc>")
	e.wait(`vim.api.nvim_get_current_line() == "tres"`)
	e.lua(fmt.Sprintf(`vim.cmd("Patchls undo %s")`, ids[2]))
	e.noted(ids[2])
	if got, want := e.text("a.txt"), "typed\none\ntwo.\ntres"; got != want {
		t.Errorf("the buffer has %q, want %q", got, want)
	}
}

func TestKeep(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	a.edit("apply_patch", args{"path": "a.txt", "patch": "@@\n-one\n+one 1\n two\n-three\n+three 3\n"})
	e.expect(marked, "PatchlsEdit[ 1] PatchlsEdit[ 3]")
	e.lua(`vim.cmd("3 | Patchls keep")`)
	e.wait(marked + ` == "PatchlsEdit[ 1]"`)
	e.noted("Kept hunk 2 of edit")
	e.lua(`vim.cmd("2 | Patchls keep")`)
	e.noted("no agent's hunk is here")
	e.expect(marked, "PatchlsEdit[ 1]")
	e.lua(`vim.cmd("Patchls! keep")`)
	e.wait(marked + ` == ""`)
	if got, want := e.text("a.txt"), "one 1\ntwo\nthree 3"; got != want {
		t.Errorf("the buffer has %q, want %q", got, want)
	}
}

func TestLog(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	first := a.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"}).EditID
	second := a.edit("str_replace", args{"path": "b.txt", "old_str": "b", "new_str": "c"}).EditID
	a.call("undo", args{"edit_id": second})
	e.wait(`#require("patchls.edits").log == 2 and require("patchls.edits").log[2].undone == true`)
	e.lua(`vim.cmd("Patchls log")`)
	list := e.eval(`table.concat(vim.tbl_map(function(i)
		return vim.fs.basename(vim.fn.bufname(i.bufnr)) .. ":" .. i.lnum .. i.text:sub(9)
	end, vim.fn.getqflist()), "\n")`)
	want := fmt.Sprintf("a.txt:2 %s a tester: str_replace\nb.txt:1 %s a tester: str_replace (undone)", first, second)
	if list != want {
		t.Errorf("the list is\n%s, want\n%s", list, want)
	}
	e.noted("2 edits of agents")
	e.expect("#vim.api.nvim_list_wins()", 1)
	e.expect(`table.concat(vim.fn.getcompletion("Patchls undo ", "cmdline"), " ")`, first)
	e.expect(`table.concat(vim.fn.getcompletion("Patchls re", "cmdline"), " ")`, "restart resume revert")
}

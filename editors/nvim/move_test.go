//go:build unix

package nvim_test

import (
	"fmt"
	"os"
	"testing"
)

// moves is a patch that moves a file.
func moves(from, to, more string) args {
	return args{"patch": "*** Begin Patch\n*** Update File: " + from + "\n*** Move to: " + to + "\n" + more + "*** End Patch\n"}
}

// isGone fails the test if a file is on disk.
func (e *editor) isGone(name string) {
	e.t.Helper()
	if _, err := os.Stat(e.path(name)); err == nil {
		e.t.Errorf("%s is on disk", name)
	}
}

// What the user has not saved is not on disk after a move, and buffer, window, cursor, marks and undo are theirs as before;
// saving writes the new name without a question, and undo by the agent moves it back unsaved.
func TestAMoveKeepsWhatIsUnsaved(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "other.txt": "x\n"}, options{args: []string{"other.txt", "a.txt"}})
	e.lua(`vim.cmd("edit a.txt")`)
	a := e.agent("a.txt")
	e.keys("Otyped<Esc>3Gmx2G2l")
	e.attached("other.txt")
	before := e.eval(`{ vim.fn.bufnr("%"), vim.fn.bufnr("#"), #vim.fn.getbufinfo(), vim.fn.win_getid(), vim.fn.getcurpos(), vim.fn.getpos("'x") }`)
	r := a.edit("apply_patch", moves("a.txt", "sub/b.txt", "@@\n-three\n+3\n"))
	after := `{ vim.fn.bufnr("%"), vim.fn.bufnr("#"), #vim.fn.getbufinfo(), vim.fn.win_getid(), vim.fn.getcurpos(), vim.fn.getpos("'x") }`
	e.expect(after, before)
	e.expect("vim.bo.modified", true)
	if got := e.text("sub/b.txt"); got != "typed\none\ntwo\n3" {
		t.Errorf("the buffer has %q", got)
	}
	if got := e.disk("sub/b.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("the disk has %q", got)
	}
	e.isGone("a.txt")
	a.edit("undo", args{"edit_id": r.EditID})
	e.expect(after, before)
	if got := e.disk("a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("after undo the disk has %q", got)
	}
	e.isGone("sub/b.txt")
	e.keys("uuu") // the agent's undo, its edit and what was typed
	e.until("the user's own undo", func() bool { return e.text("a.txt") == "one\ntwo\nthree" })
	e.keys("3<C-r>")
	e.until("redo", func() bool { return e.text("a.txt") == "typed\none\ntwo\nthree" })
	a.edit("apply_patch", moves("a.txt", "c.txt", ""))
	e.keys(":write<CR>") // without "!"
	e.until("the save", func() bool { return e.disk("c.txt") == "typed\none\ntwo\nthree\n" })
	e.isGone("a.txt")
	e.attached("c.txt")
	a.edit("str_replace", args{"path": "c.txt", "old_str": "two", "new_str": "2"})
	if got := e.text("c.txt"); got != "typed\none\n2\nthree" {
		t.Errorf("the buffer has %q", got)
	}
}

// Files that are not shown, not open, or never saved are moved as well, and their unsaved text stays unsaved.
func TestMovesOfOtherFiles(t *testing.T) {
	for name, c := range map[string]struct {
		before string // Lua, before the move
		agent  args   // of a create, nil for none
		text   string // of the buffer b.txt, "" if there is none
		disk   string // of b.txt, "" if it is not there
	}{
		"closed":      {disk: "one\n"},
		"hidden":      {before: `vim.o.hidden = true; vim.cmd("edit a.txt"); vim.fn.setline(1, "typed"); vim.cmd("edit other.txt")`, text: "typed", disk: "one\n"},
		"saved":       {before: `vim.cmd("edit a.txt")`, text: "one", disk: "one\n"},
		"unloaded":    {before: `vim.cmd("badd a.txt")`, disk: "one\n"},
		"new":         {before: `vim.fn.delete("a.txt")`, agent: args{"path": "a.txt", "content": "made\n"}, text: "made"},
		"taken name":  {before: `vim.cmd("badd b.txt"); vim.cmd("edit a.txt"); vim.fn.setline(1, "typed")`, text: "typed", disk: "one\n"},
		"odd name":    {before: `vim.cmd("edit a.txt"); vim.fn.setline(1, "typed")`, text: "typed", disk: "one\n"},
		"with a swap": {before: `vim.o.swapfile = true; vim.cmd("edit a.txt"); vim.fn.setline(1, "typed"); vim.cmd("preserve")`, text: "typed", disk: "one\n"},
		"written by another program": {
			before: `vim.api.nvim_create_autocmd("BufWriteCmd", { pattern = "*.txt", command = "call writefile(['by an autocommand'], expand('<afile>'))" }); vim.cmd("edit a.txt"); vim.fn.setline(1, "typed")`,
			text:   "typed", disk: "one\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"a.txt": "one\n", "other.txt": "x\n"}, options{args: []string{"other.txt"}})
			a := e.agent("other.txt")
			e.lua(c.before)
			if c.agent != nil {
				a.edit("create", c.agent)
			} else if c.text != "" {
				e.attached("a.txt")
			}
			to := "b.txt"
			if name == "odd name" {
				to = "b %#[x]$HOME.txt"
			}
			a.call("apply_patch", moves("a.txt", to, ""))
			e.isGone("a.txt")
			e.expect(fmt.Sprintf(`vim.fn.bufexists(%q)`, e.path("a.txt")), map[bool]int{true: 1}[name == "unloaded"])
			if c.text != "" {
				e.expect(fmt.Sprintf(`table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufadd(%q), 0, -1, false), "\n")`, e.path(to)), c.text)
				e.expect(fmt.Sprintf(`vim.bo[vim.fn.bufadd(%q)].modified`, e.path(to)), c.text != "one")
			}
			if c.disk == "" {
				e.isGone(to)
			} else if got := e.disk(to); got != c.disk {
				t.Errorf("the disk has %q", got)
			}
		})
	}
}

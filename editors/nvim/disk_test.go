//go:build unix

package nvim_test

import "testing"

// Another program writes the file while the buffer has unsaved text. Both texts are in the buffer,
// the user is asked nothing, also when they save, and one undo takes out what the program wrote.
func TestAnotherProgramWritesTheFile(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("jA, typed<Esc>")
	a.sees(e, "a.txt", "typed")
	e.write("a.txt", "ONE\ntwo\nthree\nfour\n")
	e.until("the file is merged", func() bool { return e.text("a.txt") == "ONE\ntwo, typed\nthree\nfour" })
	e.keys("u")
	e.until("the merge is undone", func() bool { return e.text("a.txt") == "one\ntwo, typed\nthree" })
	e.keys("<C-r>")
	e.until("it is done again", func() bool { return e.text("a.txt") == "ONE\ntwo, typed\nthree\nfour" })
	e.lua(`vim.api.nvim_create_autocmd("BufWritePre", { once = true, command = "throw 'the formatter broke'" })`)
	e.expect(`pcall(vim.cmd, "write")`, false) // and the next time they are asked nothing either
	e.expect("vim.bo.modified", true)
	e.keys(":write<CR>")
	e.until("the buffer is saved", func() bool { return e.disk("a.txt") == "ONE\ntwo, typed\nthree\nfour\n" })
	e.expect("vim.bo.modified", false)
	e.expect("vim.api.nvim_get_mode().blocking", false)
	e.keys("ggA again<Esc>:write<CR>") // and then as ever
	e.until("it is saved again", func() bool { return e.disk("a.txt") == "ONE again\ntwo, typed\nthree\nfour\n" })
}

// What a program writes while the user saves the merge is not written over.
func TestAnotherProgramWritesTheFileWhileItIsSaved(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("jA, typed<Esc>")
	a.sees(e, "a.txt", "typed")
	e.write("a.txt", "ONE\ntwo\nthree\n")
	e.until("the file is merged", func() bool { return e.text("a.txt") == "ONE\ntwo, typed\nthree" })
	e.lua(`vim.api.nvim_create_autocmd("BufWritePre", { once = true, callback = function()
		vim.fn.writefile({ "ONE", "two", "THREE, longer" }, "a.txt")
	end })`)
	e.expect(`pcall(vim.cmd, "write")`, false)
	if got := e.disk("a.txt"); got != "ONE\ntwo\nTHREE, longer\n" {
		t.Errorf("disk has %q", got)
	}
	e.until("it is merged again", func() bool { return e.text("a.txt") == "ONE\ntwo, typed\nTHREE, longer" })
	e.keys(":write<CR>")
	e.until("the buffer is saved", func() bool { return e.disk("a.txt") == "ONE\ntwo, typed\nTHREE, longer\n" })
}

// An agent may have it saved as well, also once the user has written the text to another file, though
// Neovim tells of that as if the buffer had been saved.
func TestAMergedFileIsSavedForAnAgent(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("A, typed<Esc>")
	a.sees(e, "a.txt", "typed")
	e.write("a.txt", "one\ntwo\nthree\n")
	e.until("the file is merged", func() bool { return e.text("a.txt") == "one, typed\ntwo\nthree" })
	a.call("save", args{"paths": []string{"a.txt"}})
	if got := e.disk("a.txt"); got != "one, typed\ntwo\nthree\n" {
		t.Errorf("disk has %q", got)
	}
	e.write("b.txt", "")
	e.keys("A more<Esc>:write! b.txt<CR>")
	e.until("another file is written", func() bool { return e.disk("b.txt") != "" })
	e.write("a.txt", "one, typed\ntwo\nthree\nfour\n")
	e.until("the file is merged again", func() bool { return e.text("a.txt") == "one, typed more\ntwo\nthree\nfour" })
	a.call("save", args{"paths": []string{"a.txt"}})
	if got := e.disk("a.txt"); got != "one, typed more\ntwo\nthree\nfour\n" {
		t.Errorf("disk has %q", got)
	}
}

// What both have changed is not merged before the user agrees, and saving asks as Neovim does.
func TestAnotherProgramWritesTheSameLine(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("A, typed<Esc>")
	a.sees(e, "a.txt", "typed")
	e.write("a.txt", "ONE\ntwo\n")
	e.wait("require('patchls.confirm').count() == 1")
	if got := e.text("a.txt"); got != "one, typed\ntwo" {
		t.Errorf("the buffer has %q", got)
	}
	e.lua(`vim.cmd("checktime")`)
	e.keys(":write<CR>n") // to Neovim's own question
	e.expect("vim.bo.modified", true)
	if got := e.disk("a.txt"); got != "ONE\ntwo\n" {
		t.Errorf("disk has %q", got)
	}
	e.keys(":Patchls answer reject<CR>")
	e.write("a.txt", "one\ntwo\nthree\n")             // nothing was saved, so the two still have that in common
	e.wait("require('patchls.confirm').count() == 1") // a no holds for what is alike
	e.keys(":Patchls answer apply<CR>")
	e.until("the file is merged", func() bool { return e.text("a.txt") == "one, typed\ntwo\nthree" })
}

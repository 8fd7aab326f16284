//go:build unix

package nvim_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Saving is the editor's own: autocommands run, and no other buffer is written.
func TestSaveOneBuffer(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	// One formatter before the file is written, and one of those that write again.
	e.lua(`vim.api.nvim_create_autocmd("BufWritePre", { callback = function(args)
			vim.api.nvim_buf_set_lines(args.buf, -1, -1, false, { "formatted" })
		end })
		vim.api.nvim_create_autocmd("BufWritePost", { callback = function(args)
			vim.api.nvim_buf_set_lines(args.buf, -1, -1, false, { "again" })
			vim.cmd("noautocmd write")
		end })`)
	e.lua(`vim.cmd("edit b.txt")`)
	e.attached("b.txt")
	e.keys("Otyped<Esc>")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	r := a.call("save", args{"paths": []string{"a.txt"}})
	if got := e.disk("a.txt"); got != "two\nformatted\nagain\n" || !r.Files[0].Saved {
		t.Errorf("a.txt on disk is %q, and the answer %+v", got, r)
	}
	if seen := a.call("view", args{"path": "a.txt"}); seen.Rev != r.Files[0].Rev || !strings.Contains(seen.Text, "again") {
		t.Errorf("the answer's rev is %s, and the text's %s: %s", r.Files[0].Rev, seen.Rev, seen.Text)
	}
	a.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "three"})
	a.call("save", args{"paths": []string{"a.txt"}})
	if got := e.disk("a.txt"); got != "three\nformatted\nagain\nformatted\nagain\n" {
		t.Errorf("a.txt on disk is %q", got)
	}
	e.until("what was typed", func() bool { return e.text("b.txt") == "typed\nb" })
	if got := e.disk("b.txt"); got != "b\n" {
		t.Errorf("b.txt on disk is %q", got)
	}
	e.expect("vim.fn.bufname()", "b.txt")
}

func TestWhatCannotBeSaved(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	refused := func(part string) {
		t.Helper()
		if _, err := a.try("save", args{"paths": []string{"a.txt"}}); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %v, want one with %q", err, part)
		}
	}
	a.edit("str_replace", args{"path": "a.txt", "old_str": "one", "new_str": "two"})
	e.lua(`vim.o.confirm = true
		vim.bo.readonly = true`)
	refused("E45")
	e.lua(`vim.bo.readonly = false
		vim.api.nvim_create_autocmd("BufWritePre", { once = true, command = "throw 'the formatter broke'" })`)
	refused("the formatter broke")
	e.write("a.txt", "another program\n")
	refused("another program has changed the file")
	// Also once Neovim has said so itself, and the user has kept what is in the buffer.
	e.lua(`vim.api.nvim_create_autocmd("FileChangedShell", { command = "let v:fcs_choice = ''" })
		vim.cmd("checktime")`)
	refused("another program has changed the file")
	if got := e.disk("a.txt"); got != "another program\n" {
		t.Errorf("disk has %q", got)
	}
	if got := e.text("a.txt"); got != "two" {
		t.Errorf("the buffer has %q", got)
	}
	e.expect("vim.o.confirm", true)
}

// A file that changed on disk is loaded before it is edited, if nothing is unsaved in it.
func TestTheFileChangedOnDisk(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.write("a.txt", "zero\none\ntwo\n")
	a.edit("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	if got := e.text("a.txt"); got != "zero\none\n2" {
		t.Errorf("the buffer has %q", got)
	}
	a.call("save", args{"paths": []string{"a.txt"}})
	if got := e.disk("a.txt"); got != "zero\none\n2\n" {
		t.Errorf("disk has %q", got)
	}
}

// TestASaveLooksWhereTheNameLeads: another program puts a link in place of a file while Neovim prepares to save it for an agent.
func TestASaveLooksWhereTheNameLeads(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n", "d/b.txt": "one\n"}, options{args: []string{"a.txt"}})
	out := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(out, name), []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ file, replaced, by string }{{"a.txt", "a.txt", out + "/a.txt"}, {"d/b.txt", "d", out}} {
		e.lua(fmt.Sprintf("vim.cmd.edit(%q)", c.file))
		a := e.agent(c.file)
		a.edit("str_replace", args{"path": c.file, "old_str": "one", "new_str": "two"})
		e.lua(fmt.Sprintf(`vim.api.nvim_create_autocmd("BufWritePre", { once = true, callback = function()
			assert(vim.uv.fs_rename(%q, "away-" .. %q))
			assert(vim.uv.fs_symlink(%q, %q))
		end })`, c.replaced, c.replaced, c.by, c.replaced))
		if _, err := a.try("save", args{"paths": []string{c.file}}); err == nil || !strings.Contains(err.Error(), "leads elsewhere") {
			t.Errorf("saving %s: %v", c.file, err)
		}
		if got := e.disk(c.file); got != "one\n" {
			t.Errorf("outside, %s is now %q", c.file, got)
		}
	}
}

// TestAFileOperationLooksWhereTheNameLeads: another program makes a name lead out before Neovim makes, renames or deletes a
// file for an agent, or saves one that is not on disk yet.
func TestAFileOperationLooksWhereTheNameLeads(t *testing.T) {
	deletes := func(name string) args {
		return args{"patch": "*** Begin Patch\n*** Delete File: " + name + "\n*** End Patch\n"}
	}
	for name, c := range map[string]struct {
		command string
		args    args
		swapped string // the name, of a file or a folder
	}{
		"an empty file":                   {"create", args{"path": "new.txt", "content": "", "save": true}, "new.txt"},
		"an empty file in a folder":       {"create", args{"path": "d/e/new.txt", "content": "", "save": true}, "d"},
		"a file that is saved":            {"create", args{"path": "new.txt", "content": "new\n", "save": true}, "new.txt"},
		"a file in a folder that is made": {"create", args{"path": "d/e/new.txt", "content": "new\n", "save": true}, "d"},
		"a deletion":                      {"apply_patch", deletes("a.txt"), "a.txt"},
		"a deletion in a folder":          {"apply_patch", deletes("d/b.txt"), "d"},
		"a renaming":                      {"apply_patch", moves("a.txt", "c.txt", ""), "a.txt"},
		"a renaming from a folder":        {"apply_patch", moves("d/b.txt", "c.txt", ""), "d"},
		"a renaming to a folder":          {"apply_patch", moves("a.txt", "d/c.txt", ""), "d"},
		"a renaming to a folder to make":  {"apply_patch", moves("a.txt", "x/y/c.txt", ""), "x"},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"a.txt": "one\n", "d/b.txt": "one\n", "other.txt": "x\n"}, options{args: []string{"other.txt"}})
			a := e.agent("other.txt")
			out := t.TempDir()
			if err := os.CopyFS(out, os.DirFS(e.path("."))); err != nil {
				t.Fatal(err)
			}
			before := files(t, out)
			does := "apply"
			if c.args["save"] == true {
				does = "save"
			}
			e.lua(fmt.Sprintf(`local does, name, out = %q, %q, %q
				local module = require("patchls." .. does)
				local own = module[does]
				module[does] = function(...)
					if vim.uv.fs_lstat(name) then
						assert(vim.uv.fs_rename(name, "away"))
					end
					assert(vim.uv.fs_symlink(out, name))
					module[does] = own
					return own(...)
				end`, does, c.swapped, filepath.Join(out, c.swapped)))
			r, err := a.try(c.command, c.args)
			if told := fmt.Sprintf("%+v, %v", r, err); !strings.Contains(told, "leads elsewhere now") {
				t.Errorf("the answer is %s", told)
			}
			if after := files(t, out); after != before {
				t.Errorf("outside is %s, and was %s", after, before)
			}
		})
	}
}

// files returns the files in a folder, and what they hold.
func files(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintln(&all, path)
			return err
		}
		raw, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %q\n", path, raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

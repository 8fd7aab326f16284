//go:build unix

package nvim_test

import (
	"fmt"
	"strings"
	"testing"
)

// An agent edits what is typed and not saved, and the answer is about the text on screen.
func TestAnAgentEditsWhatIsTyped(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\nthree\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("Otyped<Esc>")
	a.sees(e, "a.txt", "typed")
	r := a.edit("str_replace", args{"path": "a.txt", "old_str": "typed\none", "new_str": "typed\nuno\neins"})
	if got, want := e.text("a.txt"), "typed\nuno\neins\ntwo\nthree"; got != want {
		t.Errorf("the buffer has %q, want %q", got, want)
	}
	if seen := a.call("view", args{"path": "a.txt"}); seen.Rev != r.Files[0].Rev {
		t.Errorf("the answer's rev is %s, and that of the text %s", r.Files[0].Rev, seen.Rev)
	}
	if got := e.disk("a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("disk has %q", got)
	}
	a.edit("edit_lines", args{"path": "a.txt", "edits": []args{
		{"from": 1, "to": 1, "content": "top"}, {"from": 5, "to": 5}, {"from": 3, "content": "between"},
	}})
	if got, want := e.text("a.txt"), "top\nuno\nbetween\neins\ntwo"; got != want {
		t.Errorf("the buffer has %q, want %q", got, want)
	}
	e.expect("#vim.api.nvim_list_wins()", 1)
	e.expect("vim.fn.bufname()", "a.txt")
	e.expect("#NOTES", 0)
}

// A file that is not open is edited in a buffer in the background, and in no window.
func TestAPatchOfOpenAndClosedFiles(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "b.noext": "b\n", "sub/c.lua": "c\n"}
	e := start(t, files, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	patch := ""
	for _, name := range []string{"a.txt", "b.noext", "sub/c.lua"} {
		old := strings.TrimSpace(files[name])
		patch += fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1 +1,2 @@\n-%s\n+%s!\n+more\n", name, name, old, old)
	}
	a.edit("apply_patch", args{"patch": patch})
	for name, content := range files {
		if got, want := e.text(name), strings.TrimSpace(content)+"!\nmore"; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		if e.disk(name) != content {
			t.Errorf("%s was written to disk", name)
		}
	}
	e.expect("#vim.api.nvim_list_wins()", 1)
	e.expect("vim.fn.bufname()", "a.txt")
	e.expect(`vim.fn.buflisted("b.noext") .. vim.fn.buflisted("sub/c.lua")`, "11") // so :ls shows what is unsaved
	created := a.edit("create", args{"path": "new/d.txt", "content": "d\n"})
	if !created.Files[0].Open || e.text("new/d.txt") != "d" {
		t.Errorf("new/d.txt is %q, %+v", e.text("new/d.txt"), created)
	}
	a.call("save", args{"paths": []string{"new/d.txt"}})
	if e.disk("new/d.txt") != "d\n" {
		t.Errorf("new/d.txt on disk is %q", e.disk("new/d.txt"))
	}
}

// A file that an agent has made goes again when that is taken back, alone or because another
// file of the patch cannot be edited; with what the user has typed there it stays.
func TestACreatedFileIsTakenBack(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	made := a.edit("create", args{"path": "new.txt", "content": "new\n"})
	a.call("undo", args{"edit_id": made.EditID})
	e.expect(`vim.fn.bufnr("new.txt")`, -1)
	// Where it cannot be edited it is not made either.
	e.lua(`vim.go.modifiable = false`)
	if _, err := a.try("create", args{"path": "new.txt", "content": "new\n"}); err == nil {
		t.Error("what is not modifiable was edited")
	}
	e.expect(`vim.fn.bufnr("new.txt")`, -1)
	e.lua(`vim.go.modifiable = true
		vim.cmd("edit b.txt | setlocal nomodifiable")`)
	e.attached("b.txt")
	patch := "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Update File: b.txt\n@@\n-b\n+c\n*** End Patch\n"
	if _, err := a.try("apply_patch", args{"patch": patch}); err == nil || !strings.Contains(err.Error(), "Nothing is changed") {
		t.Errorf("the error is %v", err)
	}
	e.expect(`vim.fn.bufnr("new.txt")`, -1)
	made = a.edit("create", args{"path": "new.txt", "content": "new\n"})
	e.lua(`vim.cmd("edit new.txt")`)
	e.keys("Otyped<Esc>")
	if _, err := a.try("undo", args{"edit_id": made.EditID}); err == nil {
		t.Error("what was typed is gone")
	}
	if got := e.text("new.txt"); got != "typed\nnew" {
		t.Errorf("the buffer has %q", got)
	}
}

// Undo takes just the agent's edit, in the middle of an insertion as well, and what was
// typed before and after it is undone by itself.
func TestUndoIsTheAgentsAlone(t *testing.T) {
	for name, line := range map[string]string{"another line": "two", "the line that is typed in": "one"} {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}})
			a := e.agent("a.txt")
			typed := func(before, after string) string {
				return strings.Replace("one"+before+after+"\ntwo", line, line+"+", 1)
			}
			e.keys("A before")
			a.edit("str_replace", args{"path": "a.txt", "old_str": line, "new_str": line + "+"})
			e.expect("vim.api.nvim_get_mode().mode", "i")
			e.keys(" after")
			e.until("what was typed", func() bool { return strings.Contains(e.text("a.txt"), "before after") })
			e.keys("<Esc>")
			var seen []string
			for range 4 {
				seen = append(seen, e.text("a.txt"))
				e.keys("u")
			}
			want := []string{typed(" before", " after"), typed(" before", ""), "one before\ntwo", "one\ntwo"}
			if fmt.Sprintf("%q", seen) != fmt.Sprintf("%q", want) {
				t.Errorf("undone one by one it is\n%q, want\n%q", seen, want)
			}
		})
	}
}

func TestUndoInNormalMode(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("Atyped<Esc>")
	for _, word := range []string{"two", "2"} {
		a.edit("str_replace", args{"path": "a.txt", "old_str": word, "new_str": "2" + word})
	}
	for _, want := range []string{"onetyped\n2two", "onetyped\ntwo", "one\ntwo"} {
		e.keys("u")
		e.until(want, func() bool { return e.text("a.txt") == want })
	}
	for range 3 {
		e.keys("<C-r>")
	}
	e.until("all of it again", func() bool { return e.text("a.txt") == "onetyped\n22two" })
}

// A user who types on while edits come loses nothing, and stays where the cursor is.
func TestTypingOn(t *testing.T) {
	lines := ""
	for i := range 10 {
		lines += fmt.Sprintf("[%d]\n", i)
	}
	e := start(t, map[string]string{"a.txt": lines}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.keys("G")
	e.keys("o")
	typed := ""
	for i := range 10 {
		e.keys("x")
		a.edit("str_replace", args{"path": "a.txt", "old_str": fmt.Sprintf("[%d]", i), "new_str": fmt.Sprintf("more\n<%d>", i)})
		e.keys("y")
		typed += "xy"
	}
	e.keys("<Esc>")
	want := strings.NewReplacer("[", "more\n<", "]", ">").Replace(lines) + typed
	e.until("the text", func() bool { return e.text("a.txt") == want })
	e.expect("vim.api.nvim_win_get_cursor(0)[1]", 21)
}

// Two windows on one buffer, and another one, all stay where they are.
func TestWindowsStay(t *testing.T) {
	text := strings.Repeat("line\n", 50) + "here\n" + strings.Repeat("line\n", 50)
	e := start(t, map[string]string{"a.txt": text, "b.txt": "b\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.lua(`vim.cmd("51 | split | normal! gg")
		vim.cmd("split b.txt")`)
	e.attached("b.txt")
	places := `(function()
		local places = {}
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			local row = vim.api.nvim_win_get_cursor(win)[1]
			table.insert(places, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), row - 1, row, false)[1] .. row)
		end
		return table.concat(places, " ") .. " " .. vim.api.nvim_get_current_win()
	end)()`
	before := e.eval(places).(string)
	if !strings.HasPrefix(before, "b1 line1 here51 ") {
		t.Fatalf("the windows are at %s", before)
	}
	a.edit("insert", args{"path": "a.txt", "after_line": 10, "content": "new\nnew\n"})
	a.edit("insert", args{"path": "a.txt", "after_line": 100, "content": "new\n"})
	e.expect(places, strings.Replace(before, "here51", "here53", 1))
}

// What files are made of comes through: line ends, no newline at the end, other characters.
func TestTextsOfAllKinds(t *testing.T) {
	for name, tt := range map[string]struct{ text, old, new, want string }{
		"CRLF":        {"one\r\ntwo\r\n", "one\ntwo", "one\n1\ntwo", "one\r\n1\r\ntwo\r\n"},
		"no newline":  {"one\ntwo", "two", "two\nthree", "one\ntwo\nthree\n"},
		"BOM":         {"\ufeffone\ntwo\n", "one", "uno", "\ufeffuno\ntwo\n"},
		"emoji":       {"a😀b😀c\n", "b😀c", "b😀😀c", "a😀b😀😀c\n"},
		"several":     {"a a a\n", "a", "bb", "bb bb bb\n"},
		"last line":   {"one\ntwo\n", "two\n", "two\nthree\n", "one\ntwo\nthree\n"},
		"without end": {"one\ntwo\n", "one\n", "", "two\n"},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, map[string]string{"a.txt": tt.text}, options{args: []string{"a.txt"}})
			a := e.agent("a.txt")
			a.edit("str_replace", args{"path": "a.txt", "old_str": tt.old, "new_str": tt.new, "replace_all": true})
			a.call("save", args{"paths": []string{"a.txt"}})
			if got := e.disk("a.txt"); got != tt.want {
				t.Errorf("saved as %q, want %q", got, tt.want)
			}
		})
	}
	e := start(t, map[string]string{"empty.txt": ""}, options{args: []string{"empty.txt"}})
	e.agent("empty.txt").edit("insert", args{"path": "empty.txt", "after_line": 0, "content": "one\n"})
	if got := e.text("empty.txt"); got != "one" {
		t.Errorf("an empty file became %q", got)
	}
}

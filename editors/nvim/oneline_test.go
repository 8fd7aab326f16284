//go:build unix

package nvim_test

import (
	"path/filepath"
	"testing"
)

// TestOneLine: the plugin makes a text fit for one line as the server does, and leaves
// nothing in it that is not, whatever it is made of.
func TestOneLine(t *testing.T) {
	e := start(t, nil, options{})
	table, err := filepath.Abs("../../testdata/oneline.json")
	if err != nil {
		t.Fatal(err)
	}
	e.lua(`
		local fit = require("patchls.oneline").fit
		WRONG = {}
		for _, case in ipairs(vim.json.decode(table.concat(vim.fn.readfile("` + table + `"), "\n"))) do
			local got = fit(case["in"], case.limit)
			if got ~= case.want then
				table.insert(WRONG, case.name .. ": " .. got)
			end
		end
		local parts = { "[", "]", "$", "(", "\n", "\0", "\27[31m", " ", "a", "é", "🙂", "\226\128\174", "\255", "\226\128", "%" }
		for _ = 1, 5000 do
			local text = {}
			for _ = 1, math.random(0, 12) do
				table.insert(text, parts[math.random(#parts)])
			end
			local got = fit(table.concat(text), 6)
			local bad = got:find("[%c%[%]\255]") or got:find("$(", 1, true) or got:find("\226\128\174", 1, true)
			if bad or #vim.str_utf_pos(got) > 6 then
				table.insert(WRONG, vim.inspect(table.concat(text)) .. ": " .. got)
			end
		end`)
	e.expect(`table.concat(WRONG, "|")`, "")
}

// TestConfirmOfDeceivingNames: the names in a question stay in its line, where it is told,
// in the corner, in the title and in the prompt.
func TestConfirmOfDeceivingNames(t *testing.T) {
	const path = "x\nNothing is changed: press a\x1b[31m.txt"
	e := start(t, map[string]string{path: "one\n", "a.txt": "a\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.lua("vim.o.columns = 300")
	done := a.proposes("str_replace", args{"path": path, "old_str": "one", "new_str": "1"})
	inOneLine := func(shown string) {
		t.Helper()
		e.expect("("+shown+`):find("%c") == nil and not (`+shown+`):find("Nothing is changed", 1, true)`, true)
	}
	e.told("an edit waits for :Patchls answer (a tester: ")
	inOneLine(noticed)
	e.lua(`vim.ui.select = function(_, opts) PROMPT = opts.prompt end; vim.cmd("Patchls! answer")`)
	inOneLine("PROMPT")
	e.lua(`vim.cmd("Patchls answer")`)
	e.keys("r")
	if o := <-done; o.err == nil {
		t.Errorf("%+v", o.answer)
	}
}

// TestConfirmOfAGuardedFile: the user is asked though the agent did not want it, and told
// why.
func TestConfirmOfAGuardedFile(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "a\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	done := make(chan outcome, 1)
	go func() {
		got, err := a.try("create", args{"path": ".nvim.lua", "content": "x\n"})
		done <- outcome{got, err}
	}()
	e.told("an edit waits for :Patchls answer (a tester: .nvim.lua)")
	e.lua(`vim.ui.select = function(_, opts) PROMPT = opts.prompt end; vim.cmd("Patchls! answer")`)
	e.expect(`PROMPT:find(".nvim.lua is protected: Neovim runs it", 1, true) ~= nil`, true)
	e.lua(`vim.cmd("Patchls answer reject")`)
	if o := <-done; o.err == nil {
		t.Errorf("%+v", o.answer)
	}
}

//go:build unix

package nvim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// help is the text of the plugin's help.
func help(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("doc/patchls.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// example is the Lua in the help that has a part.
func example(t *testing.T, part string) string {
	t.Helper()
	for _, found := range regexp.MustCompile(`(?s)>lua\n(.*?)\n(?:<|\S)`).FindAllStringSubmatch(help(t), -1) {
		if strings.Contains(found[1], part) {
			return found[1]
		}
	}
	t.Fatalf("the help has no example with %s", part)
	return ""
}

// listening has a server say who can connect.
func (s *server) listening(params string) {
	s.t.Helper()
	s.send(message{Method: "patchls/listening", Params: json.RawMessage(params)})
}

const statusline = `require("patchls").statusline()`

// What the server says of agents is what the user reads, at any time.
func TestStatusOfAgents(t *testing.T) {
	s := standInFor(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}}, newest)
	s.opened("a.txt")
	shows := func(want ...string) {
		t.Helper()
		text := s.eval(`vim.fn.execute("Patchls")`).(string) + s.health()
		for _, part := range want {
			if strings.Count(text, part) != 2 {
				t.Errorf(":Patchls and :checkhealth lack %q: %s", part, text)
			}
		}
	}
	s.expect(statusline, "")
	shows("agents cannot connect: the server has not said why")

	s.listening(`{"socket":"/run/a.sock","window":"w-1"}`)
	s.waitFor(`require("patchls").status().socket or ""`, "/run/a.sock")
	shows("agents can connect at /run/a.sock", "0 agents connected; patchls setup claude sets one up")
	s.expect(statusline, "")
	s.expect(`vim.env.PATCHLS_SOCKET`, "w-1")

	s.listening(`{"socket":"/run/a.sock","window":"w-1","agents":["claude-code","co\ndex"]}`)
	s.waitFor(statusline, "patchls: 2 agents")
	shows("2 agents connected: claude-code, co dex")
	s.expect(`table.concat(require("patchls").status().agents, "|")`, "claude-code|co dex")

	s.lua(`vim.cmd("Patchls pause")`)
	s.expect(statusline, "patchls: paused, 2 agents")
	shows("agents are paused")
	s.expect(`require("patchls").status().paused`, true)
	s.lua(`vim.cmd("Patchls resume")`)

	s.listening(`{"problem":"The folder /run is open to others."}`)
	s.waitFor(statusline, "patchls: closed")
	shows("agents cannot connect: The folder /run is open to others.")
	s.expect(`require("patchls").status().problem`, "The folder /run is open to others.")
	s.expect(`vim.env.PATCHLS_SOCKET or "none"`, "none")

	s.listening(`{}`)
	s.waitFor(`require("patchls").status().problem`, "the server has not said why")
	s.expect(statusline, "")
	_ = s.conn.Close()
	s.waitFor(`require("patchls").status().problem`, "the server is not running")
	s.expect(`require("patchls").status().server`, "stopped")
}

// An agent comes and goes, and the user shuts agents out.
func TestAgentsThatConnect(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}})
	a := e.agent("a.txt")
	e.waitFor(statusline, "patchls: 1 agent")
	e.expect(`require("patchls").status().agents[1]`, "a tester")
	if err := a.conn.Close(); err != nil {
		t.Error(err)
	}
	e.waitFor(statusline, "")

	e = start(t, map[string]string{"a.txt": "one\n"}, options{args: []string{"a.txt"}, config: `{ settings = { agent_socket = false } }`})
	e.waitFor(statusline, "patchls: closed")
	e.expect(`require("patchls").status().problem:find("agent_socket", 1, true) ~= nil`, true)
	e.expect(`vim.env.PATCHLS_SOCKET or "none"`, "none")
}

// The functions do what the commands do, and say whether there was something to do.
func TestLua(t *testing.T) {
	e, _, _ := reviewed(t, options{})
	e.waitFor(shown, lensesOf(1, 3, 5))
	call := func(function string, want bool) {
		t.Helper()
		e.expect(`require("patchls").`+function, want)
	}
	row := func(want int) {
		t.Helper()
		e.expect(`vim.api.nvim_win_get_cursor(0)[1]`, want)
	}
	call("next()", true)
	row(3)
	call("prev()", true)
	row(1)
	call("keep()", true)
	e.noted("Kept hunk 1 of edit")
	e.waitFor(shown, lensesOf(3, 5))
	e.wait(`require("patchls").status().buffer.hunks == 2`)
	call("keep()", false)
	e.noted("no agent's hunk is here")
	call("revert({ all = true })", true)
	e.until("all to be reverted", func() bool { return e.text("a.txt") == "why 1\nkeep\nx 2\nkeep\nx 3" })
	e.waitFor(shown, "")
	call("next()", false)
	e.noted("no agent's hunk is to be reviewed")
	e.lua(`vim.cmd("enew")`)
	for _, function := range []string{"next()", "prev()", "keep({ all = true })", "revert()"} {
		call(function, false)
	}
	e.noted("agents do not see this buffer: it is no buffer of a file")
	e.expect(`require("patchls").status().buffer.attached`, false)
}

// The example in the help shows what is to be reviewed and answered, in the window that it is of.
func TestStatusline(t *testing.T) {
	e, a, _ := reviewed(t, options{init: example(t, "vim.o.statusline")})
	is := func(window, want string) {
		t.Helper()
		drawn := fmt.Sprintf(`vim.api.nvim_eval_statusline(vim.o.statusline, { winid = %s }).str:match("(patchls: .-)%%s%%s") or ""`, window)
		e.waitFor(drawn, want)
	}
	is("0", "patchls: 1 agent, 3 hunks")
	done := a.proposes("str_replace", args{"path": "a.txt", "old_str": "why 1", "new_str": "1"})
	is("0", "patchls: 1 agent, 3 hunks, 1 question")
	e.lua(`FIRST = vim.api.nvim_get_current_win()
		vim.cmd("new")`)
	is("0", "patchls: 1 agent, 1 question")
	is("FIRST", "patchls: 1 agent, 3 hunks, 1 question")
	e.lua(`vim.cmd("close | Patchls answer reject")`)
	<-done
	is("0", "patchls: 1 agent, 3 hunks")
	// What the user takes back by themselves is counted when they are done.
	e.keys("u")
	is("0", "patchls: 1 agent")
}

func TestEventsOfEdits(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "x 1\nkeep\nx 2\n", "b.txt": "b\n"}, options{args: []string{"a.txt"}, init: example(t, `"PatchlsEdit"`) + `
		SEEN = {}
		vim.api.nvim_create_autocmd("User", { pattern = "PatchlsEdit", callback = function(args)
			local d = args.data
			table.insert(SEEN, ("%s %s %s %s %s %d/%d %s"):format(d.edit_id, d.agent, d.command, vim.fs.basename(d.path),
				d.buffer == vim.fn.bufnr(d.path), d.hunks, d.to_review, d.undone))
		end })`})
	a := e.agent("a.txt")
	seen := func(want ...string) {
		t.Helper()
		e.waitFor(`table.concat(SEEN, "\n")`, strings.Join(want, "\n"))
		e.lua("SEEN = {}")
	}
	first := a.edit("str_replace", args{"path": "a.txt", "old_str": "x", "new_str": "why", "replace_all": true}).EditID
	seen(first + " a tester str_replace a.txt true 2/2 false")
	e.expect("vim.g.last_edit", e.path("a.txt")+" by a tester: 2 hunks")
	second := a.edit("apply_patch", args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-keep\n+kept\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n"}).EditID
	seen(second+" a tester apply_patch a.txt true 1/3 false", second+" a tester apply_patch b.txt true 1/1 false")
	a.call("undo", args{"edit_id": first})
	seen(first + " a tester undo a.txt true 0/1 true")
	e.lua(`vim.cmd("2 | Patchls revert")`)
	seen(second + " Neovim revert a.txt true 0/0 true")
}

func TestEventsOfQuestions(t *testing.T) {
	e := start(t, map[string]string{"a.txt": "one\ntwo\n"}, options{args: []string{"a.txt"}, init: example(t, `"PatchlsQuestion"`) + `
		SEEN = {}
		vim.api.nvim_create_autocmd("User", { pattern = "PatchlsQuestion", callback = function(args)
			table.insert(SEEN, args.data)
		end })`})
	a := e.agent("a.txt")
	done := a.proposes("str_replace", args{"path": "a.txt", "old_str": "two", "new_str": "2"})
	e.wait("#SEEN == 1")
	e.expect(`("%s %s %s %s %s"):format(SEEN[1].agent, SEEN[1].command, SEEN[1].paths[1], SEEN[1].why, SEEN[1].waiting)`,
		"a tester str_replace "+e.path("a.txt")+" nil 1")
	e.expect("vim.g.last_question", "a tester: "+e.path("a.txt"))
	e.expect(`require("patchls").status().questions[1].id == SEEN[1].id`, true)
	e.lua(`vim.cmd("Patchls answer apply")`)
	if o := <-done; o.err != nil {
		t.Error(o.err)
	}
	e.expect(`#require("patchls").status().questions`, 0)
}

package lsp_test

import (
	"fmt"
	"strings"
	"testing"
)

// VS Code and coc end at startup on an encoding that they did not list; lsp-mode and
// two clients of Vim list utf-16 and get it wrong. The first one that the client lists
// is taken, none is named where none is listed, and positions are in it.
//
// Fails if editor.New prefers an encoding of its own, if initializeResult names one unasked, or if
// apply.Position counts in another.
func TestHazardPositionEncoding(t *testing.T) {
	type offer struct {
		list      string
		want      string
		character int // of the "x" in `é😀x`
	}
	inBubbles(t, map[string]offer{
		"VS Code":      {`["utf-16"]`, `"utf-16"`, 3},
		"Neovim":       {`["utf-8","utf-16","utf-32"]`, `"utf-8"`, 6},
		"eglot":        {`["utf-32","utf-8","utf-16"]`, `"utf-32"`, 2},
		"unknown":      {`["utf-7","utf-32"]`, `"utf-32"`, 2},
		"only unknown": {`["utf-7"]`, ``, 3},
		"none":         {`[]`, ``, 3},
		"null":         {`null`, ``, 3},
	}, func(t *testing.T, o offer) {
		d := startPlayer(t, "a client unheard of", `"general":{"positionEncodings":`+o.list+`}`)
		if got := string(capabilitiesOf(t, d.hello, "positionEncoding")); got != o.want {
			t.Errorf("the server chose %q, want %q", got, o.want)
		}
		d.opened(doc, 0, "é😀x\n")
		id := d.replace(doc, "x", "y")
		m := d.applyEdit()
		d.wantIn(m, fmt.Sprintf(`"start":{"line":0,"character":%d}`, o.character))
		d.refuse(m, id)
	})
}

// Zed leaves out edits that it has seen, Helix those that overlap, and Neovim makes
// garbage of them, all with a yes. Edits are sorted, disjoint, in range and no longer
// than what differs.
//
// Fails if apply.TextEdits does not keep the order of the text, or if diff.Rewrite leaves in what
// does not differ. (The rest is checked of every edit on every wire.)
func TestHazardOverlappingEdits(t *testing.T) {
	type minimal struct {
		text    string
		command string
		args    args
		sent    string // newText of each edit
		want    string
	}
	inBubbles(t, map[string]minimal{
		"within a line": {"foo(a, b)\n", "str_replace", args{"old_str": "foo(a, b)", "new_str": "foo(a, c)"}, "c", "foo(a, c)\n"},
		"side by side":  {"aaaa\n", "str_replace", args{"old_str": "aa", "new_str": "ab", "replace_all": true}, "b b", "abab\n"},
		"out of order":  {"1\n2\n3\n", "edit_lines", args{"edits": []args{{"from": 3, "to": 3, "content": "c"}, {"from": 1, "to": 1, "content": "a"}}}, "a c", "a\n2\nc\n"},
		"a whole text":  {"1\n2\n3\n4\n", "write", args{"content": "1\n2b\n3\n4b\n"}, "b b", "1\n2b\n3\n4b\n"},
	}, func(t *testing.T, c minimal) {
		c.args["path"] = doc
		d := startPlayer(t, "Zed")
		b := d.opened(doc, 1, c.text)
		id := d.ask(c.command, c.args)
		m := d.applyEdit()
		var sent []string
		for _, e := range d.textEdits(m) {
			sent = append(sent, e.NewText)
		}
		if got := strings.Join(sent, " "); got != c.sent {
			t.Errorf("sent %q, want %q", got, c.sent)
		}
		d.changed(b, 2, d.land(b.text, m))
		d.say(m, yes)
		d.result(id)
		d.wantSheet(b, c.want)
	})
}

// Replacing a whole text moves the user's cursor and marks to other text and takes
// folds, signs and diagnostics with it. What is written whole is sent as what differs,
// and of a text that is emptied one line stays in Neovim, which else gets out of step.
//
// Fails if command.Write sends the text that it was given, or if Change.fitFinalNewline is left
// out.
func TestHazardWholeText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var text strings.Builder
		for i := range 500 {
			fmt.Fprintf(&text, "line %d\n", i)
		}
		after := strings.Replace(strings.Replace(text.String(), "line 100\n", "line hundred\n", 1), "line 400\n", "", 1)
		for command, a := range map[string]args{"write": {"content": after}, "create": {"content": after, "overwrite": true}} {
			d := startPlayer(t, "Neovim")
			d.opened(doc, 1, text.String())
			writeFile(t, d.root+"/a.txt", text.String())
			d.opened(d.file("a.txt"), 1, text.String())
			a["path"] = "a.txt"
			id := d.ask(command, a)
			m := d.applyEdit()
			touched := 0
			for _, e := range d.textEdits(m) {
				touched += int(e.Range.End.Line-e.Range.Start.Line) + 1
			}
			if touched > 4 || len(m.Params) > 1000 {
				t.Errorf("%s touches %d lines with %d bytes", command, touched, len(m.Params))
			}
			d.refuse(m, id)
		}
		d := startPlayer(t, "Neovim")
		d.buffer = d.opened(doc, 1, "one\ntwo\n")
		d.result(d.ask("write", args{"path": doc, "content": ""}))
		d.wantSheet(d.buffer, "\n")
	})
}

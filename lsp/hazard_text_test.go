package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// A lone "\r" ends a line in LSP's text and in no editor: Neovim, Helix, Emacs and Vim
// have it as a character of its line. Mixed line ends are lines all the same.
//
// Fails if the text is split at "\r".
func TestHazard24(t *testing.T) {
	type odd struct {
		text    string
		command string
		args    args
		at      string
		want    string
	}
	inBubbles(t, map[string]odd{
		"after it":    {"a\rb\nc\n", "str_replace", args{"old_str": "c", "new_str": "C"}, `{"line":1,"character":0}`, "a\rb\nC\n"},
		"in its line": {"a\rb\nc\n", "str_replace", args{"old_str": "b", "new_str": "B"}, `{"line":0,"character":2}`, "a\rB\nc\n"},
		"by its line": {"a\rb\nc\nd\n", "delete_lines", args{"start_line": 2, "end_line": 2}, `{"line":1,"character":0}`, "a\rb\nd\n"},
		"at the end":  {"a\nb\r", "insert", args{"before_line": 2, "content": "new"}, `{"line":1,"character":0}`, "a\nnew\nb\r"},
		"mixed ends":  {"x\r\ny\nz\r\n", "delete_lines", args{"start_line": 2, "end_line": 2}, `{"line":1,"character":0}`, "x\r\nz\r\n"},
	}, func(t *testing.T, o odd) {
		d := startPlayer(t, "Neovim")
		b := d.opened(doc, 0, o.text)
		o.args["path"] = doc
		id := d.ask(o.command, o.args)
		m := d.applyEdit()
		d.wantIn(m, `"start":`+o.at)
		d.changed(b, 1, d.land(b.text, m))
		d.say(m, yes)
		d.result(id)
		d.wantSheet(b, o.want)
	})
}

// Helix and kakoune-lsp insert line ends as they are sent, and eglot sends LF for a
// file with CRLF: an edit has the line ends of the text that the client sent. Where the
// client makes all of them one kind, the text that comes back may differ in them.
//
// Fails if line ends are sent as the command has them or as disk has them, or if the
// texts are compared to the byte for a client that normalises.
func TestHazard25(t *testing.T) {
	for name, end := range map[string]string{"CRLF": "\r\n", "LF for a file with CRLF": "\n"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				lines := func(s string) string { return strings.ReplaceAll(s, "\n", end) }
				d := startPlayer(t, "Eglot")
				writeFile(t, d.root+"/a.txt", "one\r\ntwo\r\nthree\r\n")
				b := d.opened(d.file("a.txt"), 0, lines("one\ntwo\nthree\n"))
				d.buffer = b
				d.result(d.ask("str_replace", args{"path": "a.txt", "old_str": "two\nthree", "new_str": "2\n2.5\n3"}))
				d.result(d.ask("insert", args{"path": "a.txt", "after_line": 1, "content": "1.5\r\n1.7\n"}))
				d.result(d.ask("apply_patch", args{"path": "a.txt", "patch": "@@\n one\n+1.2\n"}))
				d.wantSheet(b, lines("one\n1.2\n1.5\n1.7\n2\n2.5\n3\n"))
			})
		})
	}
	t.Run("a closed file, opened as LF", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Eglot")
			writeFile(t, d.root+"/a.txt", "one\r\ntwo\r\n")
			id := d.replace("a.txt", "one", "1\n1.5")
			d.say(d.applyEdit(), yes)
			d.opened(d.file("a.txt"), 0, "1\n1.5\ntwo\n")
			d.result(id)
		})
	})
	t.Run("a closed file, normalised", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Visual Studio Code", `workspace."workspaceEdit":{"normalizesLineEndings":true}`)
			writeFile(t, d.root+"/a.txt", "one\r\ntwo\nthree\r\n")
			id := d.replace("a.txt", "one", "1")
			m := d.applyEdit()
			b := d.opened(d.file("a.txt"), 1, "one\r\ntwo\r\nthree\r\n")
			d.say(m, yes)
			d.changed(b, 2, d.land(b.text, m))
			if r := d.result(id); !contains(strings.Join(r.Notes, " "), "line end") {
				t.Errorf("no note tells of the line ends: %q", r.Notes)
			}
		})
	})
}

// In Neovim the newline at the end is the buffer's: one that is added becomes a blank
// line in the file, and taking it away is done by nobody, with a yes. So no edit does
// either there, and the notes say so; elsewhere it is text like any other.
//
// Fails if edits are sent to Neovim as they are planned.
func TestHazard26(t *testing.T) {
	type ending struct {
		text    string
		command string
		args    args
		want    string // in Neovim
	}
	cases := map[string]ending{
		"to be added":      {"x\ny", "write", args{"content": "x\nY\n"}, "x\nY"},
		"to be removed":    {"x\ny\n", "write", args{"content": "x\nY"}, "x\nY\n"},
		"added by replace": {"x\ny", "str_replace", args{"old_str": "y", "new_str": "Y\n"}, "x\nY"},
		"removed with it":  {"x\ny\n", "str_replace", args{"old_str": "y\n", "new_str": "Y"}, "x\nY\n"},
		"last line goes":   {"x\ny", "delete_lines", args{"start_line": 2, "end_line": 2}, "x"},
		"all lines go":     {"x\ny\n", "delete_lines", args{"start_line": 1, "end_line": 2}, "\n"},
	}
	inBubbles(t, cases, func(t *testing.T, e ending) {
		e.args["path"] = doc
		d := startPlayer(t, "Neovim")
		d.buffer = d.opened(doc, 1, e.text)
		r := d.result(d.ask(e.command, e.args))
		d.wantSheet(d.buffer, e.want)
		if !contains(strings.Join(r.Notes, " "), "newline") {
			t.Errorf("no note tells of the newline: %q", r.Notes)
		}
	})
	t.Run("and nothing else", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			for before, after := range map[string]string{"x\n": "x", "x": "x\n"} {
				d := startPlayer(t, "Neovim")
				b := d.opened(doc, 1, before)
				m := d.reply(d.ask("write", args{"path": doc, "content": after}))
				told := string(m.Result)
				if m.Error != nil {
					told = m.Error.Message
				}
				if !contains(told, "newline") {
					t.Errorf("%q to %q: %s", before, after, told)
				}
				d.wantNoEdit()
				d.wantSheet(b, before)
			}
		})
	})
	t.Run("elsewhere", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Visual Studio Code")
			d.buffer = d.opened(doc, 1, "x\ny")
			d.result(d.ask("write", args{"path": doc, "content": "x\ny\n"}))
			d.wantSheet(d.buffer, "x\ny\n")
			d.result(d.ask("write", args{"path": doc, "content": "x"}))
			d.wantSheet(d.buffer, "x")
		})
	})
}

// An empty buffer of Neovim has the text "\n", and what is inserted there with its
// newline is followed by a blank line.
//
// Fails if the text of a Neovim buffer that disk has nothing for is taken for a blank
// line, or if a new file is sent to Neovim with its newline.
func TestHazard27(t *testing.T) {
	inBubbles(t, map[string]args{
		"write":  {"content": "hello\nworld\n"},
		"create": {"content": "hello\nworld\n", "overwrite": true},
		"insert": {"content": "hello\nworld", "after_line": 0},
	}, func(t *testing.T, a args) {
		command := "write"
		if _, ok := a["overwrite"]; ok {
			command = "create"
		} else if _, ok := a["after_line"]; ok {
			command = "insert"
		}
		d := startPlayer(t, "Neovim")
		writeFile(t, d.root+"/empty.txt", "")
		for _, name := range []string{"empty.txt", "new.txt"} {
			a["path"] = name
			d.buffer = d.opened(d.file(name), 0, "\n")
			d.result(d.ask(command, a))
			d.wantSheet(d.buffer, "hello\nworld\n")
		}
	})
	t.Run("not open yet", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim", operations)
			id := d.ask("create", args{"path": "new.txt", "content": "hello\nworld\n"})
			m := d.applyEdit()
			b := &sheet{uri: d.file("new.txt"), text: d.land("\n", m)}
			d.say(m, yes)
			d.opened(b.uri, 0, b.text)
			d.result(id)
			d.wantSheet(b, "hello\nworld\n")
		})
	})
}

// VS Code and coc end at startup on an encoding that they did not list; lsp-mode and
// two clients of Vim list utf-16 and get it wrong. The first one that the client lists
// is taken, none is named where none is listed, and positions are in it.
//
// Fails if the server prefers an encoding of its own, or names one unasked.
func TestHazard28(t *testing.T) {
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
// Fails if edits are sent in the order of the command, or with the text around what
// differs. (Every edit of every test is held to the rest of it.)
func TestHazard29(t *testing.T) {
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

// Replacing a whole text moves the person's cursor and marks to other text and takes
// folds, signs and diagnostics with it. What is written whole is sent as what differs,
// and of a text that is emptied one line stays in Neovim, which else gets out of step.
//
// Fails if write sends the text that it was given.
func TestHazard30(t *testing.T) {
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

// VS Code says no to an empty list of edits. Where there is nothing to do nothing is
// sent, and a file without text is only created.
//
// Fails if a plan without edits is sent.
func TestHazard31(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code", operations)
		d.opened(doc, 1, "one\n")
		d.failure(d.replace(doc, "one", "one"), "no_change")
		d.failure(d.ask("write", args{"path": doc, "content": "one\n"}), "no_change")
		d.failure(d.ask("apply_patch", args{"path": doc, "patch": "@@\n-zero\n+one\n"}), "already_applied", "no_change")
		d.wantNoEdit()
		id := d.ask("create", args{"path": "new.txt", "content": ""})
		m := d.applyEdit()
		if ops := d.operations(m); len(ops) != 1 || len(d.textEdits(m)) > 0 || strings.Contains(string(m.Params), `"edits"`) {
			t.Errorf("%s", m.Params)
		}
		d.refuse(m, id)
	})
}

// Neovim takes a null for a value, and fails on it. Only a version may be null.
//
// Fails if an optional member is sent as null instead of not at all. (All other
// messages are looked at on every wire.)
func TestHazard32(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Visual Studio Code", operations)
		writeFile(t, d.root+"/a.txt", "one\n")
		d.opened(doc, 1, "one\n")
		for command, a := range map[string]args{
			"str_replace": {"path": "a.txt", "old_str": "one", "new_str": "two"},
			"insert":      {"path": doc, "after_line": 1, "content": "two"},
			"create":      {"path": "new.txt", "content": "one\n"},
			"apply_patch": {"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+two\n*** End Patch\n"},
		} {
			id := d.ask(command, a)
			m := d.applyEdit()
			var params any
			if err := json.Unmarshal(m.Params, &params); err != nil {
				t.Fatal(err)
			}
			if at := nullIn(params, ""); at != "" {
				t.Errorf("%s: %s is null in %s", command, at, m.Params)
			}
			d.refuse(m, id)
		}
	})
}

// Most clients fail on a snippet, and to the others "$1" in an agent's text would be a
// place to type at.
//
// Fails if edits are sent as snippets where the client takes them.
func TestHazard33(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const text = "$1 ${2:x} $0 \\$ }"
		d := startPlayer(t, "Visual Studio Code", `workspace."workspaceEdit":{"snippetEditSupport":true}`)
		b := d.opened(doc, 1, "one\n")
		id := d.replace(doc, "one", text)
		m := d.applyEdit()
		d.wantIn(m, `"newText":`+quote(text))
		d.changed(b, 2, d.land(b.text, m))
		d.say(m, yes)
		d.result(id)
		d.wantSheet(b, text+"\n")
	})
}

// VS Code and Sublime save what is part of a refactoring. Their undo menus show the
// label; Neovim prints it, and asks for a key if it is long.
//
// Fails if metadata is sent, if a label is passed on as the agent gave it, or if Neovim
// gets one.
func TestHazard34(t *testing.T) {
	inBubbles(t, map[string]string{
		"none": "", "of one line": "rename a variable", "of two lines": "first\nsecond", "a long one": strings.Repeat("é", 300), "blank": " \t\n",
	}, func(t *testing.T, label string) {
		for _, client := range []string{"Visual Studio Code", "Neovim"} {
			d := startPlayer(t, client, `workspace."workspaceEdit":{"metadataSupport":true}`)
			d.opened(doc, 1, "one\n")
			id := d.ask("str_replace", args{"path": doc, "old_str": "one", "new_str": "two", "label": label})
			m := d.applyEdit()
			var p map[string]any
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			got, labelled := p["label"].(string)
			switch {
			case p["metadata"] != nil:
				t.Errorf("%s is told of a refactoring: %s", client, m.Params)
			case labelled != (client != "Neovim"):
				t.Errorf("%s gets the label %q", client, got)
			case labelled && (strings.TrimSpace(got) == "" || strings.ContainsAny(got, "\r\n") || utf8.RuneCountInString(got) > longestLabel):
				t.Errorf("%s gets the label %q", client, got)
			}
			d.refuse(m, id)
		}
	})
}

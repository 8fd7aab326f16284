package lsp_test

import (
	"strings"
	"testing"
)

// A lone "\r" ends a line in LSP's text and in no editor: Neovim, Helix, Emacs and Vim
// have it as a character of its line. Mixed line ends are lines all the same.
//
// Fails if Text.Position or Text.Line takes a lone "\r" for a line end.
func TestHazardLoneCR(t *testing.T) {
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
// Fails if diff.Rewrite gives a new line the line end of the command or of the file, if
// Change.fitLineEnds is left out, or if pattern.loose is false for an editor that normalises. (For
// a closed file, loose and inLF or pattern.isBefore make up for each other.)
func TestHazardLineEnds(t *testing.T) {
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
	for name, o := range map[string]struct{ text, sent string }{
		"an open text, whose ends it makes one kind": {"one\r\ntwo\nthree\r\n", "1"},
		"an open text, whose ends it gives the edit": {"one\ntwo\n", "1\r1.5"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, "Visual Studio Code", `workspace."workspaceEdit":{"normalizesLineEndings":true}`)
				b := d.opened(doc, 1, o.text)
				id := d.replace(doc, "one", o.sent)
				m := d.applyEdit()
				d.say(m, yes)
				d.changed(b, 2, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(d.land(b.text, m)))
				if r := d.result(id); !contains(strings.Join(r.Notes, " "), "line end") {
					t.Errorf("no note tells of the line ends: %q", r.Notes)
				}
			})
		})
	}
}

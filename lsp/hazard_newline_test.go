package lsp_test

import (
	"strings"
	"testing"
)

// In Neovim the newline at the end is the buffer's: one that is added becomes a blank
// line in the file, and an edit that takes it away does nothing, with a yes. So no edit does
// either there, and the notes say so; elsewhere it is text like any other.
//
// Fails if Change.fitFinalNewline is left out, or one of its two last cases is.
func TestHazardFinalNewline(t *testing.T) {
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
// Fails if apply.AsSeenIn keeps the lone newline of a Neovim buffer that disk has no text for
// (isBlank), or if Change.fitNewFile leaves a new file its newline.
func TestHazardEmptyBuffer(t *testing.T) {
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
			r := d.result(d.ask(command, a))
			d.wantSheet(d.buffer, "hello\nworld\n")
			if r.Rebased || r.Files[0].Rev != hash(d.buffer.text) || len(r.Notes) > 0 {
				t.Errorf("%+v", r)
			}
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
			if r := d.result(id); r.Rebased || len(r.Notes) != 1 { // that it is not on disk
				t.Errorf("%+v", r)
			}
			d.wantSheet(b, "hello\nworld\n")
		})
	})
}

package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Some editors do not check versions: an edit lands at its old positions, on text that
// was typed meanwhile. It is taken out and made where it belongs. Where both come in one
// didChange they may not be told apart; then the answer is not_settled.
//
// Fails if observer.findMisplaced does not find the edit in the wrong place, if request.repair
// does not take it out, or if request.verdict takes a yes for a landing.
func TestHazardUncheckedVersion(t *testing.T) {
	t.Run("typed, then edited", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "vim-lsp")
			b := d.opened(doc, 0, "a\nb\nc\n")
			id := d.replace(doc, "b", "Bee\nBee")
			m := d.applyEdit()
			d.changed(b, 5, "typed\n"+b.text)
			d.changed(b, 8, d.land(b.text, m)) // "a" is gone
			d.say(m, yes)
			d.buffer = b
			d.result(id)
			d.wantSheet(b, "typed\na\nBee\nBee\nc\n")
		})
	})
	t.Run("both at once", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "vim-lsp")
			b := d.opened(doc, 0, "a\nb\nc\n")
			id := d.replace(doc, "b", "B\nB")
			m := d.applyEdit()
			d.changed(b, 5, d.land("typed\n"+b.text, m))
			d.say(m, yes)
			d.buffer = b
			if d.reply(id).Error == nil {
				d.result(id)
				d.wantSheet(b, "typed\na\nB\nB\nc\n")
			} else {
				d.failure(id, "not_settled")
			}
		})
	})
}

// Neovim checks every version but 0, which is the one after every opening. So it is sent 1
// instead, which any change makes old.
//
// Fails if Change.WorkspaceEdit sends version 0 in spite of Quirks.ZeroUnchecked.
func TestHazardVersionZero(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		b := d.opened(doc, 0, "a\nb\nc\n")
		id := d.replace(doc, "b", "B")
		m := d.applyEdit()
		d.wantIn(m, `"version":1`)
		d.changed(b, 5, "typed\n"+b.text)
		d.say(m, yes) // and it was dropped, as 5 is newer than 1
		m = d.applyEdit()
		d.wantIn(m, `"version":5`)
		d.changed(b, 6, d.land(b.text, m))
		d.say(m, yes)
		d.result(id)
		d.wantSheet(b, "typed\na\nB\nc\n")
	})
}

// An edit is found by its text, on the newest there is: what is typed before the
// command, or while it waits for its turn, is in the plan. What is typed after that
// goes along, in the same didChange as the edit too; and an edit that the editor
// dropped because of it is planned again.
//
// Fails if transaction.apply plans only once, if Engine.Apply sends an edit of an old text
// (observer.isCurrent), if observer.sighting accepts no text but the planned one, or if
// request.verdict does not have an edit planned again that the editor dropped (verdictDropped).
func TestHazardTypingMeanwhile(t *testing.T) {
	t.Run("typed while it waits for its turn", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			b := d.opened(doc, 0, "a\nb\nc\n")
			first := d.replace(doc, "a", "A")
			m := d.applyEdit()
			second := d.replace(doc, "c", "C")
			d.changed(b, 5, d.land(b.text, m))
			d.changed(b, 6, "typed\n"+b.text)
			d.say(m, yes)
			d.result(first)
			m = d.applyEdit()
			d.wantIn(m, `"version":6`, `"line":3`)
			d.changed(b, 7, d.land(b.text, m))
			d.say(m, yes)
			d.result(second)
			d.wantSheet(b, "typed\nA\nb\nC\n")
		})
	})
	t.Run("typed while the edit of another document is unanswered", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			a, b := d.opened(d.file("a.txt"), 1, "a\n"), d.opened(d.file("b.txt"), 1, "b\n")
			first := d.replace("a.txt", "a", "A")
			edit := d.applyEdit()
			second := d.replace("b.txt", "b", "B")
			d.poll() // planned, if it is planned before it can be sent
			d.changed(b, 2, "typed\n"+b.text)
			d.changed(a, 2, d.land(a.text, edit))
			d.say(edit, yes)
			d.result(first)
			m := d.applyEdit()
			d.wantIn(m, `"version":2`, `"line":1`)
			d.changed(b, 3, d.land(b.text, m))
			d.say(m, yes)
			d.result(second)
		})
	})
	t.Run("typed in the same didChange", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "vim-lsp")
			b := d.opened(doc, 0, "a\nb\nc\n")
			id := d.replace(doc, "b", "Bee")
			m := d.applyEdit()
			d.changed(b, 5, d.land(b.text, m)+"typed\n")
			d.say(m, yes)
			if r := d.result(id); !r.Rebased || r.Files[0].Rev != hash("a\nBee\nc\ntyped\n") {
				t.Errorf("%+v", r)
			}
			if len(d.edits) > 0 {
				t.Errorf("it was sent again: %s", d.edits[0].Params)
			}
		})
	})
	t.Run("typed, and the edit dropped with a yes", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			b := d.opened(doc, 3, "a\nb\nc\n")
			id := d.replace(doc, "b", "B")
			m := d.applyEdit()
			d.changed(b, 5, "typed\n"+b.text)
			d.say(m, yes)
			d.buffer = b
			d.result(id)
			d.wantSheet(b, "typed\na\nB\nc\n")
		})
	})
}

// Versions start over with every opening, and jump. One that is lower than the one
// before, within one opening, is a didChange out of order: the text is not to be
// trusted until the document is opened again.
//
// Fails if mirror.didOpen compares a version with those of the last opening, or if Document.Change
// wants versions to be consecutive, or takes a lower one like any other.
func TestHazardVersionJumps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Helix")
		b := d.opened(doc, 9, "one\n")
		d.changed(b, 28, "two\n")
		d.closed(b)
		b = d.opened(doc, 0, "three\n") // Neovim's :edit
		d.changed(b, 28, "four\n")
		id := d.replace(doc, "four", "five")
		m := d.applyEdit()
		d.wantIn(m, `"version":28`)
		d.changed(b, 30, d.land(b.text, m))
		d.say(m, yes)
		d.result(id)

		d.changed(b, 29, "six\n")
		d.failure(d.replace(doc, "six", "seven"), "not_settled")
		d.changed(b, 31, "six\n")
		d.failure(d.replace(doc, "six", "seven"), "not_settled")
		if len(d.edits) > 0 {
			t.Errorf("a text out of order was edited: %s", d.edits[0].Params)
		}
		d.closed(b)
		d.buffer = d.opened(doc, 0, "six\n")
		d.result(d.replace(doc, "six", "seven"))
	})
}

// Zed moves an edit of an older version to where its text is by now. That counts,
// and the answer says where.
//
// Fails if neither pattern.rebase nor observer.sighting finds the planned edits in the text that
// the user has typed in, or if Change.outcomeOf does not call that rebased.
func TestHazardRebasingEditor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Zed")
		b := d.opened(doc, 0, "a\nb\nc\n")
		id := d.replace(doc, "b", "Bee")
		m := d.applyEdit()
		d.changed(b, 1, "typed\n"+b.text)
		d.changed(b, 2, "typed\na\nBee\nc\n")
		d.say(m, yes)
		r := d.result(id)
		if f := r.Files[0]; !r.Rebased || f.Rev != hash(b.text) || f.Version != 2 || len(f.Hunks) != 1 || f.Hunks[0].StartLine != 3 {
			t.Errorf("%+v", r)
		}
		if len(d.edits) > 0 {
			t.Errorf("it was sent again: %s", d.edits[0].Params)
		}
	})
}

// Vim's clients apply an edit of an older version at its old positions. What landed wrong is
// taken out, what was typed stays, and the edit is made where it belongs. Where the user may
// have made the same change nothing is taken out or put back, and the answer says so.
//
// Fails if isMisplacedEdit does not recognise the wrong text, if request.repair leaves it, if
// request.verdict does not have the edit planned again after that, if pattern.isNew accepts a
// deletion as proof, or if evidence.mayKeepQuiet does not have the server wait for a late edit.
func TestHazardStalePosition(t *testing.T) {
	type landing struct {
		command string
		args    args
		typed   func(s string) string
		text    string
		want    string
	}
	above := func(s string) string { return "typed\n" + s }
	const abc = "a\nb\nc\n"
	inBubbles(t, map[string]landing{
		"replaced":     {"str_replace", args{"old_str": "b", "new_str": "Bee"}, above, abc, "typed\na\nBee\nc\n"},
		"inserted":     {"insert", args{"after_line": 2, "content": "new"}, above, abc, "typed\na\nb\nnew\nc\n"},
		"inline":       {"str_replace", args{"old_str": "two", "new_str": "twenty"}, func(s string) string { return ">>" + s }, "one two three\n", ">>one twenty three\n"},
		"several":      {"str_replace", args{"old_str": "x", "new_str": "longer", "replace_all": true}, above, "x\ny\nx\n", "typed\nlonger\ny\nlonger\n"},
		"typed at end": {"insert", args{"after_line": 1, "content": "new"}, func(s string) string { return s + "typed\n" }, abc, "a\nnew\nb\nc\ntyped\n"},
	}, func(t *testing.T, l landing) {
		l.args["path"] = doc
		d := startPlayer(t, "vim-lsp")
		b := d.opened(doc, 1, l.text)
		id := d.ask(l.command, l.args)
		m := d.applyEdit()
		d.changed(b, 2, l.typed(b.text))
		d.say(m, yes)
		d.changed(b, 3, d.land(b.text, m)) // vim-lsp answers first
		d.buffer = b
		d.result(id)
		d.wantSheet(b, l.want)
	})
	t.Run("deleted", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "vim-lsp")
			b := d.opened(doc, 0, abc)
			id := d.ask("delete_lines", args{"path": doc, "start_line": 2, "end_line": 2})
			m := d.applyEdit()
			d.changed(b, 1, "typed\n"+b.text)
			d.changed(b, 2, d.land(b.text, m)) // "a" is gone, and the user may have deleted it
			d.say(m, yes)
			d.buffer = b
			d.failure(id, "not_settled")
			d.wantSheet(b, "typed\nb\nc\n")
		})
	})
	t.Run("late, and so not asked twice", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "coc.nvim")
			b := d.opened(doc, 0, abc)
			id := d.ask("insert", args{"path": doc, "after_line": 1, "content": "new"})
			m := d.applyEdit()
			d.say(m, yes)
			pass(5 * time.Second)
			d.changed(b, 1, d.land(b.text, m))
			d.result(id)
			if d.poll(); len(d.edits) > 0 {
				t.Errorf("it was sent again: %s", d.edits[0].Params)
			}
		})
	})
}

func quoteInt(n int) string {
	raw, _ := json.Marshal(n)
	return string(raw)
}

// An editor may make an edit wrong: take the end of a range as inclusive, so that a character more is
// gone, or add a line end. It reports the edit and its fault as one change. In one change, what touches the edit
// is not what the user has typed, which may be told together with the edit elsewhere, or apart from it.
//
// Fails if observer.sighting does not ask isApart.
func TestHazardInexactEdit(t *testing.T) {
	type wrong struct {
		text, old, put string
		told           string // as it is after the edit
	}
	for name, c := range map[string]wrong{
		"a character after it is gone":               {"bread\n", "bread", "dark bread", "dark read\n"},
		"a bracket after it is gone":                 {"f(1)\n", "1", "1, 2", "f(1, 2\n"},
		"the next line's first letter is gone":       {"a\nbc\n", "a\n", "a\nnew\n", "a\nnew\nc\n"},
		"one of two equal letters is gone":           {"a\nbbc\n", "a\n", "a\nnew\n", "a\nnew\nbc\n"},
		"a character before it is gone":              {"call(one)\n", "one", "one, two", "call(on, two)\n"},
		"the line end after it is gone":              {"say one\nend\n", "one", "one two", "say one twoend\n"},
		"a line end is added":                        {"say one\nend\n", "one", "one two", "say one two\n\nend\n"},
		"a blank is added":                           {"say one\nend\n", "one", "one two", "say one two \nend\n"},
		"its indentation is doubled":                 {"a\n\tb\n", "\tb", "\tnew\n\tb", "a\n\t\tnew\n\tb\n"},
		"the last of several":                        {"x = 1\ny\nx = 1\n", "x = 1", "x = 1234", "x = 1234\ny\nx = 1234y\n"},
		"each of several":                            {"x = 1;\ny\nx = 1;\n", "x = 1", "x = 1234", "x = 1234\ny\nx = 1234\n"},
		"a character more of what it deletes":        {"one two three\n", "two ", "2222 ", "one 2222three\n"},
		"two characters, of which the text has more": {"say one two\n", "one", "one and", "say one andtwo\n"},
	} {
		for _, editor := range []string{"unknown", "Zed", "Eglot", "kak-lsp"} {
			t.Run(name+" in "+editor, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					d := startPlayer(t, editor)
					b := d.opened(doc, 1, c.text)
					id := d.ask("str_replace", args{"path": doc, "old_str": c.old, "new_str": c.put, "replace_all": strings.Contains(name, "several")})
					m := d.applyEdit()
					d.changed(b, 2, c.told)
					d.say(m, yes)
					d.failure(id, "not_settled")
				})
			})
		}
	}
	for name, c := range map[string]wrong{ // put is inserted as a line after old, and an equal line is beside it
		"of the next line, equal to the new one, a letter is gone":        {"b\nx\ny\n", "b\n", "x", "b\nx\n\ny\n"},
		"of the next line, equal at first, a bracket is gone":             {"b\n)\n)))\n", "b\n)\n", ")", "b\n)\n)\n))\n"},
		"of the last line, which gets another after it, a letter is gone": {"b\nend\n", "b\nend\n", "app", "b\nen\napp\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, "Eglot", refreshes)
				d.refresh = func(m message) { d.say(m, "null") }
				b := d.opened(doc, 1, c.text)
				id := d.ask("insert", args{"path": doc, "after_line": strings.Count(c.old, "\n"), "content": c.put})
				m := d.applyEdit()
				d.changed(b, 2, c.told)
				d.say(m, yes)
				if d.failure(id, "not_settled"); len(d.edits) > 0 {
					t.Errorf("the edit was sent again, beside %q", c.told)
				}
			})
		})
	}
	for name, told := range map[string][]string{
		"typed elsewhere, in the same change": {"one two three four x\n"},
		"typed next to it, after":             {"one two three\n", "one two xthree\n"},
		"typed into it, after":                {"one two three\n", "one twoo three\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, "Zed")
				b := d.opened(doc, 1, "one three\n")
				if strings.Contains(name, "same") {
					d.changed(b, 2, "one three four\n")
				}
				id := d.replace(doc, "one three", "one two three")
				m := d.applyEdit()
				for i, s := range told {
					d.changed(b, 3+i, s)
				}
				d.say(m, yes)
				if r := d.result(id); !r.Verified {
					t.Errorf("%+v", r)
				}
			})
		})
	}
}

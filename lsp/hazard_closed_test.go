package lsp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchls/patchls/lsp/transaction"
)

// An editor that takes the edit of a closed file may open it before or after its
// answer, with the edit in it or without, or never say a word of it. Then the answer
// comes all the same, and says that nothing was seen.
//
// Fails if evidence.mayKeepQuiet has the server wait for a file that is not open, if
// observer.observe takes the text of a didOpen for the one before the edit, or if
// transaction.result calls an edit verified that was not seen.
func TestHazardUnannouncedFile(t *testing.T) {
	type script func(d *player, m message)
	open := func(d *player, version int, s string) *sheet { return d.opened(d.file("a.txt"), version, s) }
	inBubbles(t, map[string]script{
		"VS Code": func(d *player, m message) {
			b := open(d, 1, "one\n")
			d.say(m, yes)
			d.changed(b, 2, d.land(b.text, m))
		},
		"Helix": func(d *player, m message) {
			b := open(d, 0, "one\n")
			d.changed(b, 1, d.land(b.text, m))
			d.say(m, yes)
		},
		"vim-lsp": func(d *player, m message) {
			d.say(m, yes)
			pass(700 * time.Millisecond)
			open(d, 1, "two\n")
		},
		"Neovim": func(d *player, m message) {
			d.say(m, yes)
			open(d, 0, "two\n")
		},
		"Neovim, late": func(d *player, m message) {
			b := open(d, 0, "one\n")
			d.say(m, yes)
			pass(150 * time.Millisecond)
			d.changed(b, 4, "two\n")
		},
	}, func(t *testing.T, play script) {
		d := startPlayer(t, "a client unheard of")
		writeFile(t, d.root+"/a.txt", "one\n")
		id := d.replace("a.txt", "one", "two")
		play(d, d.applyEdit())
		if f := d.result(id).Files[0]; !f.Open || !f.Dirty {
			t.Errorf("%+v", f)
		}
	})
	t.Run("never", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			writeFile(t, d.root+"/a.txt", "one\n")
			id := d.replace("a.txt", "one", "two")
			d.say(d.applyEdit(), yes)
			var r transaction.Result
			if raw := d.reply(id).Result; json.Unmarshal(raw, &r) != nil || !r.Applied || r.Verified || len(r.Notes) == 0 {
				t.Errorf("%s", raw)
			}
			d.took(400 * time.Millisecond)
		})
	})
}

// The text of an open file is the editor's, of a closed one the disk's, and of a new
// one what the editor says that it begins with: "\n" in Neovim, nothing elsewhere.
//
// Fails if Workspace.read reads the disk for an open document, if it takes a document that is not
// on disk to be empty, or if Documents.Close keeps the text.
func TestHazardDiskOrBuffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		writeFile(t, d.root+"/a.txt", "disk 1\n")
		d.failure(d.replace("a.txt", "buffer", "x"), "no_match")
		b := d.opened(d.file("a.txt"), 0, "buffer\n")
		writeFile(t, d.root+"/a.txt", "disk 2\n")
		d.failure(d.replace("a.txt", "disk", "x"), "no_match")
		d.closed(b)
		d.failure(d.replace("a.txt", "buffer", "x"), "no_match")
		writeFile(t, d.root+"/a.txt", "disk 3\n")
		id := d.replace("a.txt", "disk 3", "x")
		d.refuse(d.applyEdit(), id)

		for name, first := range map[string]string{"neovim.txt": "\n", "other.txt": ""} {
			b := d.opened(d.file(name), 0, first)
			d.buffer = b
			f := d.result(d.ask("write", args{"path": name, "content": "hello\nworld\n"})).Files[0]
			if got := strings.TrimSuffix(b.text, "\n"); got != "hello\nworld" || f.Rev != hash(b.text) {
				t.Errorf("%s is %q now, and the answer is %+v", name, b.text, f)
			}
			d.result(d.replace(name, "world", "there"))
			d.buffer = nil
		}
	})
}

// kakoune-lsp writes files that are closed, or open and unchanged, to disk itself. The
// agent is told that they are saved.
//
// Fails if Change.outcomeOnDisk does not look at the disk, or if Outcome.SavedBy does not call
// what was written saved.
func TestHazardWritesToDisk(t *testing.T) {
	for name, says := range map[string]bool{"without a word": false, "with a didOpen": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, "kak-lsp")
				writeFile(t, d.root+"/a.txt", "one\n")
				id := d.replace("a.txt", "one", "two")
				m := d.applyEdit()
				d.say(m, yes) // before the edit is done
				pass(50 * time.Millisecond)
				writeFile(t, d.root+"/a.txt", d.land("one\n", m))
				if says {
					d.opened(d.file("a.txt"), 1, d.land("one\n", m))
				}
				if f := d.result(id).Files[0]; !f.Saved || f.Dirty || f.Open != says {
					t.Errorf("%+v", f)
				}
			})
		})
	}
	t.Run("open and unchanged", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "kak-lsp")
			writeFile(t, d.root+"/a.txt", "one\n")
			b := d.opened(d.file("a.txt"), 1, "one\n")
			id := d.replace("a.txt", "one", "two")
			m := d.applyEdit()
			d.say(m, yes)
			writeFile(t, d.root+"/a.txt", "two\n")
			d.changed(b, 2, "two\n")
			if f := d.result(id).Files[0]; !f.Saved || f.Dirty {
				t.Errorf("%+v", f)
			}
		})
	})
}

// eglot asks the user about a file that is not open, and may answer after minutes. The
// server does nothing to speed it up and serves others meanwhile. An edit that comes
// when no command waits for it any more is a text like any other. (Every wire is checked for
// window/showDocument.)
//
// Fails if request.await ends the wait for an answer after the usual delay, or if Session.Begin
// lets a command take longer than it may.
func TestHazardAsksTheUser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Eglot")
		for i, name := range []string{"a.txt", "b.txt"} {
			writeFile(t, d.root+"/"+name, fmt.Sprintf("one %d\n", i))
		}
		id := d.replace("a.txt", "one", "two")
		m := d.applyEdit()
		pass(5 * time.Second) // the user reads
		d.opened(d.file("a.txt"), 0, d.land("one 0\n", m))
		d.say(m, yes)
		d.result(id)
		d.took(5 * time.Second)

		id = d.replace("b.txt", "one", "two")
		m = d.applyEdit()
		d.opened(doc, 0, "meanwhile\n")
		if look := d.reply(d.ask("view", args{"path": doc})); look.Error != nil {
			t.Errorf("nothing can be read while the user is asked: %+v", look.Error)
		}
		d.failure(id, "timeout")
		d.took(8 * time.Second)
		pass(time.Minute)
		b := d.opened(d.file("b.txt"), 0, d.land("one 1\n", m))
		d.say(m, yes)
		d.buffer = b
		d.result(d.replace("b.txt", "two", "three"))
		d.wantSheet(b, "three 1\n")
	})
}

// A document that is closed and opened again has other versions, and its editor refuses
// edits of the old ones. Once the document is open again and the edit refused, the
// server knows this: it plans the edit anew at once, and waits for nothing else.
//
// Fails if evidence.explainsRejection does not look at renumbered or holds while the document is
// closed, or if request.decide takes any no for final.
func TestReopenedDocumentIsEditedAtOnce(t *testing.T) {
	type act func(d *player, m message, b *sheet)
	no := func(d *player, m message, _ *sheet) { d.say(m, `{"applied":false}`) }
	types := func(d *player, _ message, b *sheet) { d.changed(b, 3, "typed\n"+b.text) }
	closes := func(d *player, _ message, b *sheet) { d.closed(b) }
	opens := func(d *player, _ message, b *sheet) { b.text = "one\n"; d.opened(b.uri, 1, b.text) }
	waits := func(*player, message, *sheet) { pass(100 * time.Millisecond) }
	inBubbles(t, map[string][]act{
		"before the no":               {closes, opens, no},
		"around the no":               {closes, no, opens},
		"behind the no":               {no, closes, opens},
		"closed a while":              {closes, no, waits, opens},
		"after a key":                 {types, closes, no, opens},
		"after a key, closed a while": {types, closes, no, waits, opens},
	}, func(t *testing.T, acts []act) {
		for _, unsaved := range []string{"one\n", "one\nunsaved\n"} {
			d := startPlayer(t, "a client unheard of")
			writeFile(t, d.root+"/a.txt", "one\n")
			b := d.opened(d.file("a.txt"), 1, "one\n")
			d.changed(b, 2, unsaved)
			id := d.replace("a.txt", "one", "two")
			m := d.applyEdit()
			began := time.Now()
			for _, act := range acts {
				act(d, m, b)
			}
			slept := time.Since(began)
			m = d.applyEdit()
			if v := d.version(m); v == nil || *v != 1 {
				t.Errorf("the edit is for version %v", v)
			}
			d.changed(b, 2, d.land(b.text, m))
			d.say(m, yes)
			d.result(id)
			d.took(slept)
			d.wantSheet(b, "two\n")
		}
	})
}

// If a document is opened again with the version that it had, the edit still fits it: reopening
// does not explain a no, and the edit may yet be made.
//
// Fails if observer.facts sets renumbered without a look at the versions: the line is then put in
// twice.
func TestReopenedWithTheSameVersion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "a client unheard of")
		writeFile(t, d.root+"/a.txt", "one\n")
		b := d.opened(d.file("a.txt"), 1, "one\n")
		id := d.ask("insert", args{"path": "a.txt", "after_line": 1, "content": "two"})
		m := d.applyEdit()
		d.closed(b)
		b = d.opened(b.uri, 1, b.text)
		d.say(m, `{"applied":false}`)
		pass(time.Millisecond)
		d.poll()
		d.changed(b, 2, d.land(b.text, m))
		d.result(id)
		if len(d.edits) > 0 {
			t.Errorf("the edit was sent again: %s", d.edits[0].Params)
		}
		d.wantSheet(b, "one\ntwo\n")
	})
}

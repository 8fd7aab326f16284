package lsp_test

import (
	"testing"
	"time"
)

// VS Code and Neovim say with each change how long its range is in their text. A range that
// is not here, or has another length here, shows that the texts differ. Then no agent may edit
// the document until its text comes again.
//
// Fails if Change.fits takes any range, if mirror.didChange believes the lengths of an editor that
// is not known to count right (Quirks.Lengths), or if mirror.didSave does not take the text of a
// document that is not known.
func TestChangeThatDoesNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		client, change string
		known          bool
	}{
		"it fits":            {"Neovim", `{"range":{"start":{"line":0,"character":3},"end":{"line":1,"character":3}},"rangeLength":4,"text":"X"}`, true},
		"another length":     {"Neovim", `{"range":{"start":{"line":0,"character":3},"end":{"line":1,"character":3}},"rangeLength":5,"text":"X"}`, false},
		"in one line":        {"Visual Studio Code", `{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":3}},"rangeLength":3,"text":"X"}`, false},
		"beyond the line":    {"Visual Studio Code", `{"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":4}},"rangeLength":0,"text":"X"}`, false},
		"beyond the text":    {"Neovim", `{"range":{"start":{"line":4,"character":0},"end":{"line":4,"character":0}},"rangeLength":0,"text":"X"}`, false},
		"not to be believed": {"Eglot", `{"range":{"start":{"line":0,"character":3},"end":{"line":1,"character":3}},"rangeLength":5,"text":"X"}`, true},
		"nothing said":       {"Neovim", `{"range":{"start":{"line":0,"character":3},"end":{"line":1,"character":3}},"text":"X"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, c.client)
				b := d.opened(doc, 1, "one\ntwo\n")
				d.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":2},"contentChanges":[%s]}}`, doc, c.change)
				id := d.replace(doc, "one", "three")
				if c.known {
					d.refuse(d.applyEdit(), id)
					return
				}
				d.failure(id, "not_settled")
				d.wantNoEdit()
				d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":"one\ntwo\n"}}`, doc)
				id = d.replace(doc, "one", "three")
				if c.client == "Neovim" {
					d.failure(id, "not_settled") // it goes on to tell of changes of the other text
					d.closed(b)
					b = d.opened(doc, 2, "one\ntwo\n")
					id = d.replace(doc, "one", "three")
				}
				b.version = 2
				d.buffer = b
				d.result(id)
				d.wantSheet(b, "three\ntwo\n")
			})
		})
	}
}

// While Neovim previews a command that the user is typing, it makes edits and reports none
// of them, nor what results from them later. So after a yes that no change follows, the
// document is not known until a save shows that the texts agree.
//
// Fails if request.verdict does not mark the document (Documents.Desync), or if mirror.didSave
// leaves the mark on a text that fits.
func TestSilenceOfAPreview(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim", refreshes)
		d.refresh = func(refresh message) { d.say(refresh, "null") }
		b := d.opened(doc, 4, "one\ntwo\n")
		id := d.ask("insert", args{"path": doc, "after_line": 1, "content": "new"})
		d.say(d.applyEdit(), yes)
		d.failure(id, "not_settled")
		d.failure(d.replace(doc, "two", "2"), "not_settled")
		if d.poll(); len(d.edits) > 0 {
			t.Errorf("a document that is not known was edited: %s", d.edits[0].Params)
		}

		save := func(text string) {
			d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%s}}`, doc, quote(text))
		}
		save("one\nnew\ntwo\n")
		d.failure(d.replace(doc, "two", "2"), "not_settled")
		save("one\ntwo\n")
		d.buffer = b
		d.result(d.replace(doc, "two", "2"))
		d.wantSheet(b, "one\n2\n")
		pass(time.Second)
	})
}

// Neovim may change a text and not tell the server. An edit that a plugin made by version shows it then,
// since its change has more in it than was planned. None of it is taken back, for the rest is
// the user's, and the document is not known until a save shows that it fits.
//
// Fails if observer.attribute takes the change for an edit in the wrong place.
func TestHazardUntoldChange(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim", `"experimental":{"patchls":{"versions":true}}`)
		b := d.opened(doc, 1, "one\ntwo\n")
		id := d.ask("insert", args{"path": doc, "after_line": 1, "content": "new"})
		edit := d.applyEdit()
		d.changed(b, 2, "one\nnew\nTWO\n") // it had TWO before
		d.say(edit, `{"applied":true,"versions":{"before":1,"after":2}}`)
		d.failure(id, "not_settled")
		d.failure(d.replace(doc, "one", "1"), "not_settled")
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":%q},"text":%s}}`, doc, quote(b.text))
		id = d.replace(doc, "one", "1")
		edit = d.applyEdit() // the first one since, so that nothing was taken back
		d.changed(b, 3, d.land(b.text, edit))
		d.say(edit, `{"applied":true,"versions":{"before":2,"after":3}}`)
		d.result(id)
		d.wantSheet(b, "1\nnew\nTWO\n")
	})
}

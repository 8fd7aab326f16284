package lsp_test

import (
	"encoding/json"
	"testing"
	"time"
)

// "applied: true" is no proof: only the text is, and the answer is about that
// text.
//
// Fails if request.decide or request.verdict takes the client's yes for a landing, or if
// Server.fileResult returns the version that was planned on.
func TestHazardAppliedTrue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "coc.nvim", refreshes)
		d.refresh = func(refresh message) { d.say(refresh, "null") }
		b := d.opened(doc, 3, "one\n")
		id := d.replace(doc, "one", "two")
		for range 5 {
			d.say(d.applyEdit(), yes) // and nothing is done
		}
		d.failure(id, "not_settled")

		id = d.replace(doc, "one", "two")
		m := d.applyEdit()
		d.changed(b, 7, "something else\n")
		d.say(m, yes)
		d.failure(id, "not_settled", "no_match")

		id = d.replace(doc, "else", "new")
		m = d.applyEdit()
		d.changed(b, 8, d.land(b.text, m))
		d.say(m, yes)
		if f := d.result(id).Files[0]; f.Rev != hash("something new\n") || f.Version != 8 {
			t.Errorf("the answer is about another text: %+v", f)
		}
	})
}

// Each edit comes a key too late, and Neovim drops it with a yes. It is planned again for as long
// as the user types, since it is certain that nothing was done.
//
// Fails if request.verdict does not set NotAppliedError.Stale for verdictDropped.
func TestEditThatIsStaleWithEveryKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		b := d.opened(doc, 3, "one\n")
		id := d.replace(doc, "one", "two")
		for i := range 12 {
			m := d.applyEdit()
			d.changed(b, 4+i, "x"+b.text)
			d.say(m, yes)
		}
		m := d.applyEdit()
		d.changed(b, 16, d.land(b.text, m))
		d.say(m, yes)
		d.result(id)
		d.wantSheet(b, "xxxxxxxxxxxxtwo\n")
	})
}

// The didChange comes before the answer, or as late after it as is usual with the
// client. Neither is a reason to send the edit again.
//
// Fails if Quirks.Settle of VS Code or Sublime Text is shorter than the delay here, if that of
// another editor is shorter and evidence.mayKeepQuiet is false for it, or if request.decide waits
// though the text is there already.
func TestHazardLateDidChange(t *testing.T) {
	for name, lag := range map[string]time.Duration{
		"Visual Studio Code":  time.Millisecond,
		"Neovim":              150 * time.Millisecond,
		"Sublime Text LSP":    300 * time.Millisecond,
		"Eglot":               500 * time.Millisecond,
		"Vim":                 700 * time.Millisecond,
		"vim-lsp":             700 * time.Millisecond,
		"a client unheard of": 1100 * time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, name)
				b := d.opened(doc, 0, "one\n")
				id := d.replace(doc, "one", "two")
				m := d.applyEdit()
				d.say(m, yes)
				pass(lag)
				d.changed(b, 5, d.land(b.text, m))
				d.result(id)
				d.took(lag)

				id = d.replace(doc, "two", "three")
				m = d.applyEdit()
				d.changed(b, 6, d.land(b.text, m))
				d.say(m, yes)
				d.result(id)
				d.took(0)
				if len(d.edits) > 0 {
					t.Errorf("the edit was sent again: %s", d.edits[0].Params)
				}
			})
		})
	}
}

const refreshes = `workspace."diagnostics":{"refreshSupport":true}`

// A client that holds its didChange back until it has something to ask is made to ask:
// the server sends a refresh of diagnostics, Neovim answers with pulls, and these come
// after the didChange. The answer to a pull is always empty.
//
// Fails if phase.next does not flush after a yes, if Engine.prepareEditor does not flush before an
// edit (Quirks.HoldsBack), if diagnostic waits for the turn of a command, if Editor.CanFlush is
// true for Zed or a client without refreshSupport, or if evidence.verdict never returns
// verdictPreviewing.
func TestHazardHeldBackChanges(t *testing.T) {
	t.Run("the text was held back", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim", refreshes)
			var provider struct{ InterFileDependencies, WorkspaceDiagnostics *bool }
			raw := capabilitiesOf(t, d.hello, "diagnosticProvider")
			if err := json.Unmarshal(raw, &provider); err != nil || provider.InterFileDependencies == nil || *provider.InterFileDependencies || provider.WorkspaceDiagnostics == nil || *provider.WorkspaceDiagnostics {
				t.Errorf("diagnosticProvider is %s", raw)
			}
			b, other := d.opened(doc, 4, "one\n"), d.opened(d.file("b.txt"), 0, "one\n")
			d.pull(1001, doc)
			d.refresh = func(refresh message) { d.say(refresh, "null") } // nothing is held back yet
			id := d.replace(doc, "one", "two")
			m := d.applyEdit()
			d.say(m, yes)
			asked := 0
			d.refresh = func(refresh message) { // a pull for each buffer, and the edited one is not the first
				asked++
				d.pull(1002, other.uri)
				d.changed(b, 5, d.land(b.text, m))
				d.pull(1003, doc)
				d.say(refresh, "null")
			}
			d.result(id)
			d.took(0) // Neovim is asked at once
			if asked != 1 || len(d.edits) > 0 {
				t.Errorf("%d refreshes, and further edits %v", asked, d.edits)
			}
		})
	})
	t.Run("typing was held back before the edit", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Eglot", refreshes)
			b := d.opened(doc, 0, "one\n")
			d.refresh = func(refresh message) {
				d.changed(b, 1, "typed\n"+b.text)
				d.say(refresh, "null")
				d.refresh = nil
			}
			id := d.replace(doc, "one", "two")
			m := d.applyEdit()
			d.wantIn(m, `"version":1`, `"line":1`)
			d.changed(b, 2, d.land(b.text, m))
			d.say(m, yes)
			d.result(id)
		})
	})
	t.Run("there was no text to hold back", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "coc.nvim", refreshes)
			d.refresh = func(refresh message) { d.say(refresh, "null") }
			b := d.opened(doc, 0, "one\n")
			id := d.replace(doc, "one", "two")
			d.say(d.applyEdit(), yes)
			m := d.applyEdit() // planned again
			d.changed(b, 5, d.land(b.text, m))
			d.say(m, yes)
			d.result(id)
		})
	})
	// Neovim makes edits while it previews a command, and tells of them later: five times
	// "yes" were five edits (seen on 0.12.4 and 0.10.4, with :s/one/two half typed).
	t.Run("Neovim made it and tells of nothing", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim", refreshes)
			d.refresh = func(refresh message) { d.say(refresh, "null") }
			d.opened(doc, 4, "one\n")
			id := d.replace(doc, "one", "one!")
			d.say(d.applyEdit(), yes)
			d.failure(id, "not_settled")
			if len(d.edits) > 0 {
				t.Errorf("further edits %v", d.edits)
			}
		})
	})
	// Neovim 0.7 has no such request, and begins its delay anew with every key.
	t.Run("an old Neovim tells of it when the user rests", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			b := d.opened(doc, 4, "one\n")
			id := d.replace(doc, "one", "one!")
			m := d.applyEdit()
			d.say(m, yes)
			pass(5 * time.Second)
			d.changed(b, 40, d.land(b.text, m))
			d.changed(b, 41, "typed all along\n"+b.text)
			d.result(id)
			if len(d.edits) > 0 {
				t.Errorf("further edits %v", d.edits)
			}
		})
	})
	for name, client := range map[string][]string{"on Zed": {"Zed", refreshes}, "where it is not declared": {"coc.nvim", `"x":1`}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := startPlayer(t, client[0], client[1])
				if raw := capabilitiesOf(t, d.hello, "diagnosticProvider"); raw != nil {
					t.Errorf("diagnosticProvider is %s", raw)
				}
				d.opened(doc, 0, "one\n")
				id := d.replace(doc, "one", "two")
				d.say(d.applyEdit(), yes)
				d.failure(id, "not_settled") // and the wire is watched for a refresh
			})
		})
	}
}

// pull asks for diagnostics as clients do, and waits for the answer.
func (d *player) pull(id int, uri string) {
	d.t.Helper()
	d.send(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/diagnostic","params":{"textDocument":{"uri":%q}}}`, id, uri)
	m := d.reply(id)
	var report struct {
		Kind  string
		Items []any
	}
	if m.Error != nil || json.Unmarshal(m.Result, &report) != nil || report.Kind != "full" || report.Items == nil || len(report.Items) > 0 {
		d.t.Errorf("the answer to a pull is %+v %s", m.Error, m.Result)
	}
}

package lsp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// An editor that runs a command serves the server's requests and sends its changes
// before it has the answer. Changes are taken in their order, however many commands
// are under way.
//
// Fails if Dispatcher.Handle runs a command before it calls jsonrpc2.Async, or if
// Dispatcher.notified handles a didChange on another goroutine than the one that reads.
func TestHazardNestedRequest(t *testing.T) {
	t.Run("commands while the user types", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			const commands = 20
			d := startPlayer(t, "emacs")
			b := d.opened(doc, 0, "")
			typed := func() { d.changed(b, b.version+1, fmt.Sprintf("line %d\n%s", b.version, b.text)) }
			var ids []int
			for i := range commands {
				typed()
				ids = append(ids, d.replace(doc, fmt.Sprintf("line %d\n", i), fmt.Sprintf("LINE %d\n", i)))
			}
			d.buffer = b
			for _, id := range ids {
				d.result(id)
			}
			d.took(0)
			var want strings.Builder
			for i := range commands {
				fmt.Fprintf(&want, "LINE %d\n", commands-1-i)
			}
			d.wantSheet(b, want.String())
		})
	})
	t.Run("a change that takes long to take in", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "emacs")
			b := d.opened(doc, 0, "")
			d.changed(b, 1, strings.Repeat("line\n", 500_000)+"one\n")
			id := d.replace(doc, "one", "two")
			d.buffer = b
			d.result(id)
		})
	})
}

// One applyEdit is unanswered at a time on a connection. A document whose text has not
// settled holds up its own edits, and those of no other.
//
// Fails if Engine.Apply does not wait for its turn in Engine.sends, or if Run.takeTurns takes one
// queue for all documents.
func TestHazardOneInFlight(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		a, b := d.opened(d.file("a.txt"), 1, "one\n"), d.opened(d.file("b.txt"), 1, "one\n")
		first := d.replace("a.txt", "one", "two")
		edit := d.applyEdit()
		second := d.replace("a.txt", "two", "three")
		other := d.replace("b.txt", "one", "two")
		pass(3 * time.Second)
		if d.poll(); len(d.edits) > 0 {
			t.Errorf("an edit was sent while one is unanswered: %s", d.edits[0].Params)
		}
		answered := time.Now()
		d.say(edit, yes) // the text comes later
		m := d.applyEdit()
		d.wantIn(m, "b.txt")
		d.changed(b, 2, d.land(b.text, m))
		d.say(m, yes)
		d.result(other)
		if took := time.Since(answered); took != 0 {
			t.Errorf("the edit of b.txt waited %v for a.txt", took)
		}
		if d.poll(); len(d.edits) > 0 || len(d.answers) > 1 {
			t.Errorf("a.txt went on before its text was there: %v", d.edits)
		}
		pass(100 * time.Millisecond)
		d.changed(a, 2, d.land(a.text, edit))
		d.buffer = a
		d.result(first)
		d.result(second)
		d.wantSheet(a, "three\n")
	})
}

// An undo of an edit that does not exist is answered at once, and holds up no command: else it would wait
// for the commands before it, as long as an editor takes, and later commands would wait for the undo.
//
// Fails if Session.makeTakeBack waits for all texts to undo an edit that is not there.
func TestUndoOfNoEditWaitsForNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		b := d.opened(doc, 1, "one\n")
		first := d.replace(doc, "one", "two")
		edit := d.applyEdit()
		for _, command := range []string{"undo", "revert"} {
			d.failure(d.ask(command, args{"edit_id": "e999"}), "nothing_to_undo")
		}
		d.took(0)
		d.changed(b, 2, d.land(b.text, edit))
		d.say(edit, yes)
		d.result(first)
	})
}

// cancel cancels a command.
func (d *player) cancel(id int) {
	d.t.Helper()
	d.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, id)
}

// lsp-mode waits 10 s for the answer to a command, Neovim 1 s if it is told to. All
// tries of a command, and its wait for others, end within apply_timeout_ms. A cancel
// counts until the edit is sent, and not after.
//
// Fails if each try has its own time, if the time begins in Run.Wait and not in Session.Begin, if
// Dispatcher.CancelRequest does nothing, or if a cancel ends the wait for a text that may still
// come (transaction.apply passes Run.Ctx to Engine.Apply, and not Run.Bounded).
func TestHazardCommandDeadline(t *testing.T) {
	type ending struct {
		settings string
		play     func(d *player)
		kind     string
		after    time.Duration
	}
	say := func(d *player) {
		for range 5 {
			d.say(d.applyEdit(), yes)
		}
	}
	inBubbles(t, map[string]ending{
		"no answer":        {`{}`, func(d *player) { d.applyEdit() }, "timeout", 8 * time.Second},
		"no answer, 500ms": {`{"apply_timeout_ms":500}`, func(d *player) { d.applyEdit() }, "timeout", 500 * time.Millisecond},
		"yes five times":   {`{}`, say, "not_settled", 5 * 400 * time.Millisecond},
		"yes, 500ms":       {`{"apply_timeout_ms":500}`, func(d *player) { d.say(d.applyEdit(), yes); d.say(d.applyEdit(), yes) }, "not_settled", 500 * time.Millisecond},
	}, func(t *testing.T, e ending) {
		d := startPlayer(t, "coc.nvim", refreshes, `;"initializationOptions":`+e.settings)
		d.refresh = func(refresh message) { d.say(refresh, "null") }
		d.opened(doc, 1, "one\n")
		id := d.replace(doc, "one", "two")
		e.play(d)
		d.failure(id, e.kind)
		d.took(e.after)
	})
	t.Run("waiting for others", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			d.opened(doc, 1, "one\n")
			first := d.replace(doc, "one", "two")
			d.applyEdit()
			pass(7 * time.Second)
			d.failure(d.replace(doc, "one", "three"), "timeout")
			d.took(8 * time.Second)
			d.failure(first, "timeout")
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "Neovim")
			b := d.opened(doc, 1, "one\n")
			first := d.replace(doc, "one", "two")
			m := d.applyEdit()
			second := d.replace(doc, "one", "three")
			d.cancel(second)
			d.failure(second, "cancelled")
			d.took(0)
			d.cancel(first)
			if d.poll(); len(d.answers) > 1 {
				t.Errorf("a cancel after the edit was sent: %s", d.answers[first].Result)
			}
			d.changed(b, 2, d.land(b.text, m))
			d.say(m, yes)
			d.result(first)
			if d.poll(); len(d.edits) > 0 {
				t.Errorf("a cancelled edit was sent: %s", d.edits[0].Params)
			}
		})
	})
}

package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/lsp/view"
)

// Clients send other ranges than they were sent: Neovim whole lines for an edit
// within one, others the least that differs, and each may send the whole text.
//
// Fails if Document.Change keeps the ranges that it is sent (changeset.Replaced), or if
// observer.landingOf and observer.sighting look for a change with the ranges of the edit. (Either
// of these two makes up for the other.)
func TestHazardOtherRanges(t *testing.T) {
	inBubbles(t, map[string]string{
		"whole lines": `{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"text":"one 2\n"}`,
		"the least":   `{"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}},"text":"2"},{"range":{"start":{"line":0,"character":5},"end":{"line":0,"character":7}},"text":""}`,
		"everything":  `{"text":"one 2\nthree\n"}`,
	}, func(t *testing.T, changes string) {
		d := startPlayer(t, "Neovim")
		d.opened(doc, 0, "one two\nthree\n")
		id := d.replace(doc, "two", "2")
		m := d.applyEdit()
		d.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":5},"contentChanges":[%s]}}`, doc, changes)
		d.say(m, yes)
		d.result(id)
	})
}

// Neovim without debounce sends one didChange for each edit, the last one first.
// What is read meanwhile is the text before or after, and the next edit waits.
//
// Fails if Engine.Read shows a text that is half made (request.isHalfMade), or if Session.makeEdit
// gives its turn back before the text has settled.
func TestHazardTransientText(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const before, after = "x = x\nx\n", "y = y\ny\n"
		d := startPlayer(t, "Neovim")
		b := d.opened(doc, 0, before)
		first := d.ask("str_replace", args{"path": doc, "old_str": "x", "new_str": "y", "replace_all": true})
		m := d.applyEdit()
		d.changed(b, 4, "x = x\ny\n")
		look := d.ask("view", args{"path": doc})
		second := d.replace(doc, "y = y", "z")
		synctest.Wait() // all that can be answered is answered
		d.changed(b, 5, "x = y\ny\n")
		synctest.Wait()
		d.changed(b, 6, after)
		d.say(m, yes)
		d.result(first)
		var v view.View
		if raw := d.reply(look); json.Unmarshal(raw.Result, &v) != nil || v.Rev != hash(before) && v.Rev != hash(after) {
			t.Errorf("a text on its way was shown: %s", raw.Result)
		}
		if m := d.applyEdit(); d.land(after, m) != "z\ny\n" {
			t.Errorf("the next edit is planned on another text: %s", m.Params)
		} else {
			d.changed(b, 7, "z\ny\n")
			d.say(m, yes)
		}
		d.result(second)
	})
}

// False, null, an error and things that are none of these are all a no; and where
// no answer comes at all, the text decides.
//
// Fails if Engine.callApplyEdit takes an error, or any answer that decodes, for a yes; or if a
// text that has the edit does not count without an answer, neither after the usual delay
// (phase.next) nor at the end of the command's time (request.await).
func TestHazardSpellingsOfNo(t *testing.T) {
	no := func(result string) string { return `"result":` + result }
	inBubbles(t, map[string]string{
		"false": no(`{"applied":false}`), "null": no("null"), "applied is null": no(`{"applied":null}`),
		"nothing applied": no("{}"), "a list": no("[]"), "a string": no(`"ok"`), "a number for it": no(`{"applied":1}`),
		"an error": `"error":{"code":32603,"message":"require version 7, you have 8"}`,
	}, func(t *testing.T, answer string) {
		d := startPlayer(t, "Eglot")
		b := d.opened(doc, 0, "one\n")
		id := d.replace(doc, "one", "two")
		d.send(`{"jsonrpc":"2.0","id":%s,%s}`, d.applyEdit().ID, answer)
		d.failure(id, "rejected_by_editor")

		id = d.replace(doc, "one", "two") // the answer is wrong, the text is right
		m := d.applyEdit()
		d.changed(b, 1, d.land(b.text, m))
		d.send(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
		d.result(id)
	})
	t.Run("none", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			d := startPlayer(t, "ALE")
			b := d.opened(doc, 0, "one\n")
			id := d.replace(doc, "one", "two")
			m := d.applyEdit()
			d.changed(b, 1, d.land(b.text, m))
			d.result(id)

			id = d.replace(doc, "two", "three")
			d.applyEdit()
			d.failure(id, "timeout")
			d.took(8 * time.Second)
		})
	})
}

// A reason is for people. Known reasons are put in words, and none permits a second
// try: on a file with a swap file the second try succeeds, behind the back of the other
// Neovim.
//
// Fails if request.decide does not end at a reason that answer.knownReason explains, or if a
// reason is removed from the list there.
func TestHazardFinalRefusal(t *testing.T) {
	type known struct {
		reason string
		words  []string // of which the message has one
		open   bool     // before the command
	}
	swap, readOnly, version := []string{"another neovim", "other neovim", "swap file"}, []string{"read-only"}, []string{"a fault of patchls", "a bug in patchls"}
	inBubbles(t, map[string]known{
		"a swap file":                        {"Vim:E325: ATTENTION", swap, false},
		"a swap file of an open document":    {"Vim:E325: ATTENTION", swap, true},
		"not modifiable":                     {"...util.lua:503: Buffer is not 'modifiable'", readOnly, false},
		"an open document, not modifiable":   {"...util.lua:503: Buffer is not 'modifiable'", readOnly, true},
		"no version":                         {"...util.lua:391: attempt to compare number with nil", version, false},
		"an open document without a version": {"...util.lua:391: attempt to compare number with nil", version, true},
	}, func(t *testing.T, k known) {
		d := startPlayer(t, "Neovim")
		writeFile(t, d.root+"/a.txt", "one\n")
		if k.open {
			d.opened(d.file("a.txt"), 0, "one\n")
		}
		id := d.replace("a.txt", "one", "two")
		m := d.applyEdit()
		if !k.open {
			d.opened(d.file("a.txt"), 0, "one, typed\n") // it is loaded all the same
		}
		d.say(m, fmt.Sprintf(`{"applied":false,"failureReason":%q}`, k.reason))
		f := d.failure(id, "rejected_by_editor")
		if !contains(f.Message, k.words...) {
			t.Errorf("the message has none of %q: %s", k.words, f.Message)
		}
		if len(d.edits) > 0 {
			t.Errorf("it was tried again: %s", d.edits[0].Params)
		}
	})
}

// The editor says yes but no change follows, and it says no when the same edit is sent
// again: the first may still come, so the answer must not say that the text is as it was.
//
// Fails if Retry.Ended passes a rejection on as it is.
func TestNoAfterYes(t *testing.T) {
	var asked atomic.Int32
	s := start(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, answering(
		func(context.Context, *headless.Editor, *applyParams, applyNext) (applyResult, error) {
			return applyResult{Applied: asked.Add(1)%2 == 1, FailureReason: "no"}, nil
		}))
	s.open("a.txt")
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Update File: b.txt\n@@\n-one\n+two\n*** End Patch\n"
	for command, a := range map[string]args{"str_replace": oneToTwo, "apply_patch": {"patch": patch}} {
		if f := s.fail(command, a); f.Kind != "not_settled" || !strings.Contains(f.Message, "may still come") || strings.Contains(f.Message, "as it was") {
			t.Errorf("%s: %+v", command, f)
		}
	}
}

// Neovim makes an edit in several places one place after the other, from the last to the first.
// When that fails in between (as with E315, while the user types a command that it previews),
// it says no and leaves what it has made. That is taken out again if only the editor can have
// made it; else the answer says that the text has it.
//
// Fails if evidence.verdict does not call a text unclear that has a part behind a no
// (verdictUnclear).
func TestHazardPartBehindANo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const failed = `{"applied":false,"failureReason":"util.lua:409: Vim:E315: ml_get: Invalid lnum: 40"}`
		d := startPlayer(t, "Neovim")
		b := d.opened(doc, 0, "one\ntwo\n1\n")
		id := d.ask("edit_lines", args{"path": doc, "edits": []args{{"from": 1, "to": 1, "content": "first"}, {"from": 3, "to": 3, "content": "third"}}})
		edit := d.applyEdit()
		d.say(edit, failed)
		d.changed(b, 4, "one\ntwo\nthird\n")
		d.buffer = b
		d.failure(id, "not_settled")
		d.wantSheet(b, "one\ntwo\n1\n")

		d.buffer = nil
		id = d.ask("edit_lines", args{"path": doc, "edits": []args{{"from": 1, "to": 1, "content": "two"}, {"from": 3, "to": 3, "content": "2"}}})
		edit = d.applyEdit()
		d.say(edit, failed)
		d.changed(b, b.version+4, "one\ntwo\n2\n")
		d.failure(id, "not_settled")
		if d.poll(); len(d.edits) > 0 {
			t.Errorf("what the user may have typed was edited: %s", d.edits[0].Params)
		}
	})
}

// Neovim may report an edit and what the user did right after it in one change, which matches
// neither. If the edit only deletes, nothing in the text is the edit's, but the text that it
// was to delete is missing; then it is not planned again, which would delete other lines, or
// be refused as if nothing were done.
//
// Fails if observer.isUnmade takes an edit that put nothing in for one that was not made.
func TestHazardToldWithTyping(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		b := d.opened(doc, 0, "some one\nsome two\nsome three\n")
		id := d.ask("delete_lines", args{"path": doc, "start_line": 2, "end_line": 2})
		edit := d.applyEdit()
		d.say(edit, yes)
		d.changed(b, 4, "any one\nany three\n")
		d.failure(id, "not_settled")
		if d.poll(); len(d.edits) > 0 {
			t.Errorf("it was sent again: %s", d.edits[0].Params)
		}
	})
}

package lsp_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// wantIn checks that the parameters of an applyEdit hold these pieces of JSON.
func (d *player) wantIn(m message, pieces ...string) {
	d.t.Helper()
	for _, piece := range pieces {
		if !strings.Contains(string(m.Params), piece) {
			d.t.Errorf("no %s in %s", piece, m.Params)
		}
	}
}

// refuse answers an applyEdit with a no, and records the answer to its command.
func (d *player) refuse(m message, id int) {
	d.t.Helper()
	d.say(m, `{"applied":false}`)
	d.failure(id, "rejected_by_editor")
}

// A version is always there: a number for an open document, and null for
// a closed one. Without it Neovim and Sublime fail. Neovim does not check version 0, so it
// is sent 1.
//
// Fails if Change.WorkspaceEdit leaves the version out where it is null, or sends 0 or null for 0.
func TestHazardExplicitVersion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		writeFile(t, d.root+"/a.txt", "one\n")
		id := d.replace("a.txt", "one", "two")
		m := d.applyEdit()
		d.wantIn(m, `"documentChanges":[{"textDocument":{`, `"version":null`)
		d.refuse(m, id)
		for version, sent := range map[int]int{0: 1, 7: 7} {
			d.opened(d.file("a.txt"), version, "one\n")
			id = d.replace("a.txt", "one", "two")
			m = d.applyEdit()
			d.wantIn(m, `"documentChanges":[{"textDocument":{`, `"version":`+quoteInt(sent))
			d.refuse(m, id)
		}
	})
}

// Older clients apply both members of a workspace edit that has both, one after the
// other. documentChanges is sent though Neovim does not declare it.
//
// Fails if Change.WorkspaceEdit has changes as well, or instead where documentChanges is not
// declared.
func TestHazardBothChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startPlayer(t, "Neovim")
		writeFile(t, d.root+"/a.txt", "one\n")
		d.opened(doc, 0, "one\n")
		for _, path := range []string{"a.txt", doc} {
			id := d.replace(path, "one", "two")
			m := d.applyEdit()
			var p struct{ Edit map[string]json.RawMessage }
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			if _, ok := p.Edit["documentChanges"]; !ok || len(p.Edit) != 1 {
				t.Errorf("the workspace edit is %s", m.Params)
			}
			d.refuse(m, id)
		}
	})
}

// checksTheFirst applies edits as Neovim does: only the version of the first
// document counts, a stale one is dropped, and the answer is yes whatever happens.
func checksTheFirst(e *headless.Editor, p *applyParams, next applyNext) applyResult {
	for i := range p.Edit.DocumentChanges {
		id := &p.Edit.DocumentChanges[i].TextDocument
		b, open := e.Buffer(id.URI)
		if !open || id.Version == nil {
			continue
		}
		if i == 0 && *id.Version < b.Version() {
			return applyResult{Applied: true}
		}
		now := b.Version()
		id.Version = &now
	}
	next(p)
	return applyResult{Applied: true}
}

// Neovim looks at the version of the first document only: the second one of an edit
// is changed blindly, on whatever the user has typed there meanwhile.
//
// Fails if Session.makePatch sends two documents in one applyEdit.
func TestHazardSecondDocument(t *testing.T) {
	var sent atomic.Int32
	s := start(t, map[string]string{"a.txt": "a1\na2\n", "b.txt": "b1\nb2\n", "c.txt": "c1\nc2\n"}, answering(
		func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
			if n := len(p.Edit.DocumentChanges); n != 1 {
				t.Errorf("%d documents in one applyEdit", n)
			}
			if sent.Add(1) == 1 {
				b, _ := e.Buffer("b.txt")
				if err := b.Insert(0, "typed\n"); err != nil {
					return applyResult{}, err
				}
			}
			return checksTheFirst(e, p, next), nil
		}))
	a, b, c := s.open("a.txt"), s.open("b.txt"), s.open("c.txt")
	s.edit("apply_patch", args{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-a2\n+A2\n*** Update File: b.txt\n@@\n-b2\n+B2\n*** Update File: c.txt\n@@\n-c2\n+C2\n*** End Patch\n"})
	if got := a.Text() + b.Text() + c.Text(); got != "a1\nA2\ntyped\nb1\nB2\nc1\nC2\n" {
		t.Errorf("the buffers have %q", got)
	}
}

// A user who types in each moment between an edit and the editor's no delays the edit, and does not
// end it: it is planned again until the command's time is up.
//
// Fails if request.verdict counts a no for an outdated version as one of MaxTries.
func TestTypingDelaysAnEdit(t *testing.T) {
	inBubbles(t, map[string]int{"a while": 30, "without rest": 1 << 20}, func(t *testing.T, races int) {
		for _, editor := range []string{"Visual Studio Code", "Eglot", "unknown"} {
			d := startPlayer(t, editor)
			b := d.opened(doc, 1, "one\n")
			began := time.Now()
			id := d.replace(doc, "one", "two")
			m := d.applyEdit()
			for n := 0; n < races && time.Since(began) < 7800*time.Millisecond; n++ {
				pass(200 * time.Millisecond)
				d.changed(b, b.version+1, b.text+"x")
				d.say(m, `{"applied":false}`)
				m = d.applyEdit()
			}
			if races > 100 {
				pass(time.Second)
				if f := d.failure(id, "timeout"); !strings.Contains(f.Message, "send it again") {
					t.Error(f.Message)
				}
				continue
			}
			d.changed(b, b.version+1, d.land(b.text, m))
			d.say(m, yes)
			d.result(id)
			d.wantSheet(b, "two\n"+strings.Repeat("x", races))
		}
	})
}

package lsp

import (
	"fmt"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Change is one change of one document: what is planned, on which text.
type Change struct {
	workspace.Snapshot
	kind    string // as results call the change
	plan    edits.Plan
	after   text.Text
	rebased bool         // it is about a newer text than the command was
	to      paths.Target // of a rename
	pins    *pins        // the places in histories that the command needs
	// withOthers: it is one of several, so an editor that would tell of it must.
	withOthers bool
	// mustBeNew: a file that is there is not to be made.
	mustBeNew bool
	// mends: it puts right what the editor has done wrong.
	mends bool
}

// diff returns the change as a unified diff.
func (j *Change) diff() string {
	before, after, t, es := "a/"+j.Path, "b/"+j.Path, j.Text, j.plan.Edits
	switch j.kind {
	case editor.Rename:
		after = "b/" + j.to.Path
		return fmt.Sprintf("diff --git %s %s\nrename from %s\nrename to %s\n", edits.QuotedName(before), edits.QuotedName(after), edits.QuotedName(j.Path), edits.QuotedName(j.to.Path))
	case editor.Delete:
		after = "/dev/null"
	case editor.Create:
		before = "/dev/null"
		// What is sent may be less: an editor may have a newline in every new buffer.
		if es = nil; j.after.Len() > 0 {
			es = edits.Edits{{New: j.after.String()}}
		}
	}
	if j.BOM { // the editor has the text without it, and saves it with it
		t, es = text.New(text.BOM+t.String()), es.Shifted(len(text.BOM))
	}
	if j.kind == editor.Delete && t.Len() > 0 {
		es = edits.Edits{{End: t.Len()}}
	}
	return edits.Unified(edits.QuotedName(before), edits.QuotedName(after), t, es)
}

func (j *Change) failure(kind edits.Kind, format string, args ...any) error {
	return &edits.Error{Kind: kind, Path: j.Path, Message: fmt.Sprintf(format, args...)}
}

// pins are the places in histories that a command still needs. It is safe for
// concurrent use.
type pins struct {
	mu     sync.Mutex
	unpins []func()
}

// pin keeps a place in a history; false if it is not there any more.
func (p *pins) pin(of *history.History, seq int) bool {
	unpin, ok := of.Pin(seq)
	if ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unpins = append(p.unpins, unpin)
	}
	return ok
}

// release gives all places up.
func (p *pins) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, unpin := range p.unpins {
		unpin()
	}
	p.unpins = nil
}

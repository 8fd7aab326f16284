package apply

import (
	"fmt"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// Change is one change of one document: what is planned, on which text.
type Change struct {
	workspace.Snapshot
	Kind    string // as results call the change
	Plan    edits.Plan
	After   text.Text
	Rebased bool         // it is about a newer text than the command was
	To      paths.Target // of a rename
	Pins    *Pins        // the places in histories that the command needs
	// WithOthers: it is one of several, so an editor that would tell of it must.
	WithOthers bool
	// MustBeNew: a file that is there is not to be made.
	MustBeNew bool
	// repairs: it puts right what the editor has done wrong.
	repairs bool
}

// Diff returns the change as a unified diff.
func (j *Change) Diff() string {
	before, after, t, es := "a/"+j.Path, "b/"+j.Path, j.Text, j.Plan.Edits
	switch j.Kind {
	case editor.Rename:
		after = "b/" + j.To.Path
		return diff.Unified(before, after, t, nil, "diff --git "+diff.QuotedName(before)+" "+diff.QuotedName(after),
			"rename from "+diff.QuotedName(j.Path), "rename to "+diff.QuotedName(j.To.Path))
	case editor.Delete:
		after = "/dev/null"
	case editor.Create:
		before = "/dev/null"
		// What is sent may be less: an editor may have a newline in every new buffer.
		if es = nil; j.After.Len() > 0 {
			es = edits.Edits{{New: j.After.String()}}
		}
	}
	if j.BOM { // the editor has the text without it, and saves it with it
		t, es = text.New(text.BOM+t.String()), es.Shifted(len(text.BOM))
	}
	if j.Kind == editor.Delete && t.Len() > 0 {
		es = edits.Edits{{End: t.Len()}}
	}
	return diff.Unified(before, after, t, es)
}

// Failure returns an error about the document of a change.
func (j *Change) Failure(kind edits.Kind, format string, args ...any) error {
	return &edits.Error{Kind: kind, Path: j.Path, Message: fmt.Sprintf(format, args...)}
}

// Pins are the places in histories that a command still needs. It is safe for
// concurrent use.
type Pins struct {
	mu     sync.Mutex
	unpins []func()
}

// Pin keeps a place in a history; false if it is not there any more.
func (p *Pins) Pin(of *history.History, seq int) bool {
	unpin, ok := of.Pin(seq)
	if ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unpins = append(p.unpins, unpin)
	}
	return ok
}

// Release gives all places up.
func (p *Pins) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, unpin := range p.unpins {
		unpin()
	}
	p.unpins = nil
}

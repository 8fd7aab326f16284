package reference

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Call is one call of a reference tool: a [Reader], an [Edit] or an [Undo].
type Call interface {
	// Refused returns e in the tool's words; e is its own to change. The kind
	// stays the contract's.
	Refused(e *edits.Error) *edits.Error
}

// Reader is a call that shows a text.
type Reader interface {
	Call
	// Read reads the text, and notes in the session what it shows of it.
	Read(s Session) (*Reading, error)
}

// Edit is a call that edits a text.
type Edit interface {
	Call
	commands.Edit
	// Said words what an edit came to: the change that it was, what was planned, and the
	// text now.
	Said(change string, plan edits.Plan, now text.Text) string
}

// carried returns a native command with the numbers that its lines have now; ok is false if one
// of them is not there as it was, or if it has none.
func carried(e commands.Edit, m *lines.Map) (now commands.Edit, ok bool) {
	if by, lined := e.(commands.ByLines); lined {
		return by.At(m)
	}
	return e, false
}

// Undo is a call that takes the newest edit of a text back.
type Undo interface {
	Call
	// Undo says of which text.
	Undo() (path string, options commands.EditOptions)
	// Undone words what it came to; snippet shows the text, if it is there.
	Undone(snippet string) string
}

// SnapshotPlanner is an [Edit] whose plan depends on what the agent was shown. PlanOn is called
// in place of Plan.
type SnapshotPlanner interface {
	PlanOn(s Session, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error)
	// Carried reports whether line numbers were carried over to a newer text.
	Carried() bool
}

// Session is what the calls of an agent are made in. All must be set.
type Session struct {
	// Workspace returns the documents and files as the agent may touch them now.
	Workspace func() *workspace.Workspace
	// Read reads a text to show it.
	Read  func(w *workspace.Workspace, place paths.Target) (workspace.Snapshot, error)
	Shown *lines.Ledger // what the agent has seen of each text
	// Source returns a text for planning, with the bounds of what errors say of it.
	Source func(path string, t text.Text, work *edits.Work) edits.Source
}

// Reading is the answer of a reference tool that shows a text or a directory.
// Message is what the tool itself would have said; the rest is as in the answer of view, and
// the lines are those that Message shows.
type Reading struct {
	Message    string   `json:"message"`
	Path       string   `json:"path"`
	URI        string   `json:"uri"`
	Rev        string   `json:"rev"`
	Version    int32    `json:"version"`
	Open       bool     `json:"open"`
	Dirty      bool     `json:"dirty"`
	TotalLines int      `json:"total_lines"`
	StartLine  int      `json:"start_line"`
	EndLine    int      `json:"end_line"`
	Notes      []string `json:"notes"`
}

// reading returns the answer about snap, whose lines [from,to] it shows, and
// remembers that they were shown.
func (s Session) reading(snap workspace.Snapshot, from, to int, message string) *Reading {
	s.Shown.Showed(snap.Key, snap.Text, from, to)
	r := &Reading{
		Message: message, Path: snap.Path, URI: snap.URI, Rev: snap.Text.Hash(), Open: snap.Doc != nil,
		TotalLines: snap.Text.Lines(), StartLine: from, EndLine: to, Notes: []string{},
	}
	if snap.Doc != nil {
		r.Version = snap.Doc.Version
		r.Dirty = paths.IsDirty(snap.Target, snap.Text)
	}
	return r
}

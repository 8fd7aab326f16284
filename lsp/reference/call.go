package reference

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Call is one call of a reference tool: one that shows a text, that edits one, or that takes the
// newest edit of one back. The other two are nil.
type Call struct {
	// Read reads the text, and notes in the session what it shows of it.
	Read func(s Session) (*Reading, error)
	Edit *Edit
	Undo *Undo

	refused func(e *edits.Error) // puts e in the tool's words
}

// Refused returns err in the words of the tool. The kind stays the contract's.
func (c *Call) Refused(err error) error {
	var e *edits.Error
	if !errors.As(err, &e) {
		return err
	}
	own := *e
	c.refused(&own)
	return &own
}

// Edit is a call that edits a text, by a native command.
type Edit struct {
	commands.Edit
	// Said words what the edit came to: the change that it was, what was planned, and the
	// text now.
	Said func(change string, plan edits.Plan, now text.Text) string
	// ByLedger, if set, is called to plan in place of Plan: the plan depends on what the agent
	// was shown. moved reports whether line numbers were carried over to a newer text.
	ByLedger func(native commands.Edit, s Session, snap workspace.Snapshot, work *edits.Work) (plan edits.Plan, moved bool, err error)
	// Moved is what ByLedger last reported.
	Moved bool

	find func(w *workspace.Workspace) (paths.Target, error) // in place of the target's path
}

// Target implements [commands.Edit].
func (e *Edit) Target() commands.Target {
	t := e.Edit.Target()
	t.Find = e.find
	return t
}

// At implements [commands.ByLines].
func (e *Edit) At(m *lines.Map) (commands.Edit, bool) {
	by, ok := e.Edit.(commands.ByLines)
	if !ok {
		return e, false
	}
	now := *e
	now.Edit, ok = by.At(m)
	return &now, ok
}

// PlanOn plans the edit on snap.
func (e *Edit) PlanOn(s Session, snap workspace.Snapshot, work *edits.Work) (plan edits.Plan, err error) {
	if e.ByLedger == nil {
		return e.Plan(s.Source(snap.Path, snap.Text, work))
	}
	plan, e.Moved, err = e.ByLedger(e.Edit, s, snap, work)
	return plan, err
}

// Size implements [commands.Sized].
func (e *Edit) Size() (n commands.Size) {
	if sized, ok := e.Edit.(commands.Sized); ok {
		n = sized.Size()
	}
	return n
}

// Undo is a call that takes the newest edit of the text at Path back.
type Undo struct {
	Path    string
	Options commands.EditOptions
	// Said words what it came to; snippet shows the text, if it is there.
	Said func(snippet string) string
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
func (s Session) reading(snap workspace.Snapshot, from, to int, message string, notes ...string) *Reading {
	s.Shown.Showed(snap.Key, snap.Text, from, to)
	r := &Reading{
		Message: message, Path: snap.Path, URI: snap.URI, Rev: snap.Text.Hash(), Open: snap.Doc != nil,
		TotalLines: snap.Text.Lines(), StartLine: from, EndLine: to, Notes: append([]string{}, notes...),
	}
	if snap.Doc != nil {
		r.Version = snap.Doc.Version
		r.Dirty = paths.IsDirty(snap.Target, snap.Text)
	}
	return r
}

// given are the arguments of a call as they were sent, without those that are null.
type given map[string]jsontext.Value

func givenTo(command string, arguments []jsontext.Value) (given, error) {
	object, err := schema.Object(command, arguments)
	g := given(object)
	g.withoutNulls()
	return g, err
}

// decoded decodes the arguments of a call, and returns them as they were sent.
func decoded(command string, arguments []jsontext.Value, dst any) (given, error) {
	g, err := givenTo(command, arguments)
	if err == nil {
		err = schema.DecodeObject(command, g, dst)
	}
	return g, err
}

// valueOf returns what p points at, the zero value if that is nothing.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (g given) withoutNulls() {
	maps.DeleteFunc(g, func(_ string, raw jsontext.Value) bool { return string(raw) == "null" })
}

// only refuses arguments that have no part in what is asked for, as by the action "read", which
// takes these and those that are always taken.
func (g given) only(what, which string, takes []string, always ...string) error {
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if !slices.Contains(takes, name) && !slices.Contains(always, name) {
			return schema.Invalid("%q has no part in the %s %s, which takes %s", name, what, which, strings.Join(takes, ", "))
		}
	}
	return nil
}

// read resolves and reads a path.
func (s Session) read(resolve func(w *workspace.Workspace) (paths.Target, error)) (workspace.Snapshot, error) {
	w := s.Workspace()
	place, err := resolve(w)
	if err != nil {
		return workspace.Snapshot{}, err
	}
	return s.Read(w, place)
}

// outOfRange is an error about lines that snap does not have.
func outOfRange(kind edits.Kind, snap workspace.Snapshot, format string, args ...any) error {
	return workspace.About(edits.Errorf(kind, format, args...), snap)
}

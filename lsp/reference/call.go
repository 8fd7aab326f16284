package reference

import (
	"cmp"
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

// Call is one call of a reference tool. It shows a text, edits a text, or takes back the newest
// edit of a text: just one of Read, Edit and Undo is set.
type Call struct {
	// Read reads the text, and records in the session which lines it shows.
	Read func(s Session) (*Reading, error)
	Edit *Edit
	Undo *Undo

	refused func(e *edits.Error) // rewords e as the tool would
}

// Refused returns err in the words of the tool. Its kind remains that of the contract.
func (c *Call) Refused(err error) error {
	e, ok := errors.AsType[*edits.Error](err)
	if !ok {
		return err
	}
	own := *e
	if i := strings.LastIndex(own.Message, "; "); own.Rev != "" && i >= 0 && strings.Contains(own.Message[i:], own.Rev) {
		own.Message = own.Message[:i] + "; view the file again, and then send what you mean." // the tools have no rev
	}
	c.refused(&own)
	return &own
}

// Edit is a call that edits a text with a native command.
type Edit struct {
	commands.Edit
	// Report returns the tool's message about the edit, from the kind of the change, the plan, and
	// the text after it, and which lines of that text the message shows.
	Report func(change string, plan edits.Plan, now text.Text) (string, lines.Spans)

	unread string                                             // the error for line numbers that the agent was not shown; "" if it need not have been
	find   func(w *workspace.Workspace) (paths.Target, error) // finds the file, in place of the target's path
}

// Target implements [commands.Edit].
func (e *Edit) Target() commands.Target {
	t := e.Edit.Target()
	t.Find, t.Unread = e.find, e.unread
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

// Undo is a call that takes back the newest edit of the text at Path.
type Undo struct {
	Path    string
	Options commands.EditOptions
	// Report returns the tool's message about the result. snippet shows the text, if it exists.
	Report func(snippet string) string
}

// Session is the session in which an agent's call reads. All fields must be set.
type Session struct {
	Workspace *workspace.Workspace // the documents and files that the agent may access now
	// Read reads a text to show it.
	Read   func(w *workspace.Workspace, place paths.Target) (workspace.Snapshot, error)
	Ledger *lines.Ledger // what the agent has seen of each text
	Room   int           // for the text of an answer, as [page.Fit] counts
}

// Reading is the answer of a reference tool that shows a text or a directory. Message is what the original tool would have
// said. The other fields are as in the answer of view; StartLine and EndLine are those of the lines in Message.
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

// reading returns the answer that shows the lines [from,to] of snap, and records that they were shown.
func (s Session) reading(snap workspace.Snapshot, from, to int, message string, notes ...string) *Reading {
	s.Ledger.Showed(snap.Key, lines.Meeting{Text: snap.Text, Shown: lines.Spans{{From: from, To: to}}})
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

// argumentMap holds the arguments of a call that are set, as they were sent.
type argumentMap map[string]jsontext.Value

// decoded decodes the arguments of a call, and returns those that are set.
func decoded(arguments []jsontext.Value, dst any) (argumentMap, error) {
	g, err := schema.Arguments(arguments)
	if err == nil {
		err = schema.DecodeObject(g, dst)
	}
	return g, err
}

// only refuses arguments other than takes, the path, what, which is the argument that says which operation
// is requested, and those of a command that edits, if this is one. Some clients send every argument, so one
// that is empty is taken for one that is not set.
func (g argumentMap) only(what, which string, takes []string, changes bool) error {
	for _, name := range slices.Sorted(maps.Keys(g)) {
		switch {
		case name == what || name == "path" || slices.Contains(takes, name):
		case changes && slices.Contains([]string{"dry_run", "label", "save"}, name):
		case slices.Contains([]string{`""`, "0", "false", "[]"}, string(g[name])):
			delete(g, name)
		default:
			shown := slices.DeleteFunc(slices.Clone(takes), func(name string) bool { return name == "rev" }) // the original has none
			return schema.Invalid("%q has no part in the %s %s, which takes %s", name, what, which, cmp.Or(strings.Join(shown, ", "), "no others"))
		}
	}
	return nil
}

// read resolves and reads a path.
func (s Session) read(resolve func(w *workspace.Workspace) (paths.Target, error)) (workspace.Snapshot, error) {
	place, err := resolve(s.Workspace)
	if err != nil {
		return workspace.Snapshot{}, err
	}
	return s.Read(s.Workspace, place)
}

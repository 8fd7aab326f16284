package reference

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/schema"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
	"github.com/patchls/patchls/workspace"
)

// Call is one call of a reference tool. It shows a text, edits a text, or takes back the newest edit of a text.
type Call struct {
	Edit  commands.Edit // the native command that edits the text, nil if none does
	Reads bool          // it changes no text

	run     func(ctx context.Context, s *transaction.Session, turn *workspace.Turn, name string) (any, error)
	refused func(e *edits.Error) // rewords e as the tool would
}

// editing returns the call that has a native command edit a text.
func editing(edit commands.Edit, report transaction.Report, refused func(*edits.Error)) *Call {
	return &Call{Edit: edit, refused: refused, run: func(ctx context.Context, s *transaction.Session, turn *workspace.Turn, name string) (any, error) {
		return s.Edit(ctx, turn, name, edit, report)
	}}
}

// reading returns the call that shows the text at path: show sets the message of the answer, and which lines it shows.
func reading(path string, show func(r *Reading, t text.Text, room int) error, refused func(*edits.Error)) *Call {
	return &Call{Reads: true, refused: refused, run: func(_ context.Context, s *transaction.Session, _ *workspace.Turn, _ string) (any, error) {
		r := &Reading{}
		err := r.Read(s, path, func(t text.Text, room int) error { return show(r, t, room) })
		return r, err
	}}
}

// Reading is the answer of a reference tool that shows a text or a directory. Message is what the original tool would have
// said. The other fields are as in the answer of view; StartLine and EndLine are those of the lines in Message.
type Reading struct {
	Message string `json:"message"`
	view.Shown
}

// Run carries the call out, as a command of that name. turn is the turn of a call that changes texts. An error is in the
// words of the tool, and its kind is that of the contract.
func (c *Call) Run(ctx context.Context, s *transaction.Session, turn *workspace.Turn, name string) (any, error) {
	r, err := c.run(ctx, s, turn, name)
	e, ok := errors.AsType[*edits.Error](err)
	if !ok || e.Kind == edits.Rejected { // the user's own words
		return r, err
	}
	own := *e
	if i := strings.LastIndex(own.Message, "; "); own.Rev != "" && i >= 0 && strings.Contains(own.Message[i:], own.Rev) {
		own.Message = own.Message[:i] + "; view the file again, and then send what you mean." // the tools have no rev
	}
	c.refused(&own)
	return nil, &own
}

// editOptions are the arguments of every command that edits.
var editOptions = schema.Members(reflect.TypeFor[commands.EditOptions]())

// ofNothing removes what a value consists of that says nothing, such as [0, 0].
var ofNothing = strings.NewReplacer(`""`, "", "0", "", "false", "", "null", "", "[", "", "]", "", ",", "", " ", "")

// only refuses given arguments other than takes, the path, what, which is the argument that says which operation
// is requested, and those of a command that edits, if this is one. Some clients send every argument, so one
// that is empty is taken for one that is not set.
func only(given map[string]jsontext.Value, what, which string, takes []string, changes bool) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case name == what || name == "path" || slices.Contains(takes, name):
		case changes && slices.ContainsFunc(editOptions, func(m schema.Member) bool { return m.Name == name }):
		case ofNothing.Replace(string(given[name])) == "":
			delete(given, name)
		default:
			shown := slices.DeleteFunc(slices.Clone(takes), func(name string) bool { return name == "rev" }) // the original has none
			return schema.Invalid("%q has no part in the %s %s, which takes %s", name, what, which, cmp.Or(strings.Join(shown, ", "), "no others"))
		}
	}
	return nil
}

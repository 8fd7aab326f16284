package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// ErrorText words the error of a call for a model, as text
// surfaces have it: "Error: ", the message, and what helps to mend the call. It ends
// without a line break.
func ErrorText(err error) string {
	message, data := ErrorData(err)
	return "Error: " + message + Advice(data)
}

// ErrorData returns the message and the data of the error of a call. An error that
// no server gave has no kind.
func ErrorData(err error) (message string, data transaction.ErrorData) {
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) {
		return err.Error(), data
	}
	if json.Unmarshal(wire.Data, &data) != nil {
		data = transaction.ErrorData{} // the message says it all the same
	}
	return wire.Message, data
}

// Advice words what helps a model to mend its call: the lines that were addressed,
// the places that come near, and the call that would succeed. It is "", or begins
// with a line break and ends without one.
func Advice(data transaction.ErrorData) string {
	var b strings.Builder
	if data.Snippet != "" {
		fmt.Fprintf(&b, "\n%s", data.Snippet)
	}
	for _, m := range data.Matches {
		if m.Context != nil {
			fmt.Fprintf(&b, "\nonly the place at line %d is near line %d: %s", m.Line, m.Context.Line, m.Context.Text)
		}
	}
	for _, c := range data.Candidates {
		fmt.Fprintf(&b, "\nlines %d-%d, %d%% alike:", c.StartLine, c.EndLine, int(c.Similarity*100))
		for i, line := range strings.Split(strings.TrimSuffix(c.Text, "\n"), "\n") {
			fmt.Fprintf(&b, "\n%6d\t%s", c.StartLine+i, line)
		}
	}
	if s := data.Suggestion; s != nil {
		if arguments, err := json.Marshal(s.Arguments); err == nil {
			fmt.Fprintf(&b, "\nsuggestion: %s %s", s.Command, arguments)
		}
	}
	return b.String()
}

// ListText words what documents are open and which edits can be taken back. It ends
// without a line break.
func ListText(l view.Listing) string {
	var b strings.Builder
	b.WriteString("Open documents:")
	for _, d := range l.Documents {
		fmt.Fprintf(&b, "\n  %s (%s", d.Path, edits.Count(d.TotalLines, "line"))
		if d.Dirty {
			b.WriteString(", unsaved")
		}
		b.WriteString(")")
		if d.OutOfStep != "" {
			b.WriteString(" out of step: " + d.OutOfStep)
		}
	}
	if len(l.Documents) == 0 {
		b.WriteString(" none.")
	}
	b.WriteString("\nEdits that can be undone:")
	for _, e := range l.Edits {
		fmt.Fprintf(&b, "\n  %s %s in %s", e.EditID, e.Command, strings.Join(e.Paths, ", "))
		if n := len(e.Marked); n > 0 {
			fmt.Fprintf(&b, ", %s not reviewed", edits.Count(n, "hunk"))
		}
	}
	if len(l.Edits) == 0 {
		b.WriteString(" none.")
	}
	return b.String()
}

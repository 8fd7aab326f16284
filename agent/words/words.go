// Package words turns the answers and errors of a server into text for a model. All agents of this module use it, so
// that a model reads the same words whichever way its call came.
package words

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// ErrorText renders the error of a call as text for a model: "Error: ", the message, and
// what helps to correct the call. It ends without a line break.
func ErrorText(err error) string {
	message, data := ErrorData(err)
	return "Error: " + WithAdvice(message, data)
}

// ErrorData returns the message and the data of the error of a call. The data of an error
// that does not come from a server has no kind.
func ErrorData(err error) (message string, data transaction.ErrorData) {
	wire, ok := errors.AsType[*jsonrpc2.Error](err)
	if !ok {
		return err.Error(), data
	}
	if json.Unmarshal(wire.Data, &data) != nil {
		data = transaction.ErrorData{} // the message is still valid
	}
	return wire.Message, data
}

// IsKind reports whether err is the answer of a server with an error of that kind.
func IsKind(err error, kind edits.Kind) bool {
	if err == nil {
		return false
	}
	_, data := ErrorData(err)
	return data.Kind == kind
}

// ErrorOfWhole renders the error of a call that was made for an agent's own tool, which takes no rev and may write a whole text.
func ErrorOfWhole(err error) string {
	message, data := ErrorData(err)
	if data.Kind == edits.Stale {
		news := message[strings.Index(message+review.NewsBegins, review.NewsBegins):] // "" if there are none
		message = strings.TrimSpace("Nothing was written: the user or others have changed lines since you read them that this text changes or lacks. Read the whole file again, and write it with their lines. " + news)
	}
	data.Suggestion = nil // it names a tool that the agent did not use
	return WithAdvice(message, data)
}

// maxError bounds an error as a model reads it, in bytes. Its snippet comes in addition, since the agent then knows the lines.
const maxError = 4 << 10

// WithAdvice returns the message of an error and what helps a model to correct its call: the lines that were addressed, the
// call that would succeed, and similar places. It ends without a line break.
func WithAdvice(message string, data transaction.ErrorData) string {
	said, room := message, maxError-len(message)
	add := func(row string) (whole bool) {
		if whole = len(row) <= room; !whole && room > len("…") {
			row = strings.ToValidUTF8(row[:room-len("…")], "") + "…"
		} else if !whole {
			row = ""
		}
		said, room = said+row, room-len(row)
		return whole
	}
	suggestion := ""
	if s := data.Suggestion; s != nil {
		arguments, _ := plainjson.Marshal(s.Arguments) // what was JSON always encodes
		if suggestion = fmt.Sprintf("\nsuggestion: %s %s", s.Command, arguments); len(suggestion) > room {
			suggestion = "\nsuggestion: too long to be shown"
		}
	}
	room -= len(suggestion)
	if data.Snippet != "" {
		said += "\n" + data.Snippet
	}
	for _, m := range data.Matches {
		if m.Context == nil {
			continue
		}
		where := "near"
		if m.Context.Opens {
			where = "in the block of"
		}
		if !add(fmt.Sprintf("\nonly the place at line %d is %s line %d: %s", m.Line, where, m.Context.Line, m.Context.Text)) {
			break
		}
	}
	for i, c := range data.Candidates {
		left := room / (len(data.Candidates) - i)
		for i, row := range candidateRows(c, left) {
			if left -= len(row); left < 0 && i > 1 || !add(row) {
				break
			}
		}
	}
	return said + suggestion
}

// candidateRows returns the lines that show a candidate: those above the one that differs only as far as they have room with it.
func candidateRows(c edits.Candidate, room int) []string {
	rows := []string{fmt.Sprintf("\nlines %d-%d, %d%% alike:", c.StartLine, c.EndLine, int(c.Similarity*100))}
	first := cmp.Or(c.TextLine, c.StartLine)
	for i, line := range strings.Split(strings.TrimSuffix(c.Text, "\n"), "\n") {
		rows = append(rows, fmt.Sprintf("\n%6d\t%s", first+i, line))
		if d := c.FirstDifference; d != nil && first+i <= d.Line {
			for len(rows) > 2 && lists.Sum(rows, func(row string) int { return len(row) }) > room {
				rows = slices.Delete(rows, 1, 2)
			}
		}
	}
	return rows
}

// AnswerText renders the answer of a command that reads, or of a reference tool: the notes, and the text or
// message. It ends without a line break.
func AnswerText(answer json.RawMessage) string {
	var a struct {
		Message *string `json:"message"` // of the tools that answer in a sentence
		view.View
		view.Listing
	}
	if json.Unmarshal(answer, &a) != nil {
		return string(answer)
	}
	said := a.Text
	if a.NextLine > 0 {
		said = fmt.Sprintf("Lines %d-%d of %d; go on with start_line %d.\n%s", a.StartLine, a.EndLine, a.TotalLines, a.NextLine, said)
	}
	switch {
	case a.Message != nil:
		said = *a.Message
	case a.Documents != nil:
		said = listText(a.Listing)
	case said == "" && a.TotalLines == 0:
		said = a.Path + " is empty."
	}
	return Joined(Noted(a.Notes), said)
}

// maxShown bounds what the answer of an edit shows of texts, in bytes: clients cut what is longer, some of
// them in its middle.
const maxShown = 6 << 10

// EditText renders the answer of a command that edits: what was done, then for each file what the
// next call needs, and the lines around the change.
func EditText(answer json.RawMessage) string {
	var r transaction.Result
	if json.Unmarshal(answer, &r) != nil {
		return string(answer)
	}
	parts := []string{r.Message}
	if d := r.Decision; d != nil && d.Text != "" {
		parts = append(parts, fmt.Sprintf("The user was asked, and said %s: %s", d.Answer, d.Text))
	} else if d != nil {
		parts = append(parts, fmt.Sprintf("The user was asked, and said %s.", d.Answer))
	}
	parts = append(parts, Noted(r.Notes))
	if !r.Applied { // a plan has only a diff to show
		return Joined(append(parts, page.Cut(r.Diff, maxShown))...)
	}
	left := maxShown
	for i, f := range r.Files {
		if left < 0 {
			parts = append(parts, fmt.Sprintf("(%s more)", edits.Count(len(r.Files)-i, "file")))
			break
		}
		part := Joined(reference(r, f), f.Snippet)
		if len(part) > left {
			part = reference(r, f)
		}
		left -= len(part)
		parts = append(parts, part)
	}
	return Joined(parts...)
}

// reference returns a line with the ids by which later calls name the edit and the text.
func reference(r transaction.Result, f transaction.FileResult) string {
	words := []string{cmp.Or(f.NewPath, f.Path), "rev " + f.Rev}
	if f.Change == "delete" {
		words = []string{f.Path + " is deleted"}
	}
	if f.Saved {
		words = append(words, "saved")
	}
	if r.EditID != "" {
		words = append([]string{"edit " + r.EditID}, words...)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// Noted renders notes, one per line.
func Noted(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "note: " + strings.Join(notes, "\nnote: ")
}

// Joined joins the parts that are not empty, each on a new line.
func Joined(parts ...string) string {
	return strings.Join(lists.FilterMap(parts, func(p string) (string, bool) {
		p = strings.TrimSuffix(p, "\n")
		return p, p != ""
	}), "\n")
}

// listText renders which documents are open and which edits can be undone.
func listText(l view.Listing) string {
	var b strings.Builder
	b.WriteString("Open documents:")
	for _, d := range l.Documents {
		if d.As != "" {
			fmt.Fprintf(&b, "\n  %s (open as %s, and no command may touch it)", d.Path, d.As)
			continue
		}
		fmt.Fprintf(&b, "\n  %s (%s", d.Path, edits.Count(d.TotalLines, "line"))
		if d.Unsaved {
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
		if e.Turn != "" {
			b.WriteString(", turn " + e.Turn)
		}
		if e.Prompt != "" {
			fmt.Fprintf(&b, " (%q)", e.Prompt)
		}
		if len(e.Marks) > 0 {
			left := lists.Map(e.Marks, func(m view.MarkInfo) string { return fmt.Sprintf("%s.%d", e.EditID, m.Hunk) })
			fmt.Fprintf(&b, ", not reviewed: %s", edits.Listed(left))
		}
	}
	if len(l.Edits) == 0 {
		b.WriteString(" none.")
	}
	return b.String()
}

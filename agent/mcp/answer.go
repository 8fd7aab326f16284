package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// success is the result of a call that was answered.
func (t tool) success(answer json.RawMessage, session Session) *sdk.CallToolResult {
	notes := session.Notes
	if len(session.Edited) > 0 && t.edited(answer) {
		notes = session.Edited
	}
	r := &sdk.CallToolResult{Content: content(t.say(answer), notes)}
	if t.structured() {
		r.StructuredContent = withNotes(answer, notes)
	}
	return r
}

// edited reports whether an answer is that of a call which changed a text.
func (t tool) edited(answer json.RawMessage) bool {
	var r struct {
		Applied bool `json:"applied"`
	}
	return t.command.Name != "save" && json.Unmarshal(answer, &r) == nil && r.Applied
}

// content is a text below the notes of a session. These are first, as clients cut what is long.
func content(text string, notes []string) []sdk.Content {
	if len(notes) > 0 {
		text = agent.Joined(agent.Noted(notes), text)
	}
	return []sdk.Content{&sdk.TextContent{Text: text}}
}

// withNotes adds notes to an answer that has some.
func withNotes(answer json.RawMessage, notes []string) json.RawMessage {
	var members map[string]json.RawMessage
	var own []string
	if len(notes) == 0 || json.Unmarshal(answer, &members) != nil || json.Unmarshal(members["notes"], &own) != nil {
		return answer
	}
	var err error
	if members["notes"], err = json.Marshal(append(own, notes...)); err != nil {
		return answer
	}
	all, err := json.Marshal(members)
	if err != nil {
		return answer
	}
	return all
}

// maxShown bounds what the answer of an edit shows of texts, in bytes: clients cut what is longer, some of
// them in its middle.
const maxShown = 6 << 10

// sayEdit words the answer of a command that edits: what was done, then for each file what the
// next call needs, and the lines around the change.
func sayEdit(answer json.RawMessage) string {
	var r transaction.Result
	if json.Unmarshal(answer, &r) != nil {
		return string(answer)
	}
	parts := []string{r.Message}
	if d := r.Decision; d != nil {
		parts = append(parts, decided(*d))
	}
	parts = append(parts, agent.Noted(r.Notes))
	if !r.Applied { // all that a plan has to show
		return agent.Joined(append(parts, truncated(r.Diff))...)
	}
	left := maxShown
	for i, f := range r.Files {
		if left < 0 {
			parts = append(parts, fmt.Sprintf("(%s more)", edits.Count(len(r.Files)-i, "file")))
			break
		}
		part := agent.Joined(reference(r, f), f.Snippet)
		if len(part) > left {
			part = reference(r, f)
		}
		left -= len(part)
		parts = append(parts, part)
	}
	return agent.Joined(parts...)
}

// reference is a line that has what later calls name an edit and a text by.
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

// decided words what the user said to a question.
func decided(d proposal.Decision) string {
	if d.Text != "" {
		return fmt.Sprintf("The user was asked, and said %s: %s", d.Answer, d.Text)
	}
	return fmt.Sprintf("The user was asked, and said %s.", d.Answer)
}

// truncated is a diff as far as it may be shown, in whole lines.
func truncated(diff string) string {
	if len(diff) <= maxShown {
		return diff
	}
	end := strings.LastIndexByte(diff[:maxShown], '\n') + 1
	return fmt.Sprintf("%s(%s more)", diff[:end], edits.Count(strings.Count(diff[end:], "\n"), "line"))
}

// sayView words the answer of view: a line with what later calls need, and the text.
func sayView(answer json.RawMessage) string {
	var v view.View
	if json.Unmarshal(answer, &v) != nil || v.Rev == "" { // a directory has none
		return agent.AnswerText(answer)
	}
	head := []string{v.Path, edits.Count(v.TotalLines, "line"), "rev " + v.Rev}
	if v.NextLine > 0 {
		head[1] = fmt.Sprintf("lines %d-%d of %d, go on with start_line %d", v.StartLine, v.EndLine, v.TotalLines, v.NextLine)
	}
	if v.Dirty {
		head = append(head, "unsaved")
	}
	return agent.Joined("["+strings.Join(head, ", ")+"]", agent.Noted(v.Notes), v.Text)
}

// refusal is an error of this endpoint, as a server answers it.
func refusal(kind edits.Kind, message string) error {
	return transaction.CommandError(&edits.Error{Kind: kind, Message: message}, nil)
}

// explained says of an error that is no answer of a server what it means.
func explained(c *lsp.Command, err error) error {
	_, answered := errors.AsType[*jsonrpc2.Error](err)
	switch {
	case answered:
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return refusal(editor.Cancelled, "The call was cancelled before an answer came.")
	case errors.Is(err, agent.ErrNotSent), !c.Edits():
		return refusal(editor.Gone, "The editor is gone, and nothing was done: "+err.Error()+".")
	}
	return refusal(editor.Gone, "The editor is gone, and it is not known whether the edit was made: view the text before you go on ("+err.Error()+").")
}

// unconnected is the error of a Connect that failed: of the contract, if the caller
// has not made it one.
func unconnected(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return refusal(editor.Gone, err.Error())
}

// errorAnswer is the structured content of a call that failed.
type errorAnswer struct {
	Error errorContent `json:"error"`
}

type errorContent struct {
	Message string `json:"message"`
	transaction.ErrorData
}

// failure is the result of a call that failed: for the model to read and to mend
// its call by, so it is no error of the protocol.
func (t tool) failure(err error, session Session) *sdk.CallToolResult {
	message, data := agent.ErrorData(err)
	if data.Suggestion != nil {
		data.Suggestion.Command = strings.TrimPrefix(data.Suggestion.Command, "patchls.")
		if !t.native {
			data.Suggestion = nil // it is a call of a native tool
		}
	}
	r := &sdk.CallToolResult{IsError: true, Content: content("Error: "+message+agent.Advice(data), session.Notes)}
	if t.structured() {
		r.StructuredContent = errorAnswer{errorContent{message, data}}
	}
	return r
}

package mcp

import (
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
	if t.OutputSchema != nil {
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

// content returns a text after the notes of a session. Notes come first, since clients cut long answers.
func content(text string, notes []string) []sdk.Content {
	if len(notes) > 0 {
		text = agent.Joined(agent.Noted(notes), text)
	}
	return []sdk.Content{&sdk.TextContent{Text: text}}
}

// withNotes adds notes to an answer that has a list of notes.
func withNotes(answer json.RawMessage, notes []string) json.RawMessage {
	var members map[string]json.RawMessage
	var own []string
	if len(notes) == 0 || json.Unmarshal(answer, &members) != nil || json.Unmarshal(members["notes"], &own) != nil {
		return answer
	}
	members["notes"], _ = json.Marshal(append(own, notes...)) // strings always encode
	all, _ := json.Marshal(members)                           // and so does valid JSON
	return all
}

// sayView renders the answer of view: a line with what later calls need, then the text.
func sayView(answer json.RawMessage) string {
	var v view.View
	if json.Unmarshal(answer, &v) != nil || v.Rev == "" { // a directory has no rev
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

// refusal returns an error of this package in the form of a server's error.
func refusal(kind edits.Kind, message string) error {
	return transaction.CommandError(&edits.Error{Kind: kind, Message: message}, nil)
}

// explain returns an error that tells the model what err means. A server's own error is returned as it is. session
// is empty if no editor was reached.
func explain(ctx context.Context, c *lsp.Command, session Session, err error) error {
	_, answered := errors.AsType[*jsonrpc2.Error](err)
	noEditor := session.Editor == nil
	switch {
	case answered:
		return err
	case noEditor && ctx.Err() == nil:
		return refusal(editor.Gone, err.Error())
	case noEditor, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return refusal(editor.Cancelled, "The call was cancelled before an answer came.")
	case errors.Is(err, agent.ErrNotSent), !c.Edits():
		return refusal(editor.Gone, "The editor is gone, and nothing was done: "+err.Error()+".")
	}
	return refusal(editor.Gone, "The editor is gone, and it is not known whether the edit was made: view the text before you go on ("+err.Error()+").")
}

// errorContent is the member error of the structured content of a call that failed.
type errorContent struct {
	Message string `json:"message"`
	transaction.ErrorData
}

// failure returns the result of a call that failed. It is not an error of the protocol,
// since the model must read it to correct its call.
func (t tool) failure(err error, session Session) *sdk.CallToolResult {
	message, data := agent.ErrorData(err)
	if data.Suggestion != nil {
		data.Suggestion.Command = strings.TrimPrefix(data.Suggestion.Command, "patchls.")
		if t.command.Imitates() || t.arguments != nil {
			data.Suggestion = nil // it is a call of a native tool
		}
	}
	r := &sdk.CallToolResult{IsError: true, Content: content("Error: "+message+agent.Advice(data), session.Notes)}
	if t.OutputSchema != nil {
		r.StructuredContent = map[string]errorContent{"error": {message, data}}
	}
	return r
}

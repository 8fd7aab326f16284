package mcp

import (
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent"
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

// content is a text with the notes of a session below it.
func content(text string, notes []string) []sdk.Content {
	if len(notes) > 0 {
		text = joined(text, noted(notes))
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

// sayEdit words the answer of a command that edits.
func sayEdit(answer json.RawMessage) string {
	var r transaction.Result
	if json.Unmarshal(answer, &r) != nil {
		return string(answer)
	}
	shown := ""
	switch {
	case !r.Applied: // all that a plan has to show
		shown = r.Diff
	case len(r.Files) > 0:
		shown = r.Files[0].Snippet
	}
	return joined(r.Message, noted(r.Notes), shown)
}

// sayView words the answer of view: the lines, numbered, and what is to be said of
// them.
func sayView(answer json.RawMessage) string {
	var v view.View
	if json.Unmarshal(answer, &v) != nil {
		return string(answer)
	}
	if v.TotalLines == 0 && v.Text == "" {
		return joined(v.Path+" is empty.", noted(v.Notes))
	}
	return joined(v.Text, noted(v.Notes))
}

// sayList words the answer of list.
func sayList(answer json.RawMessage) string {
	var l view.Listing
	if json.Unmarshal(answer, &l) != nil {
		return string(answer)
	}
	return agent.ListText(l)
}

// sayMessage words the answer of a reference tool, whose message is all that it
// says, but for notes.
func sayMessage(answer json.RawMessage) string {
	var m struct {
		Message string   `json:"message"`
		Notes   []string `json:"notes"`
	}
	if json.Unmarshal(answer, &m) != nil {
		return string(answer)
	}
	return joined(m.Message, noted(m.Notes))
}

// noted words notes, a line for each.
func noted(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "note: " + strings.Join(notes, "\nnote: ")
}

// joined joins the parts that say something, each beginning a line.
func joined(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p = strings.TrimSuffix(p, "\n"); p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "\n")
}

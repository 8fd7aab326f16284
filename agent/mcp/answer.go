package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/lsp/view"
)

// success is the result of a call that was answered, in at most the given number of bytes of text.
func (t tool) success(answer json.RawMessage, notes []string, most int) *sdk.CallToolResult {
	r := &sdk.CallToolResult{Content: content(t.say(answer), notes, most)}
	if t.structured {
		r.StructuredContent = bounded(answer, notes)
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

// content returns a text after the notes. Notes come first, since clients cut long answers.
func content(text string, notes []string, most int) []sdk.Content {
	if len(notes) > 0 {
		text = words.Joined(words.Noted(notes), text)
	}
	return []sdk.Content{&sdk.TextContent{Text: page.Cut(text, most)}}
}

// sayView renders the answer of view: a line with what later calls need, then the text.
func sayView(answer json.RawMessage) string {
	var v view.View
	if json.Unmarshal(answer, &v) != nil || v.Rev == "" { // a directory has no rev
		return words.AnswerText(answer)
	}
	head := []string{v.Path, edits.Count(v.TotalLines, "line"), "rev " + v.Rev}
	if v.NextLine > 0 {
		head[1] = fmt.Sprintf("lines %d-%d of %d, go on with start_line %d", v.StartLine, v.EndLine, v.TotalLines, v.NextLine)
	}
	if v.Dirty {
		head = append(head, "unsaved")
	}
	return words.Joined("["+strings.Join(head, ", ")+"]", words.Noted(v.Notes), v.Text)
}

// explain returns an error that tells the model what err means. A server's own error is returned as it is. session
// is empty if no editor was reached.
func explain(ctx context.Context, c *lsp.Command, session Session, err error) error {
	if _, answered := errors.AsType[*jsonrpc2.Error](err); answered {
		return err
	}
	e, wrong := errors.AsType[*edits.Error](err)
	switch noEditor := session.Editor == nil; {
	case wrong:
	case noEditor && ctx.Err() == nil:
		e = edits.Errorf(edits.EditorGone, "%v", err)
	case noEditor, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e = edits.Errorf(edits.Cancelled, "The call was cancelled before an answer came.")
	case errors.Is(err, agent.ErrNotSent), !c.Edits():
		e = edits.Errorf(edits.EditorGone, "The editor is gone, and nothing was done: %v.", err)
	default:
		e = edits.Errorf(edits.EditorGone, "The editor is gone, and it is not known whether the edit was made: view the text before you go on (%v).", err)
	}
	return transaction.CommandError(e, nil)
}

// errorContent is the member error of the structured content of a call that failed.
type errorContent struct {
	Message string `json:"message"`
	transaction.ErrorData
}

// failure returns the result of a call that failed. It is not an error of the protocol,
// since the model must read it to correct its call.
func (t tool) failure(err error, notes []string, most int) *sdk.CallToolResult {
	message, data := words.ErrorData(err)
	if t.command.Imitates() || t.arguments != nil {
		data.Suggestion = nil // it is a call of a native tool
	} else if data.Suggestion != nil {
		data.Suggestion.Command = strings.TrimPrefix(data.Suggestion.Command, commands.Prefix)
	}
	for _, word := range t.unlisted {
		message = strings.Replace(message, fmt.Sprintf(" or %q", word), "", 1) // the words that command may be
	}
	r := &sdk.CallToolResult{IsError: true, Content: content("Error: "+words.WithAdvice(message, data), notes, most)}
	if t.structured {
		answer, _ := plainjson.Marshal(map[string]errorContent{"error": {message, data}}) // strings and numbers always encode
		r.StructuredContent = bounded(answer, nil)
	}
	return r
}

// A long answer leaves out members that a client can do without, in the order of longMembers. Of the members in longLists it
// leaves out items from the end, and of a message the end.
var (
	longLists   = []string{"files", "documents", "notes"}
	longMembers = append([]string{"message", "diff", "workspace_edit", "edits", "snippet", "hunks", "suggestion", "candidates", "matches"}, longLists...)
)

// bounded returns an answer of at most [page.MaxAnswer] bytes, with more notes if it has a list of notes. It leaves out
// whole members, since a part of an edit would be another edit, and then the end of the lists. The first note, at the top,
// says which.
func bounded(answer json.RawMessage, more []string) json.RawMessage {
	var all map[string]any
	if len(answer) <= page.MaxAnswer && len(more) == 0 || json.Unmarshal(answer, &all) != nil {
		return answer
	}
	if notes, noted := all["notes"].([]any); noted {
		all["notes"] = append(notes, lists.Map(more, func(note string) any { return note })...)
	}
	if answer, _ = plainjson.Marshal(all); len(answer) <= page.MaxAnswer { // what was decoded always encodes
		return answer
	}
	files, _ := all["files"].([]any)
	parts := append(slices.Clip(files), all["error"], all)
	var left []string
	fits := func() bool {
		notes, _ := all["notes"].([]any)
		rest := maps.Clone(all)
		delete(rest, "notes")
		first, _ := plainjson.Marshal(append([]any{"Left out, since the answer would be too long: " + strings.Join(left, ", ") + "."}, notes...))
		others, _ := plainjson.Marshal(rest)
		answer = slices.Concat([]byte(`{"notes":`), first, []byte(","), others[1:])
		return len(answer) <= page.MaxAnswer
	}
	for _, name := range longMembers {
		before := left
		for said := leave(parts, name); said != ""; said = leave(parts, name) {
			if left = append(slices.Clip(before), said); fits() {
				return answer
			}
		}
	}
	return answer
}

// leave empties a member of each of the objects that has it, or halves it if it is one of longLists, and says so; "" if
// there is nothing to leave out.
func leave(objects []any, name string) (said string) {
	for _, object := range objects {
		o, _ := object.(map[string]any)
		switch was := o[name].(type) {
		case nil:
		case string:
			if o[name] = ""; name == "message" {
				o[name] = page.Cut(was, page.MaxAnswer/4)
			}
			if o[name] != was {
				said = name
			}
		case []any:
			switch kept := len(was) / 2; {
			case len(was) == 0:
			case slices.Contains(longLists, name):
				o[name], said = was[:kept], fmt.Sprintf("%s after the first %d", name, kept)
			default:
				o[name], said = []any{}, name
			}
		default:
			delete(o, name)
			said = name
		}
	}
	return said
}

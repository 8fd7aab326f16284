package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// The plugin's own way to ask, and to say that nobody needs an answer any more.
const (
	methodConfirm  = "patchls/confirm"
	methodWithdraw = "patchls/withdraw"
)

// confirmParams are those of patchls/confirm.
type confirmParams struct {
	ID      string        `json:"id"` // of the question
	Agent   string        `json:"agent"`
	Command string        `json:"command"`
	Message string        `json:"message"`
	Why     string        `json:"why,omitempty"` // the user is asked, where the command does not want it
	Diff    string        `json:"diff"`
	Files   []confirmFile `json:"files"`
}

// confirmFile is a file of a question. Before and After name the documents that have its
// text without the edit and with it.
type confirmFile struct {
	URI     string `json:"uri"`
	Path    string `json:"path"`
	Change  string `json:"change"`
	NewPath string `json:"new_path,omitempty"`
	Before  string `json:"before"`
	After   string `json:"after"`
}

// ask asks the user about a proposal.
func (s *caller) ask(ctx context.Context, command string, p *proposal) (*Decision, error) {
	limits := s.limitsNow()
	bounded, cancel := s.withTimeout(s.base, limits.Wait(bounds.AskTimeoutMS))
	defer cancel()
	ctx, cancelBoth := context.WithCancelCause(ctx)
	defer cancelBoth(nil)
	defer context.AfterFunc(bounded, func() { cancelBoth(context.Cause(bounded)) })()
	release, ok := s.held.hold(p.size(), limits[bounds.MaxHeldBytes])
	if !ok {
		return nil, &edits.Error{Kind: editor.Rejected, Path: p.files[0].given, Message: fmt.Sprintf(
			"The user was not asked, and nothing was changed: with this edit the server would hold %s; send the command again when other questions are answered.", limits.Exceeded(bounds.MaxHeldBytes))}
	}
	defer release()
	id, forget := s.proposals.add(p, limits.Of(bounds.MaxQuestions))
	if id == "" {
		return nil, &edits.Error{Kind: editor.Rejected, Path: p.files[0].given, Message: fmt.Sprintf(
			"The user was not asked, and nothing was changed: %d questions wait for their answer, and one more would be %s; send the command again when there is one.", limits.Of(bounds.MaxQuestions), limits.Exceeded(bounds.MaxQuestions))}
	}
	defer forget()
	by := review.Author(s.called())
	var d *Decision
	var err error
	if s.client.Load().Plugin.Confirm {
		d, err = s.askPlugin(ctx, confirmParams{ID: id, Agent: by, Command: command, Message: paths.OneLine(p.message, maxShownMessage), Why: p.why(), Diff: p.diff, Files: p.confirmFiles(id)})
	} else {
		d, err = s.askByMessage(ctx, by, id, p)
	}
	switch {
	case err == nil:
		return d, nil
	case s.base.Err() != nil:
		return nil, &edits.Error{Kind: editor.Gone, Path: p.files[0].given, Message: "The editor went away before the user had answered; nothing was changed."}
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return nil, &edits.Error{Kind: editor.TimedOut, Path: p.files[0].given, Message: fmt.Sprintf("The user has not answered within ask_timeout_ms (%d); nothing was changed.", limits.Of(bounds.AskTimeoutMS))}
	case ctx.Err() != nil:
		return nil, &edits.Error{Kind: editor.Cancelled, Path: p.files[0].given, Message: "The command was cancelled while the user was asked; nothing was changed."}
	}
	return nil, &edits.Error{Kind: editor.Unsupported, Path: p.files[0].given, Message: fmt.Sprintf("The editor cannot ask the user (%v); send the command without confirm, or have them look at its dry_run.", err)}
}

// askPlugin has the editor's plugin show the change.
func (s *caller) askPlugin(ctx context.Context, params confirmParams) (*Decision, error) {
	replies := s.rpc.Request(ctx, methodConfirm, params)
	raw, err := rpc.Await(ctx, replies)
	if err != nil {
		if ctx.Err() != nil {
			s.spawn(func(context.Context) {
				<-replies // a question that comes after it would stand for ever
				s.rpc.Notify(methodWithdraw, map[string]string{"id": params.ID})
			})
		}
		return nil, err
	}
	var answer struct {
		Decision string `json:"decision"`
		Text     string `json:"text"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	if answer.Decision != answerApply {
		answer.Decision = answerReject // whoever closes the question does not agree
	}
	return &Decision{Answer: answer.Decision, Text: strings.TrimSpace(answer.Text)}, nil
}

// The choices of a message.
const (
	choiceApply  = "Apply"
	choiceDiff   = "Show diff"
	choiceReject = "Reject"
)

// maxPath is how many characters of a file's name stand in a message for the user.
const maxPath = 200

// maxShown is how many lines of a diff stand in a message.
const maxShown = 60

// askByMessage asks by a message that any editor can show.
func (s *caller) askByMessage(ctx context.Context, by, id string, p *proposal) (*Decision, error) {
	message := question(by, p)
	choices := []string{choiceApply, choiceDiff, choiceReject}
	for {
		choice, err := s.choose(ctx, message, choices)
		if err != nil {
			return nil, err
		}
		switch choice {
		case choiceApply:
			return &Decision{Answer: answerApply}, nil
		case choiceDiff:
			if !s.showDocument(ctx, diffDocument(id)) {
				message = fmt.Sprintf("%s wants to make this edit:\n%s", by, paths.Shown(croppedDiff(p.diff)))
			}
			choices = []string{choiceApply, choiceReject}
		default:
			return &Decision{Answer: answerReject}, nil
		}
	}
}

// question words what is asked about, in one line.
func question(by string, p *proposal) string {
	return fmt.Sprintf("%s wants to make an edit. %s", by, p.summary())
}

// summary says what comes and goes: "a.txt: 3 lines added, 1 removed".
func (p *proposal) summary() string {
	var names []string
	for _, f := range p.files {
		if name := paths.OneLine(f.given, maxPath); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	added, removed := countedLines(p.diff)
	said := fmt.Sprintf("%s: %s added, %d removed.", edits.Listed(names), edits.Count(added, "line"), removed)
	return strings.TrimSpace(said + " " + p.why())
}

// countedLines returns how many lines a unified diff adds and removes. Those may look like
// the names of files, but a hunk that ends with such lines is the last one of its file.
func countedLines(diff string) (added, removed int) {
	lines := strings.SplitAfter(diff, "\n")
	for i := 0; i < len(lines); i++ {
		switch {
		case i+2 < len(lines) && strings.HasPrefix(lines[i], "--- ") && strings.HasPrefix(lines[i+1], "+++ ") && strings.HasPrefix(lines[i+2], "@@ "):
			i += 2
		case strings.HasPrefix(lines[i], "+"):
			added++
		case strings.HasPrefix(lines[i], "-"):
			removed++
		}
	}
	return added, removed
}

func croppedDiff(diff string) string {
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) <= maxShown {
		return diff
	}
	return strings.Join(lines[:maxShown], "") + fmt.Sprintf("... %d more lines", len(lines)-maxShown)
}

// choose has the user choose; "" if they close the question.
func (s *server) choose(ctx context.Context, message string, choices []string) (string, error) {
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: message}
	for _, c := range choices {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: c})
	}
	var chosen *protocol.MessageActionItem
	if err := s.rpc.Call(ctx, protocol.MethodWindowShowMessageRequest, params, &chosen); err != nil || chosen == nil {
		return "", err
	}
	return chosen.Title, nil
}

// showDocument has the editor show one of the server's own documents, and reports whether
// it does.
func (s *server) showDocument(ctx context.Context, uri string) bool {
	if !s.client.Load().Display.OwnDocuments {
		return false
	}
	var r struct {
		Success bool `json:"success"`
	}
	err := s.rpc.Call(ctx, protocol.MethodWindowShowDocument, map[string]any{"uri": uri, "takeFocus": false}, &r)
	return err == nil && r.Success
}

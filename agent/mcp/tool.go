package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/page"
)

// tool is one tool of a dialect: how a call of the tool becomes a command, and how the command's answer becomes the tool's.
type tool struct {
	*sdk.Tool
	command  *lsp.Command
	takes    *jsonschema.Schema // of its arguments
	unlisted []string           // arguments, and words of the argument command, that the tool does not have
	// arguments converts the tool's arguments to the command's; nil if they are the same.
	arguments func(given json.RawMessage) (json.RawMessage, error)
	// say renders the command's answer as text.
	say func(answer json.RawMessage) string
	// structured has the answer given as data as well. No schema of it is declared: it would be three times the rest of the
	// list, which many clients send with each request.
	structured bool
}

// annotations returns the hints of a command. It sets all of them, since the defaults for
// hints left out differ. The world of a command is closed: it is the editor's texts.
func annotations(c *lsp.Command) *sdk.ToolAnnotations {
	destroys, open := c.Effect == lsp.Replaces || c.Effect == lsp.Settles || c.Effect == lsp.Reviews, false
	return &sdk.ToolAnnotations{
		ReadOnlyHint: c.Effect == lsp.Reads, DestructiveHint: &destroys,
		IdempotentHint: c.Effect == lsp.Reads || c.Effect == lsp.Settles, OpenWorldHint: &open,
	}
}

// handler returns the handler for the calls of a tool. It leaves it to the command to check
// the arguments: the command's errors help a model more than those of a schema.
func (s *Server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		turn := s.order.turn(req.Extra)
		defer turn.Done()
		defer inProgress(ctx, req)()
		var client agent.ClientInfo // as it calls itself, if it has said it
		if p := req.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
			client = agent.ClientInfo{Name: p.ClientInfo.Name, Version: p.ClientInfo.Version}
		}
		thread, _ := req.Params.Meta["threadId"].(string) // who calls, as far as the client says (docs/agents.md)
		most := page.Bytes(client.Name)
		var session Session
		var answer json.RawMessage
		given, notes, err := t.received(req.Params.Arguments)
		if err == nil {
			err = turn.Wait(ctx)
		}
		if err == nil {
			session, answer, err = s.execute(ctx, client, agent.AboutOf(t.command.Name, given), agent.Call{
				Command: t.command.Name, Arguments: given, Actor: thread, OnSend: turn.Done,
			})
		}
		if len(session.Edited) > 0 && t.edited(answer) {
			session.Notes = session.Edited
		}
		notes = slices.Concat(session.Notes, notes)
		if err != nil {
			return t.failure(explain(ctx, t.command, session, err), notes, most), nil
		}
		return t.success(answer, notes, most), nil
	}
}

// progressTime is how often a client hears of a call that is not done. Some give a call up after a minute without that.
const progressTime = 15 * time.Second

// inProgress tells the client of a call that it is not done yet, if the client asked for that, until end is called.
func inProgress(ctx context.Context, req *sdk.CallToolRequest) (end func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() {
		for n := 1.0; ; n++ {
			select {
			case <-time.After(progressTime):
				_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: "waiting for the editor"})
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		telling.Wait() // nothing may be said about a call that is answered
	}
}

// execute sends a call to the editor for what it is about. If that editor is gone before the call is
// sent, execute asks for an editor again: it makes three attempts in all.
func (s *Server) execute(ctx context.Context, client agent.ClientInfo, about agent.About, call agent.Call) (Session, json.RawMessage, error) {
	const attempts = 3
	for attempt := 1; ; attempt++ {
		session, err := s.opts.Connect(ctx, client, about)
		if err != nil {
			return Session{}, nil, err
		}
		if _, known := s.there.LoadOrStore(session.Name, true); !known {
			s.log(ctx, "info", strings.Join(append([]string{"Connected to " + session.Name + "."}, session.Notes...), " "))
		}
		answer, err := session.Editor.Execute(ctx, call)
		gone := errors.Is(err, agent.ErrNotSent)
		if gone && s.there.CompareAndDelete(session.Name, true) {
			s.log(ctx, "warning", session.Name+" is gone.")
		}
		if !gone || attempt == attempts {
			return session, answer, err
		}
	}
}

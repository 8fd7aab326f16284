package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Editors ask for code lenses and code actions to show in a document. Some are about the
// hunks of agents there (lsp/review), some about the patches that the document holds (lsp/patchdoc).

// showing returns the route of a request about an open document, with more parameters P. doc is nil
// if the document is not open, or if its text is not known.
func showing[P any](s *server, answer func(doc *workspace.Document, more P) any) rpc.Route {
	return rpc.Route{Call: func(_ context.Context, params []byte) (rpc.Work, error) {
		var more P
		if err := json.Unmarshal(params, &more); err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
		}
		doc := s.mirror.openDocument(params)
		if doc != nil && doc.Drift != "" {
			doc = nil
		}
		return func(context.Context) (any, error) { return answer(doc, more), nil }, nil
	}}
}

// prefixed returns a command under the name that it has in the editor.
func prefixed(c editor.Command) editor.Command {
	if c.Command != "" {
		c.Command = commands.Prefix + c.Command
	}
	return c
}

// codeLens is textDocument/codeLens.
func (s *server) codeLens(doc *workspace.Document, _ struct{}) any {
	lenses := []editor.Lens{}
	if doc != nil {
		lenses = append(lenses, s.reviewLenses(doc)...)
		lenses = append(lenses, s.patchDocs.Lenses(doc)...)
	}
	for i := range lenses {
		lenses[i].Command = prefixed(lenses[i].Command)
	}
	return lenses
}

// actionParams is the part of CodeActionParams that is read, besides the document.
type actionParams struct {
	Range   protocol.Range `json:"range"`
	Context struct {
		Only []protocol.CodeActionKind `json:"only"`
	} `json:"context"`
}

// codeAction is textDocument/codeAction. All that it offers are quick fixes, which is the kind that every editor asks for.
func (s *server) codeAction(doc *workspace.Document, p actionParams) any {
	display := s.Editor().Display
	wanted := len(p.Context.Only) == 0 || slices.Contains(p.Context.Only, "") || slices.Contains(p.Context.Only, protocol.CodeActionKindQuickFix)
	actions := []editor.Action{}
	if doc != nil && wanted {
		from, to := int(p.Range.Start.Line), int(p.Range.End.Line)
		actions = append(actions, s.editLog.Actions(s.docs, doc, from, to)...)
		if display.GeneratedTag {
			for i := range actions {
				actions[i].Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
			}
		}
		actions = append(actions, s.patchDocs.Actions(doc, from, to)...)
	}
	for i, a := range actions {
		actions[i].Kind, actions[i].Command = protocol.CodeActionKindQuickFix, prefixed(a.Command)
	}
	if display.ActionLiterals {
		return actions
	}
	return lists.Map(actions, func(a editor.Action) editor.Command { return a.Command })
}

// diagnostic is textDocument/diagnostic. The engine makes the client ask for it, so that the
// client sends the changes that it holds back.
func diagnostic(context.Context, []byte) (rpc.Work, error) {
	return func(context.Context) (any, error) {
		return json.RawMessage(`{"kind":"full","items":[]}`), nil
	}, nil
}

// textDocumentContent is workspace/textDocumentContent, for the documents of proposals.
func (s *server) textDocumentContent(_ context.Context, params []byte) (rpc.Work, error) {
	var p struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	return func(context.Context) (any, error) {
		content, err := s.asker.Documents.Content(p.URI)
		if err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
		}
		return map[string]string{"text": content}, nil
	}, nil
}

// reviewLenses returns the lenses of the marks in a document.
func (s *server) reviewLenses(doc *workspace.Document) []editor.Lens {
	if !s.settings.Load().Review.CodeLens {
		return nil
	}
	var diff func(id, path string) any
	if s.Editor().Plugin.Diff {
		diff = func(id, path string) any { return proposal.SidesOf(id, path) }
	}
	return s.editLog.Lenses(s.docs, doc.Key, diff)
}

// reviewChanged has the editor ask for the code lenses again after agents have changed
// something, or the user has reviewed it. When the user types, editors ask by themselves.
func (s *server) reviewChanged() {
	if s.settings.Load().Review.CodeLens {
		s.refreshLenses()
	}
}

// refreshLenses has the editor ask for the code lenses again, if it can be asked to. It never waits.
func (s *server) refreshLenses() {
	if s.Editor().Display.LensRefresh {
		workspace.Wake(s.lensNews)
	}
}

// sendRefreshes has the editor ask again each time that lensNews has a value: one at a time, since
// an editor may take long to answer.
func (s *server) sendRefreshes(ctx context.Context) {
	s.Throttle(ctx, s.lensNews, newsPause, func() (goOn bool) {
		if _, err := s.conn.Call(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil); err != nil {
			s.Log.Debug("refresh", "error", err)
		}
		return true
	})
}

// The server reports to the user: edits and warnings in the editor's log, and what only the user
// can act on in a message. It does not wait for the editor, which may be waiting for the server.

// telling is a notification for the user.
type telling struct {
	method string // window/logMessage or window/showMessage
	params *protocol.ShowMessageParams
}

// outbox holds the notifications for the user. It is safe for concurrent use.
type outbox chan telling

// maxOutbox is how many notifications may wait. More are dropped.
const maxOutbox = 100

// send sends the notifications to the client, in order, until ctx is done.
func (o outbox) send(ctx context.Context, client *rpc.Client) {
	for {
		select {
		case t := <-o:
			client.Notify(t.method, t.params)
		case <-ctx.Done():
			return
		}
	}
}

// add adds a message, as one line. It drops the message if the outbox is full.
func (o outbox) add(method string, kind protocol.MessageType, message string) {
	select {
	case o <- telling{method, &protocol.ShowMessageParams{Type: kind, Message: paths.OneLine(message, paths.MaxShownMessage)}}:
	default:
	}
}

// logDone has the editor's log say what the caller did.
func (s *caller) logDone(what string) {
	by := review.Author(s.called())
	s.outbox.add(protocol.MethodWindowLogMessage, protocol.MessageTypeInfo, by+": "+what)
}

// warnOf shows the user a message about an edit that could not be verified: only they can see whether their text is as it
// should be. It does so, too, about one that was refused when its program had already been told that it is written. An edit
// whose time was up is sent again.
func (s *caller) warnOf(command string, err error) {
	if err == nil || !Edits(strings.TrimPrefix(command, commands.Prefix)) {
		return
	}
	full, what := edits.Failure(err), "an edit"
	if full.Path != "" {
		what += " of " + paths.OneLine(full.Path, paths.MaxShownPath)
	}
	what += " by " + review.Author(s.called())
	switch why := full.Message; {
	case full.Kind == edits.NotSettled:
		what = "could not verify " + what + ": please look whether the text is as it should be."
	case !s.session.Unseen, full.Kind == edits.TimedOut, full.Kind == edits.NoChange:
		return
	default:
		if full.Kind == edits.Stale { // the rest is for a model
			why = "the same lines have changed since."
		}
		what = "did not make " + what + ", and the program does not know: " + why
	}
	s.outbox.add(protocol.MethodWindowShowMessage, protocol.MessageTypeWarning, "patchls "+what)
}

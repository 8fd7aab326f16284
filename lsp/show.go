package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
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

// codeAction is textDocument/codeAction. All that it offers are quick fixes, which is
// the kind that every editor asks for.
func (s *server) codeAction(doc *workspace.Document, p actionParams) any {
	display := s.client.Load().Display
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
	plain := make([]editor.Command, len(actions))
	for i, a := range actions {
		actions[i].Kind, actions[i].Command = protocol.CodeActionKindQuickFix, prefixed(a.Command)
		plain[i] = actions[i].Command
		plain[i].Title = a.Title
	}
	if display.ActionLiterals {
		return actions
	}
	return plain
}

// diagnostic is textDocument/diagnostic. The engine makes the client ask for it, so that the
// client sends the changes that it holds back.
func diagnostic(context.Context, []byte) (rpc.Work, error) {
	return func(context.Context) (any, error) {
		return struct {
			Kind  string     `json:"kind"`
			Items []struct{} `json:"items"`
		}{"full", []struct{}{}}, nil
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

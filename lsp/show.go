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

// What is shown in a document while a person looks at it: code lenses, code actions,
// hovers. An editor asks for it. Some of it is about what agents have changed there
// (lsp/review), some about the patches that the document holds (lsp/patchdoc).

// asked reads which open document a request is about; nil if it is not open, or if nobody
// knows its text.
func (s *server) asked(params []byte, more any) (*workspace.Document, error) {
	if err := json.Unmarshal(params, more); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	doc := s.mirror.openDocument(params)
	if doc != nil && doc.Drift != "" {
		doc = nil
	}
	return doc, nil
}

// prefixed returns a command under the name that it has in the editor.
func prefixed(c editor.Command) editor.Command {
	if c.Command != "" {
		c.Command = commands.Prefix + c.Command
	}
	return c
}

// codeLens is textDocument/codeLens.
func (s *server) codeLens(_ context.Context, params []byte) (rpc.Work, error) {
	doc, err := s.asked(params, &struct{}{})
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		lenses := []editor.Lens{}
		if doc != nil {
			lenses = append(lenses, s.reviewLenses(doc)...)
			lenses = append(lenses, s.patchDocs.Lenses(doc)...)
		}
		for i := range lenses {
			lenses[i].Command = prefixed(lenses[i].Command)
		}
		return lenses, nil
	}, nil
}

// codeAction is textDocument/codeAction. All that it offers are quick fixes, which is
// the kind that every editor asks for.
func (s *server) codeAction(_ context.Context, params []byte) (rpc.Work, error) {
	var p struct {
		Range   protocol.Range `json:"range"`
		Context struct {
			Only []protocol.CodeActionKind `json:"only"`
		} `json:"context"`
	}
	doc, err := s.asked(params, &p)
	if err != nil {
		return nil, err
	}
	wanted := len(p.Context.Only) == 0 || slices.Contains(p.Context.Only, "") || slices.Contains(p.Context.Only, protocol.CodeActionKindQuickFix)
	return func(context.Context) (any, error) {
		actions := []editor.Action{}
		if doc != nil && wanted {
			from, to := int(p.Range.Start.Line), int(p.Range.End.Line)
			actions = append(actions, s.made.Actions(s.docs, doc, from, to)...)
			if s.client.Load().Display.GeneratedTag {
				for i := range actions {
					actions[i].Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
				}
			}
			actions = append(actions, s.patchDocs.Actions(doc, from, to)...)
		}
		for i := range actions {
			actions[i].Kind, actions[i].Command = protocol.CodeActionKindQuickFix, prefixed(actions[i].Command)
		}
		if s.client.Load().Display.ActionLiterals {
			return actions, nil
		}
		plain := make([]editor.Command, len(actions))
		for i, a := range actions {
			plain[i] = a.Command
			plain[i].Title = a.Title
		}
		return plain, nil
	}, nil
}

// hover is textDocument/hover.
func (s *server) hover(_ context.Context, params []byte) (rpc.Work, error) {
	var p struct {
		Position protocol.Position `json:"position"`
	}
	doc, err := s.asked(params, &p)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		if doc == nil {
			return nil, nil
		}
		text := s.patchDocs.Hover(doc, int(p.Position.Line))
		if text == "" {
			return nil, nil
		}
		return map[string]any{"contents": map[string]string{"kind": "markdown", "value": text}}, nil
	}, nil
}

// diagnostic is textDocument/diagnostic. It answers what the engine has the client ask, so that it sends what it holds back.
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

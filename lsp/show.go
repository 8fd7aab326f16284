package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/workspace"
)

// What is shown in a document while a person looks at it: code lenses, code actions,
// hovers. An editor asks for it. Some of it is about what agents have changed there
// (review_*.go), some about the patches that the document holds (patchdoc_*.go).

// lens is LSP's CodeLens, with its command.
type lens struct {
	Range   protocol.Range `json:"range"`
	Command uiCommand      `json:"command"`
}

// uiCommand is LSP's Command: a title that, when it is chosen, runs a command of this
// server, or does nothing where Command is "".
type uiCommand struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// codeAction is LSP's CodeAction, with a command and no edit: whatever changes a text
// goes the way of all commands, and is verified.
type codeAction struct {
	Title   string                   `json:"title"`
	Kind    protocol.CodeActionKind  `json:"kind"`
	Tags    []protocol.CodeActionTag `json:"tags,omitempty"`
	Command uiCommand                `json:"command"`
}

// asked reads which open document a request is about; nil if it is not open, or if nobody
// knows its text.
func (s *server) asked(params []byte, more any) (*workspace.Document, error) {
	if err := json.Unmarshal(params, more); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	doc := s.openDocument(params)
	if doc != nil && doc.Drift != "" {
		doc = nil
	}
	return doc, nil
}

// codeLens is textDocument/codeLens.
func (s *server) codeLens(_ context.Context, params []byte) (work, error) {
	doc, err := s.asked(params, &struct{}{})
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		lenses := []lens{}
		if doc != nil {
			lenses = append(lenses, s.reviewLenses(doc)...)
			lenses = append(lenses, s.patchLenses(doc)...)
		}
		return lenses, nil
	}, nil
}

// codeAction is textDocument/codeAction. All that it offers are quick fixes, which is
// the kind that every editor asks for.
func (s *server) codeAction(_ context.Context, params []byte) (work, error) {
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
		actions := []codeAction{}
		if doc != nil && wanted {
			from, to := int(p.Range.Start.Line), int(p.Range.End.Line)
			actions = append(actions, s.reviewActions(doc, from, to)...)
			actions = append(actions, s.patchActions(doc, from, to)...)
		}
		for i := range actions {
			actions[i].Kind = protocol.CodeActionKindQuickFix
		}
		if s.client.Load().Display.ActionLiterals {
			return actions, nil
		}
		commands := make([]uiCommand, len(actions))
		for i, a := range actions {
			commands[i] = a.Command
			commands[i].Title = a.Title
		}
		return commands, nil
	}, nil
}

// hover is textDocument/hover.
func (s *server) hover(_ context.Context, params []byte) (work, error) {
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
		text := s.patchHover(doc, int(p.Position.Line))
		if text == "" {
			return nil, nil
		}
		return map[string]any{"contents": map[string]string{"kind": "markdown", "value": text}}, nil
	}, nil
}

package mcp

import (
	"context"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp"
	"github.com/patchls/patchls/lsp/transaction"
)

// refusal is an error of this endpoint. Kind is the contract's.
type refusal struct {
	kind    edits.Kind
	message string
}

func (r refusal) Error() string { return r.message }

// explained says of an error that is no answer of a server what it means.
func explained(c *lsp.Command, err error) error {
	_, answered := errors.AsType[*jsonrpc2.Error](err)
	_, own := errors.AsType[refusal](err)
	switch {
	case answered, own:
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return refusal{"cancelled", "The call was cancelled before an answer came."}
	case errors.Is(err, agent.ErrNotSent), !c.Edits:
		return refusal{"editor_gone", "The editor is gone, and nothing was done: " + err.Error() + "."}
	}
	return refusal{"editor_gone", "The editor is gone, and it is not known whether the edit was made: view the text before you go on (" + err.Error() + ")."}
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
	return refusal{"editor_gone", err.Error()}
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
	if own, ok := errors.AsType[refusal](err); ok {
		data.Kind = own.kind
	}
	if data.Suggestion != nil {
		data.Suggestion.Command = strings.TrimPrefix(data.Suggestion.Command, "patchls.")
		if !t.structured() {
			data.Suggestion = nil // it is a call of a native tool
		}
	}
	r := &sdk.CallToolResult{IsError: true, Content: content("Error: "+message+agent.Advice(data), session.Notes)}
	if t.structured() {
		r.StructuredContent = errorAnswer{errorContent{message, data}}
	}
	return r
}

// kindOf returns the kind of an error.
func kindOf(err error) edits.Kind {
	_, data := agent.ErrorData(err)
	return data.Kind
}

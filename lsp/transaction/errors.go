package transaction

import (
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
)

// ErrorData is the data of an error (docs/contract.md). Only the members that apply
// are there.
type ErrorData struct {
	Kind       edits.Kind         `json:"kind"`
	Path       string             `json:"path,omitempty"`
	Rev        string             `json:"rev,omitempty"`
	FileIndex  *int               `json:"file_index,omitempty"` // of a patch, from 0
	HunkIndex  *int               `json:"hunk_index,omitempty"` // from 0
	Candidates []edits.Candidate  `json:"candidates,omitempty"`
	Matches    []edits.Match      `json:"matches,omitempty"`
	Snippet    string             `json:"snippet,omitempty"`
	Suggestion *edits.Suggestion  `json:"suggestion,omitempty"` // whose command has its prefix
	Decision   *proposal.Decision `json:"decision,omitempty"`
}

// CommandError returns e as a server answers it, with what the user decided if they were asked.
func CommandError(e *edits.Error, decision *proposal.Decision) *jsonrpc2.Error {
	data := ErrorData{
		Kind: e.Kind, Path: e.Path, Rev: e.Rev, FileIndex: index(e.File), HunkIndex: index(e.Hunk),
		Candidates: e.Candidates, Matches: e.Matches, Snippet: e.Snippet, Decision: decision,
	}
	if e.Suggestion != nil {
		data.Suggestion = &edits.Suggestion{Command: commands.Prefix + e.Suggestion.Command, Arguments: e.Suggestion.Arguments}
	}
	raw, err := plainjson.Marshal(data)
	if err != nil {
		raw = nil // the message says it all the same
	}
	return &jsonrpc2.Error{Code: errorCode(e.Kind), Message: e.Message, Data: raw}
}

// index converts a number from 1 to an index from 0. 0 means absent, and gives nil.
func index(number int) *int {
	if number == 0 {
		return nil
	}
	number--
	return &number
}

// errorCode maps a kind to a code. ContentModified is never used:
// VS Code drops the answer of a command that has it.
func errorCode(kind edits.Kind) jsonrpc2.Code {
	switch kind {
	case edits.InvalidParams:
		return jsonrpc2.InvalidParams
	case editor.Cancelled:
		return jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled)
	}
	return jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed)
}

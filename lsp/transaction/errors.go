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
	Candidates []CandidateData    `json:"candidates,omitempty"`
	Matches    []MatchData        `json:"matches,omitempty"`
	Snippet    string             `json:"snippet,omitempty"`
	Suggestion *SuggestionData    `json:"suggestion,omitempty"`
	Decision   *proposal.Decision `json:"decision,omitempty"`
}

// SuggestionData is a call that would succeed on the text as it is.
type SuggestionData struct {
	Command   string         `json:"command"`
	Arguments map[string]any `json:"arguments"`
}

// CandidateData is a place that comes near. Lines are from 1, inclusive.
type CandidateData struct {
	StartLine       int             `json:"start_line"`
	EndLine         int             `json:"end_line"`
	Similarity      float64         `json:"similarity"`
	Difference      string          `json:"difference"`
	Text            string          `json:"text"`
	FirstDifference *DifferenceData `json:"first_difference,omitempty"`
}

// DifferenceData is where a candidate first differs from what was sent, blanks
// made visible: line and column are the file's, from 1.
type DifferenceData struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Sent   string `json:"sent"`
	Found  string `json:"found"`
}

// MatchData is a place of an ambiguous text: line and column from 1, the column
// in code points.
type MatchData struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	// Context is a line nearby that tells this place from the others.
	Context *ContextData `json:"context,omitempty"`
}

// ContextData is a line of the text, its number from 1.
type ContextData struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// CommandError returns e as a server answers it, with what the user decided if they were asked.
func CommandError(e *edits.Error, decision *proposal.Decision) *jsonrpc2.Error {
	data := ErrorData{Kind: e.Kind, Path: e.Path, Rev: e.Rev, Snippet: e.Snippet, Decision: decision}
	data.FileIndex, data.HunkIndex = index(e.File), index(e.Hunk)
	for _, c := range e.Candidates {
		data.Candidates = append(data.Candidates, CandidateData{
			c.StartLine, c.EndLine, c.Similarity, c.Difference, c.Text, (*DifferenceData)(c.FirstDifference),
		})
	}
	for _, m := range e.Matches {
		data.Matches = append(data.Matches, MatchData{m.Line, m.Column, (*ContextData)(m.Context)})
	}
	if e.Suggestion != nil {
		data.Suggestion = &SuggestionData{commands.Prefix + e.Suggestion.Command, e.Suggestion.Arguments}
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

package transaction

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/workspace/paths"
)

// Result is the answer of a command that edits (docs/contract.md).
type Result struct {
	Message  string       `json:"message"`
	Applied  bool         `json:"applied"`
	Verified bool         `json:"verified"`
	Rebased  bool         `json:"rebased"`
	EditID   string       `json:"edit_id"`
	Notes    []string     `json:"notes"`
	Files    []FileResult `json:"files"`
	Diff     string       `json:"diff"`
	// Decision is what the user said, where the command was to ask them.
	Decision *proposal.Decision `json:"decision,omitempty"`
	// WorkspaceEdit is what a client without workspace/applyEdit is to apply.
	WorkspaceEdit json.RawMessage `json:"workspace_edit,omitempty"`
}

// FileResult is what a command did to one file. Lines are from 1 and those of
// the new text.
type FileResult struct {
	Path       string              `json:"path"`
	URI        string              `json:"uri"`
	Change     string              `json:"change"`
	NewPath    string              `json:"new_path"`
	Rev        string              `json:"rev"`
	Version    int32               `json:"version"`
	Open       bool                `json:"open"`
	Dirty      bool                `json:"dirty"`
	Saved      bool                `json:"saved"`
	TotalLines int                 `json:"total_lines"`
	Hunks      []edits.Hunk        `json:"hunks"`
	Snippet    string              `json:"snippet"`
	Edits      []protocol.TextEdit `json:"edits,omitempty"`
}

// outcome is how far a command went with what it planned.
type outcome int

const (
	outcomeApplied     outcome = iota
	outcomeDryRun              // as it was to
	outcomeNoApplyEdit         // the client lacks workspace/applyEdit
)

// result returns the answer about a change, which landed as l if it was applied.
func (s *Server) result(j *apply.Change, how outcome, l apply.Outcome) *Result {
	r := &Result{Message: j.Plan.Message, Notes: append([]string{}, j.Plan.Notes...)}
	file := FileResult{Path: j.Path, URI: j.URI, Change: j.Kind, Hunks: []edits.Hunk{}}
	at := j.Target
	if j.Kind == editor.Rename {
		at = j.To
		file.URI, file.NewPath = at.URI, at.Path
	}
	now := j.After
	switch {
	case how != outcomeApplied:
		file.Open = j.Doc != nil
		file.Edits = apply.TextEdits(j.Text, j.Plan.Edits, s.Editor().Encoding)
		if file.Open {
			file.Version = j.Doc.Version
		}
		r.Message = "Dry run, nothing was changed: " + r.Message
		if how == outcomeNoApplyEdit {
			r.Message = "Not applied, the editor has no workspace/applyEdit: " + j.Plan.Message
			r.WorkspaceEdit, _ = protocol.Marshal(j.WorkspaceEdit(s.Editor()))
		}
	case l.Doc == nil:
		r.Applied = true
		r.Notes = append(r.Notes, fmt.Sprintf("The editor took the edit of %s, which it did not have open, and shows its text to nobody; so it is not verified.", j.Path))
	default:
		r.Applied, r.Verified, r.Rebased = true, true, j.Rebased
		file.Version = l.Doc.Version
		file.Open = s.Documents.Get(at.Key) != nil
		file.Dirty = file.Open && paths.IsDirty(at, now)
		file.Saved = l.SavedBy(file.Open, file.Dirty)
		if file.Dirty && j.Kind != editor.Rename {
			r.Notes = append(r.Notes, l.DiskNotes(at)...)
		}
	}
	file.Hunks = append(file.Hunks, j.Plan.Hunks...)
	file.Rev, file.TotalLines = now.Hash(), now.Lines()
	file.Snippet = lines.Snippet(now, j.Plan.Hunks)
	r.Files = []FileResult{file}
	r.Diff = j.Diff()
	return r
}

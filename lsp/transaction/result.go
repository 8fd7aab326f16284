package transaction

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/internal/plainjson"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/workspace/paths"
)

// Result is the answer to a command that edits (docs/build/results.md).
type Result struct {
	Message  string       `json:"message"`
	Applied  bool         `json:"applied"`
	Verified bool         `json:"verified"`
	Rebased  bool         `json:"rebased"`
	EditID   string       `json:"edit_id"`
	Notes    []string     `json:"notes"`
	Files    []FileResult `json:"files"`
	Diff     string       `json:"diff"`
	// Decision is the user's answer, if they were asked.
	Decision *proposal.Decision `json:"decision,omitempty"`
	// WorkspaceEdit is the edit that a client without workspace/applyEdit has to apply itself.
	WorkspaceEdit json.RawMessage `json:"workspace_edit,omitempty"`
}

// AddNote puts a note before the others.
func (r *Result) AddNote(note string) { r.Notes = append([]string{note}, r.Notes...) }

// FileResult describes what a command did to one file. Line numbers count from 1 and refer to the new text.
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

// answer returns the answer to the command, whose message is what words returns. It is the end of the transaction.
func (t *transaction) answer(words func(r *Result) string, notes []string, files ...*step) (*Result, error) {
	r, err := t.result(notes, files...)
	if err != nil {
		return nil, err
	}
	r.Notes = lists.Map(r.Notes, edits.Fit)
	if r.EditID = t.takesBack; r.EditID == "" && r.Applied {
		t.finish(r)
	}
	switch r.Message = words(r); {
	case t.dryRun:
		r.Message = "Dry run, nothing was changed: " + r.Message
	case !r.Applied:
		r.Message = "Not applied, the editor has no workspace/applyEdit: " + r.Message
	default:
		line, _, _ := strings.Cut(r.Message, "\n")
		t.s.Done(fmt.Sprintf("%s (%s, edit %s)", strings.TrimSuffix(line, "."), t.command, r.EditID))
		t.saveClean(r)
	}
	return r, nil
}

// result returns the answer, without its message. Each of files combines all changes of one file.
// result also records what the agent now knows of the texts. It fails only if the transaction only
// plans, and ends before all files are described or is that of an agent, who cannot make it.
func (t *transaction) result(notes []string, files ...*step) (*Result, error) {
	r := &Result{Notes: append([]string{}, notes...), Files: []FileResult{}}
	t.files = files
	if t.onlyPlans() {
		defer t.share.Take()()
	}
	var changes []*apply.Change
	for _, f := range files {
		if t.onlyPlans() && t.work.Err() != nil {
			break
		}
		changes, r.Files, r.Notes = append(changes, f.Change), append(r.Files, t.s.fileResult(f)), append(r.Notes, f.Notes()...)
	}
	if size := lists.Sum(changes, proposal.Size); size > proposal.MaxDiff {
		r.Notes = append(r.Notes, fmt.Sprintf("There is no diff, since %d bytes are changed and more than %d are not shown.", size, proposal.MaxDiff))
	} else {
		r.Diff = proposal.Diff(changes...)
	}
	if t.onlyPlans() {
		if !t.dryRun && t.s.Agent {
			return nil, edits.Errorf(edits.Unsupported, "Nothing was done: %s cannot be edited by a language server, since it lacks workspace/applyEdit. The user has to make the edit there.", cmp.Or(t.s.Editor().Name, "the editor"))
		}
		if !t.dryRun {
			all := lists.FlatMap(t.steps, func(st *step) []protocol.DocumentChange { return st.WorkspaceEdit(t.s.Editor()).DocumentChanges })
			r.WorkspaceEdit, _ = protocol.Marshal(protocol.WorkspaceEdit{DocumentChanges: all})
		}
		return r, t.ended(false)
	}
	r.Applied, r.Verified = true, true
	for _, st := range t.done {
		r.Rebased = r.Rebased || st.Rebased
		if st.outcome.Doc == nil && !st.outcome.Deleted {
			r.Verified = false
			r.Notes = append(r.Notes, fmt.Sprintf("The editor took the edit of %s, which it did not have open, and shows its text to nobody; so it is not verified.", st.Path))
		}
	}
	t.remember()
	for i, f := range files {
		if r.Files[i].Dirty && f.Kind != editor.Rename {
			r.Notes = append(r.Notes, f.outcome.DiskNotes(f.Target)...)
		}
	}
	return r, nil
}

// fileResult returns the part of an answer about one file. Its URI is the document's current one:
// after a rename, that of the new name.
func (s *Server) fileResult(st *step) FileResult {
	f := FileResult{Path: st.Path, URI: st.URI, Change: st.Kind, Hunks: append([]edits.Hunk{}, st.Plan.Hunks...)}
	at := st.at()
	switch st.Kind {
	case editor.Delete:
		return f
	case editor.Rename:
		f.URI, f.NewPath = at.URI, at.Path
	}
	switch l := st.outcome; {
	case l == nil:
		f.Edits = apply.TextEdits(st.Text, st.Plan.Edits, s.Editor().Encoding)
		if f.Open = st.Doc != nil; f.Open {
			f.Version = st.Doc.Version
		}
	case l.Doc != nil:
		f.URI, f.Version = l.Doc.URI, l.Doc.Version
		f.Open = s.Documents.Get(at.Key) != nil
		f.Dirty = f.Open && paths.IsDirty(at, st.After)
		f.Saved = l.SavedBy(f.Open, f.Dirty)
	}
	f.Rev, f.TotalLines = st.After.Hash(), st.After.Lines()
	f.Snippet, _, _ = page.Snippet(st.After, st.Plan.Hunks)
	return f
}

// Paths returns the paths of the files in a result, each once.
func (r *Result) Paths() []string {
	return lists.Unique(lists.Map(r.Files, func(f FileResult) string { return f.Path }))
}

// ErrorData is the data of an error (docs/build/results.md). Members that do not apply are left out.
type ErrorData struct {
	Kind       edits.Kind         `json:"kind"`
	Path       string             `json:"path,omitempty"`
	Rev        string             `json:"rev,omitempty"`
	FileIndex  *int               `json:"file_index,omitempty"` // in a patch, from 0
	HunkIndex  *int               `json:"hunk_index,omitempty"` // from 0
	Candidates []edits.Candidate  `json:"candidates,omitempty"`
	Matches    []edits.Match      `json:"matches,omitempty"`
	Snippet    string             `json:"snippet,omitempty"`
	Suggestion *edits.Suggestion  `json:"suggestion,omitempty"` // its command includes commands.Prefix
	Decision   *proposal.Decision `json:"decision,omitempty"`
}

// CommandError returns e as the server sends it, with the user's decision if they were asked.
func CommandError(e *edits.Error, decision *proposal.Decision) *jsonrpc2.Error {
	data := ErrorData{
		Kind: e.Kind, Path: e.Path, Rev: e.Rev, FileIndex: index(e.File), HunkIndex: index(e.Hunk),
		Candidates: e.Candidates, Matches: e.Matches, Snippet: e.Snippet, Decision: decision,
	}
	if e.Suggestion != nil {
		data.Suggestion = &edits.Suggestion{Command: commands.Prefix + e.Suggestion.Command, Arguments: e.Suggestion.Arguments}
	}
	raw, _ := plainjson.Marshal(data) // strings and numbers always encode
	return &jsonrpc2.Error{Code: errorCode(e.Kind), Message: edits.Bounded(edits.Fit(e.Message)), Data: raw}
}

// index converts a number counted from 1 to an index from 0. For 0, which means absent, it returns nil.
func index(number int) *int {
	if number == 0 {
		return nil
	}
	return new(number - 1)
}

// errorCode maps a kind to a code. ContentModified is never used, because VS Code drops answers with that code.
func errorCode(kind edits.Kind) jsonrpc2.Code {
	switch kind {
	case edits.InvalidParams:
		return jsonrpc2.InvalidParams
	case edits.Cancelled:
		return jsonrpc2.Code(protocol.LSPErrorCodesRequestCancelled)
	}
	return jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed)
}

package transaction

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/workspace/paths"
)

// result returns the answer.
func (p *patching) result(how outcome) *Result {
	r := &Result{Notes: append([]string{}, p.plan.Notes...), Files: []FileResult{}}
	planned := how != outcomeApplied
	for _, f := range p.files {
		if planned && p.work.Err() != nil {
			return r // which nobody gets
		}
		p.addNotes(r, f)
		if f.Changed() == "" {
			continue
		}
		r.Files = append(r.Files, p.fileResult(f))
	}
	r.Diff = p.plan.Diff()
	r.Message = p.plan.Message(len(r.Files))
	if planned {
		p.markUnapplied(r, how)
		return r
	}
	r.Applied, r.Verified = true, true
	p.numberHunks()
	for _, st := range p.done {
		if st.landed.Doc == nil && !st.landed.Deleted {
			r.Verified = false
			r.Notes = append(r.Notes, fmt.Sprintf("The editor took the edit of %s, which it did not have open, and shows its text to nobody; so it is not verified.", st.Path))
		}
		if st.landed.Doc != nil && st.file.Changed() == editor.Update && paths.IsDirty(st.Target, st.After) {
			r.Notes = append(r.Notes, st.landed.DiskNotes(st.Target)...)
		}
		p.remember(st)
	}
	r.EditID = p.s.remember(p.holds.under(p.s.Base), p.command, p.done...)
	p.tell(r.EditID, false)
	for _, st := range p.done {
		st.landed.RecordRev()
	}
	p.s.logEdit(r, p.command)
	p.s.ReviewChanged()
	return r
}

// addNotes adds what there is to say of a file, by name if there are several.
func (p *patching) addNotes(r *Result, f *patchplan.File) {
	r.Notes = append(r.Notes, f.InPlace...)
	for _, note := range f.Plan.Notes {
		if len(p.files) > 1 {
			note = f.Given + ": " + note
		}
		r.Notes = append(r.Notes, note)
	}
}

func (p *patching) markUnapplied(r *Result, how outcome) {
	for i, f := range p.plan.Changed() {
		r.Files[i].Edits = apply.TextEdits(f.Was.Text, f.Plan.Edits, p.s.Editor().Encoding)
		if !f.Exists {
			r.Files[i].Edits = nil
		}
	}
	if how == outcomeDryRun {
		r.Message = "Dry run, nothing was changed: " + r.Message
		return
	}
	r.Message = "Not applied, the editor has no workspace/applyEdit: " + r.Message
	r.WorkspaceEdit = p.workspaceEdit()
}

// workspaceEdit returns the whole patch for a client that applies it itself.
func (p *patching) workspaceEdit() json.RawMessage {
	var all protocol.WorkspaceEdit
	for _, f := range p.plan.InOrder() {
		for _, change := range f.Changes() {
			j := &apply.Change{Snapshot: f.Was, Kind: change, Plan: f.Plan, After: f.Text, To: f.At}
			if change == editor.Create || change == editor.Update && f.Changed() == editor.Rename {
				j.URI = f.At.URI
			}
			all.DocumentChanges = append(all.DocumentChanges, j.WorkspaceEdit(p.s.Editor()).DocumentChanges...)
		}
	}
	raw, _ := protocol.Marshal(all)
	return raw
}

// fileResult returns what is said of a file. Its URI is that of the document as
// it is now, under its new name if it has one.
func (p *patching) fileResult(f *patchplan.File) FileResult {
	r := FileResult{Path: f.From.Path, URI: f.At.URI, Change: f.Changed(), Hunks: append([]edits.Hunk{}, f.Hunks()...)}
	switch r.Change {
	case editor.Delete:
		return r
	case editor.Rename:
		r.NewPath = f.At.Path
	case editor.Create:
		r.Path = f.At.Path
	}
	now := f.Text
	if st := p.last(f); st == nil {
		if r.Open = f.Was.Doc != nil; r.Open {
			r.Version = f.Was.Doc.Version
		}
	} else if doc := st.landed.Doc; doc != nil {
		now = st.After
		r.URI, r.Version = doc.URI, doc.Version
		r.Open = p.s.Documents.Get(f.At.Key) != nil
		r.Dirty = r.Open && paths.IsDirty(f.At, now)
		r.Saved = st.landed.SavedBy(r.Open, r.Dirty)
	}
	r.Rev, r.TotalLines = now.Hash(), now.Lines()
	r.Snippet = lines.Snippet(now, f.Plan.Hunks)
	return r
}

// last returns the last edit of f that was applied, nil if none was.
func (p *patching) last(f *patchplan.File) *patchStep {
	var last *patchStep
	for _, st := range p.done {
		if st.file == f {
			last = st
		}
	}
	return last
}

// numberHunks has the steps know where in the answer their hunks are.
func (p *patching) numberHunks() {
	before := 0
	for _, f := range p.plan.Changed() {
		for _, st := range p.done {
			if st.file == f {
				st.hunksBefore = before
			}
		}
		before += len(f.Hunks())
	}
}

// remember takes in what the agent knows of the texts by now.
func (p *patching) remember(st *patchStep) {
	shown := p.s.Shown
	switch {
	case st.Kind == editor.Delete:
		shown.Forget(st.Key)
	case st.Kind == editor.Rename:
		shown.Renamed(st.Key, st.To.Key)
	case st.landed.Doc == nil:
		shown.Forget(st.Key)
	default:
		shown.Edited(st.Key, st.Text, st.After, st.Plan, st.Kind == editor.Create)
	}
}

// backReport is what came of taking back.
type backReport struct {
	back    []string
	emptied []string
	held    []heldFile
	unclear string // a file that is neither as it was nor as the patch wants it
}

type heldFile struct {
	path string
	why  error
}

// String words the report in one or more sentences.
func (r backReport) String() string {
	r.back = slices.DeleteFunc(r.back, func(path string) bool {
		return slices.ContainsFunc(r.held, func(h heldFile) bool { return h.path == path })
	})
	clean := len(r.emptied)+len(r.held) == 0 && r.unclear == ""
	if clean && len(r.back) == 0 {
		return "No file was changed."
	}
	var b strings.Builder
	verb := "was"
	if len(r.back) > 1 {
		verb = "were"
	}
	switch put := edits.Listed(r.back) + " " + verb + " put back"; {
	case clean:
		return "Nothing is changed: " + put + "."
	case len(r.back) > 0:
		b.WriteString(put + ". ")
	}
	for _, path := range r.emptied {
		fmt.Fprintf(&b, "%s could not be deleted again and is left empty. ", path)
	}
	for _, h := range r.held {
		if errors.Is(h.why, errUnseen) {
			fmt.Fprintf(&b, "%s may still hold its part of the patch (%v). ", h.path, h.why)
			continue
		}
		fmt.Fprintf(&b, "%s could not be put back (%s) and still holds its part of the patch. ", h.path, strings.TrimSuffix(h.why.Error(), "."))
	}
	if r.unclear != "" {
		fmt.Fprintf(&b, "%s has another text than before. ", r.unclear)
	}
	return strings.TrimSuffix(b.String(), " ")
}

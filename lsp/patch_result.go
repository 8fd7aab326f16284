package lsp

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
)

// result returns the answer: unapplied{} for what was only planned.
func (p *patching) result(o outcome) *Result {
	r := &Result{Notes: append([]string{}, p.notes...), Files: []FileResult{}}
	u, planned := o.(unapplied)
	for _, f := range p.files {
		if planned && p.work.Err() != nil {
			return r // which nobody gets
		}
		p.addNotes(r, f)
		if f.changed() == "" {
			continue
		}
		r.Files = append(r.Files, p.fileResult(f))
	}
	r.Diff = p.diff()
	r.Message = p.message(len(r.Files))
	if planned {
		p.markUnapplied(r, u)
		return r
	}
	r.Applied, r.Verified = true, true
	p.numberHunks()
	var landings []landed
	for _, st := range p.done {
		landings = append(landings, st.landed)
		if st.landed.doc == nil && !st.landed.gone {
			r.Verified = false
			r.Notes = append(r.Notes, fmt.Sprintf("The editor took the edit of %s, which it did not have open, and shows its text to nobody; so it is not verified.", st.Path))
		}
		if st.landed.doc != nil && st.file.changed() == changeUpdate && isDirty(st.Target, st.after) {
			r.Notes = append(r.Notes, st.landed.diskNotes(st.Target)...)
		}
		p.remember(st)
	}
	r.EditID = p.s.made.add(p.s, p.command, landings...)
	p.tell(r.EditID, false)
	for _, l := range landings {
		l.told()
	}
	p.s.logEdit(r, p.command)
	p.s.reviewChanged()
	return r
}

// addNotes adds what there is to say of a file, by name if there are several.
func (p *patching) addNotes(r *Result, f *patchedFile) {
	r.Notes = append(r.Notes, f.inPlace...)
	for _, note := range f.plan.Notes {
		if len(p.files) > 1 {
			note = f.given + ": " + note
		}
		r.Notes = append(r.Notes, note)
	}
}

// message is the sentence on the whole patch. Planning has one for a patch of
// one file, which counts the lines as the hunks have them.
func (p *patching) message(files int) string {
	if f := p.files[0]; len(p.files) == 1 && len(f.parts) == 1 && f.plan.Message != "" && f.exists {
		return f.plan.Message
	}
	added, removed := 0, 0
	for _, f := range p.files {
		for _, h := range f.hunkResults() {
			added += h.NewLines
			removed += h.OldLines
		}
	}
	return fmt.Sprintf("Patched %s: %s added, %d removed.", edits.Count(files, "file"), edits.Count(added, "line"), removed)
}

func (p *patching) markUnapplied(r *Result, u unapplied) {
	for i, f := range p.changed() {
		r.Files[i].Edits = textEdits(f.was.Text, f.plan.Edits, p.s.encoding)
		if !f.exists {
			r.Files[i].Edits = nil
		}
	}
	if !u.noApplyEdit {
		r.Message = "Dry run, nothing was changed: " + r.Message
		return
	}
	r.Message = "Not applied, the editor has no workspace/applyEdit: " + r.Message
	r.WorkspaceEdit = p.workspaceEdit()
}

// workspaceEdit returns the whole patch for a client that applies it itself.
func (p *patching) workspaceEdit() json.RawMessage {
	var all protocol.WorkspaceEdit
	for _, f := range p.inOrder() {
		for _, change := range f.changes() {
			j := &job{Snapshot: f.was, kind: change, plan: f.plan, after: f.text, to: f.at}
			if change == changeCreate || change == changeUpdate && f.changed() == changeRename {
				j.URI = f.at.URI
			}
			all.DocumentChanges = append(all.DocumentChanges, j.workspaceEdit(p.s.encoding, p.s.client.Load()).DocumentChanges...)
		}
	}
	raw, _ := protocol.Marshal(all)
	return raw
}

// changed returns the files that the patch changes, as they are first mentioned.
func (p *patching) changed() []*patchedFile {
	var changed []*patchedFile
	for _, f := range p.files {
		if f.changed() != "" {
			changed = append(changed, f)
		}
	}
	return changed
}

// fileResult returns what is said of a file. Its URI is that of the document as
// it is now, under its new name if it has one.
func (p *patching) fileResult(f *patchedFile) FileResult {
	r := FileResult{Path: f.from.Path, URI: f.at.URI, Change: f.changed(), Hunks: f.hunkResults()}
	switch r.Change {
	case changeDelete:
		return r
	case changeRename:
		r.NewPath = f.at.Path
	case changeCreate:
		r.Path = f.at.Path
	}
	now := f.text
	if st := p.last(f); st == nil {
		if r.Open = f.was.Doc != nil; r.Open {
			r.Version = f.was.Doc.Version
		}
	} else if doc := st.landed.doc; doc != nil {
		now = st.after
		r.URI, r.Version = doc.URI, doc.Version
		r.Open = p.s.docs.Get(f.at.Key) != nil
		r.Dirty = r.Open && isDirty(f.at, now)
		r.Saved = st.landed.savedBy(r.Open, r.Dirty)
	}
	r.Rev, r.TotalLines = now.Hash(), now.Lines()
	r.Snippet = snippet(now, f.plan.Hunks)
	return r
}

// last returns the last edit of f that was applied, nil if none was.
func (p *patching) last(f *patchedFile) *patchStep {
	var last *patchStep
	for _, st := range p.done {
		if st.file == f {
			last = st
		}
	}
	return last
}

func (f *patchedFile) hunkResults() []HunkResult {
	hunks := []HunkResult{}
	if !f.exists {
		if n := f.was.Text.Lines(); f.was.Exists && n > 0 {
			hunks = append(hunks, HunkResult{StartLine: 1, OldLines: n, Match: edits.Exact})
		}
		return hunks
	}
	for _, h := range f.plan.Hunks {
		hunks = append(hunks, HunkResult(h))
	}
	return hunks
}

// numberHunks has the steps know where in the answer their hunks are.
func (p *patching) numberHunks() {
	before := 0
	for _, f := range p.changed() {
		for _, st := range p.done {
			if st.file == f {
				st.landed.job.hunksBefore = before
			}
		}
		before += len(f.hunkResults())
	}
}

// remember takes in what the agent knows of the texts by now.
func (p *patching) remember(st *patchStep) {
	shown := &p.s.shown
	switch {
	case st.kind == changeDelete:
		shown.forget(st.Key)
	case st.kind == changeRename:
		shown.renamed(st.Key, st.to.Key)
	case st.landed.doc == nil:
		shown.forget(st.Key)
	default:
		shown.edited(st.job, st.after, st.kind == changeCreate)
	}
}

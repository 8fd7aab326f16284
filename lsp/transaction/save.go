package transaction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

const methodSave = "patchls/save"

// saveParams are the parameters of patchls/save. Leads is where the name of each document leads. A plugin looks again
// right before the editor writes, since another program may have put a link there meanwhile, and then does not save.
type saveParams struct {
	URIs  []string          `json:"uris"`
	Leads map[string]string `json:"leads"`
}

// SaveArgs are the arguments of the command save.
type SaveArgs struct {
	Paths []string `json:"paths,omitempty" jsonschema:"the files; absent: all that agents have edited and that are unsaved"`
	Label string   `json:"label,omitempty" jsonschema:"has no effect"`
}

// Save has the editor save the given documents and no others, one at a time. LSP has
// no request for saving, so the editor must support patchls/save.
func (s *Session) Save(ctx context.Context, arrival *workspace.Turn, name string, args SaveArgs) (*Result, error) {
	return s.confirmed(ctx, arrival, name, commands.EditOptions{}, func(t *transaction) (*Result, error) { return s.save(t, args) })
}

func (s *Session) save(t *transaction, args SaveArgs) (*Result, error) {
	if err := t.Wait(args.Paths...); err != nil {
		return nil, err
	}
	docs, err := s.toSave(args.Paths)
	if err != nil {
		return nil, err
	}
	if !s.Editor().Plugin.Save && len(docs) > 0 {
		return nil, edits.ErrorIn(edits.Unsupported, docs[0].Path, "The editor cannot be asked to save; the edit is in its buffer of %s. Ask the user to save it.", docs[0].Path)
	}
	if steps := s.guarded(docs); len(steps) > 0 {
		if err := t.check(fmt.Sprintf("Saves %s.", edits.Count(len(steps), "file")), steps...); err != nil {
			return nil, err
		}
	}
	result := &Result{Notes: []string{}, Files: []FileResult{}, Applied: true, Verified: true}
	if err := t.ended(false); err != nil {
		return nil, err
	}
	var saved, unsaved []string
	for _, d := range docs {
		f, err := t.saveOne(d, false)
		t.advanced()
		s.Log.DebugContext(t.Ctx, "saved", "path", d.Path, "saved", f.Saved)
		switch {
		case err != nil && len(saved) > 0:
			full := *edits.Failure(err)
			full.Message += fmt.Sprintf(" Saved before that: %s.", edits.Listed(saved))
			return nil, &full
		case err != nil:
			return nil, err
		case f.Saved:
			saved = append(saved, f.Path)
		default:
			unsaved = append(unsaved, f.Path)
			result.Verified = false
		}
		result.Files = append(result.Files, f)
	}
	result.Message = fmt.Sprintf("Saved %s.", edits.Count(len(docs), "file"))
	if len(unsaved) > 0 {
		result.Message = fmt.Sprintf("Saved %d of %s: of %s the editor says that it is saved, and the file has another text.",
			len(docs)-len(unsaved), edits.Count(len(docs), "file"), edits.Listed(unsaved))
	}
	return result, nil
}

// guarded returns what saving documents would change in guarded files, which takes the user's agreement: it is the
// user's text too, and they may not be done with it.
func (s *Session) guarded(docs []workspace.Snapshot) (steps []*step) {
	w := s.Workspace().Terse()
	for _, d := range docs {
		if d.Doc == nil || d.Guarded == nil || !paths.IsDirty(d.Target, d.Text) {
			continue
		}
		c := &apply.Change{Snapshot: d, Kind: editor.Update, After: d.Text}
		file, err := w.Policy.ReadClosed(d.Target)
		if c.Text = file.Text; err != nil {
			c.Kind = editor.Create
		}
		c.Plan = diff.PlanOf(c.Text, diff.Rewrite(c.Text, 0, c.Text.Len(), d.Text.String()))
		steps = append(steps, &step{Change: c})
	}
	return steps
}

// toSave returns the documents to save.
func (s *Session) toSave(names []string) ([]workspace.Snapshot, error) {
	w := s.Workspace()
	all := len(names) == 0
	if all {
		w = w.Terse()
		steps := lists.FlatMap(s.EditLog.List(), func(e *review.Edit) []review.Step { return e.Steps })
		names = lists.Map(steps, func(st review.Step) string { return st.Target.URI })
	}
	var docs []workspace.Snapshot
	for _, name := range names {
		place, err := w.Resolve(name)
		var snap workspace.Snapshot
		if err == nil {
			snap, err = w.Read(place)
		}
		switch {
		case slices.ContainsFunc(docs, func(d workspace.Snapshot) bool { return err == nil && d.Key == snap.Key }):
		case all && (err != nil || snap.Doc == nil || snap.Abs == "" || !paths.IsDirty(snap.Target, snap.Text)):
		case err != nil:
			return nil, err
		default:
			if snap.Target, err = w.Reach(snap.Target, paths.Save); err != nil { // before the user is asked
				return nil, err
			}
			docs = append(docs, snap)
		}
	}
	return docs, nil
}

// saveOne has the editor save one document, and checks that its text is on disk. exact: it is saved only with the text that it
// has in d, as guarded files are in any case.
func (t *transaction) saveOne(d workspace.Snapshot, exact bool) (FileResult, error) {
	s, ctx := t.s, t.Bounded
	f := FileResult{Path: d.Path, URI: d.URI, Change: editor.Update, Hunks: []edits.Hunk{}, Open: d.Doc != nil, TotalLines: d.Text.Lines(), Rev: d.Text.Hash()}
	if d.Doc == nil { // the text exists only on disk
		f.Saved = true
		return f, nil
	}
	if err := t.mayWrite(d.Target); err != nil { // this may take time
		return f, err
	}
	place, err := s.Engine.Reach(d.Target, paths.Save)
	if err == nil && paths.IsDirty(place, d.Text) {
		err = t.agreement.Covers(s.Workspace(), &place)
	}
	if doc := s.Documents.Get(d.Key); err == nil && (exact || place.Guarded != nil) && doc != nil && !doc.Text.Equal(d.Text) {
		err = edits.ErrorIn(edits.Stale, d.Path, "%s was changed before it was saved; nothing was saved.", d.Path)
	}
	if err != nil {
		return f, err
	}
	defer s.Documents.Opening([]paths.Key{d.Key}, nil)()
	var answer struct {
		Results []struct {
			Saved bool   `json:"saved"`
			Error string `json:"error"`
		} `json:"results"`
	}
	if ctx.Err() == nil {
		err = s.Client.Call(ctx, methodSave, saveParams{[]string{d.URI}, map[string]string{d.URI: place.Leads()}}, &answer)
	}
	switch {
	case ctx.Err() != nil:
		return f, edits.ErrorIn(edits.TimedOut, d.Path, "The editor did not save %s in time.", d.Path)
	case err != nil:
		return f, edits.ErrorIn(edits.Rejected, d.Path, "The editor did not save %s (%q).", d.Path, err.Error())
	case len(answer.Results) != 1 || !answer.Results[0].Saved:
		why := ""
		if len(answer.Results) == 1 && answer.Results[0].Error != "" {
			why = fmt.Sprintf(" (%q)", answer.Results[0].Error)
		}
		return f, edits.ErrorIn(edits.Rejected, d.Path, "The editor did not save %s%s.", d.Path, why)
	}
	now := d.Text // unless a formatter changed it during the save
	doc := s.Documents.Get(d.Key)
	if f.Open = doc != nil; f.Open {
		now, f.Version = doc.Text, doc.Version
		doc.History.Mark(doc.Seq, doc.Text.Hash())
	}
	f.Rev, f.TotalLines = now.Hash(), now.Lines()
	f.Dirty = paths.IsDirty(place, now)
	f.Saved = !f.Dirty
	if went, err := s.Engine.Reach(d.Target, paths.Save); !edits.IsKind(err, edits.Unsupported) && (err != nil || !went.IsAt(place)) {
		s.Log.WarnContext(ctx, "the name of a document led elsewhere while it was saved, and another file may have been written", "uri", d.URI)
		return f, edits.ErrorIn(edits.OutsideWorkspace, d.Path, "The name of %s led elsewhere while the editor saved it, so another file may have its text now; tell the user.", d.Path)
	}
	if f.Dirty {
		s.Log.WarnContext(ctx, "a document was saved, and its file has another text: another program has written it, or the name led elsewhere meanwhile", "uri", d.URI)
	}
	return f, nil
}

// mayWrite returns an error if one of the files, which the editor is to write, make, move or delete, has unsaved text under
// another name, or in another editor.
func (t *transaction) mayWrite(files ...paths.Target) error {
	for _, f := range files {
		if f.Abs == "" {
			continue
		}
		if err := t.s.Workspace().CheckNames(f); err != nil {
			return err
		}
		if t.others == nil {
			continue
		}
		if err := t.others.MayWrite(t.Bounded, f.Abs); err != nil {
			return edits.ErrorIn(edits.Rejected, f.Path, "%s was not written, moved or deleted: %s.", f.Path, strings.TrimSuffix(err.Error(), "."))
		}
	}
	return nil
}

// saveClean has the editor save the files of an answer, if the command or the setting asks for it. A
// file that had unsaved changes before is left alone: no edit saves what the user has not saved. The
// answer says why a file was not saved, and if a new file is not on disk.
func (t *transaction) saveClean(r *Result) {
	for i, st := range t.files {
		f := &r.Files[i]
		edited, isNew := f.Rev, st.Kind == editor.Create
		if st.Kind == editor.Delete || f.Saved {
			continue
		}
		if t.save || t.s.Saves(isNew) {
			if why := t.saveEdited(f, st); why != "" {
				r.Notes = append(r.Notes, fmt.Sprintf("%s was not saved: %s.", st.at().Path, strings.TrimSuffix(why, ".")))
			} else if f.Rev != edited {
				r.Notes = append(r.Notes, fmt.Sprintf("%s was changed while it was saved, as a formatter does; view it again.", st.at().Path))
			}
		}
		if isNew && f.Dirty {
			r.Notes = append(r.Notes, NotOnDisk(st.at().Path))
		}
		t.advanced()
	}
}

// NotOnDisk returns the note on a new file that is not saved.
func NotOnDisk(path string) string {
	return "The text of " + path + " is not on disk until it is saved: only the editor has it, and your shell and file tools do not see it."
}

// saveEdited has the editor save a file as an edit left it. It returns the reason if the file is not saved.
func (t *transaction) saveEdited(f *FileResult, st *step) (why string) {
	snap, err := t.s.Workspace().Terse().Read(st.at())
	switch {
	case err != nil:
		return err.Error()
	case !t.s.Editor().Plugin.Save:
		return "the editor cannot be asked to save; ask the user"
	case snap.Doc == nil:
		return "the editor does not have it open any more"
	case st.Kind != editor.Create && paths.IsDirty(snap.Target, st.Text):
		return "it had unsaved changes before the edit, which are the user's to save; once they agree, call save"
	case !snap.Text.Equal(st.After):
		return "it was changed again since the edit"
	case t.agreement.Covers(t.s.Workspace(), &snap.Target) != nil:
		return "it has come to be protected; call save, which asks the user"
	}
	saved, err := t.saveOne(snap, true)
	if err != nil {
		return err.Error()
	}
	f.Rev, f.TotalLines, f.Version, f.Open, f.Dirty, f.Saved = saved.Rev, saved.TotalLines, saved.Version, saved.Open, saved.Dirty, saved.Saved
	if !saved.Saved {
		return "the file still has another text"
	}
	return ""
}

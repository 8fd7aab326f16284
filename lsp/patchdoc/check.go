package patchdoc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// foundHunk is what became of a hunk.
type foundHunk struct {
	command.Place
	path, uri string // of the file that it is about; uri is "" where there is none
	does      string // in place of a line: what a part without hunks does
	fault     *edits.Error
	placement *command.Placement // that has no place for it, as the hunk numbered index, from 0; else nil
	index     int
}

// isLost reports whether a hunk has no place, which is found out of it alone.
func (f *foundHunk) isLost() bool { return f.placement != nil }

// fails reports whether a hunk cannot be applied.
func (f *foundHunk) fails() bool { return f.isLost() || f.fault != nil }

// patchFault is why a part of a patch cannot be applied, be it about its hunks or not.
type patchFault struct {
	line int // of the text that holds the patch, from 0
	err  *edits.Error
}

// For a hunk without a place what comes near is sought, for which all of the text is
// searched. That is done for so many hunks, in texts of so many bytes in all.
const (
	maxExplained = 64
	maxSearched  = 64 << 20
)

// maxMissing bounds for how many missing files we look for similar names.
const maxMissing = 8

// look brings what is known of a document up to date. It returns the document, nil if it is
// closed, and what is to be said of it.
func (d *patchDoc) look() (*workspace.Document, []diagnostic) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lookNow(), d.said
}

// lookNow is look for who has the lock. It returns the document, nil if it is closed. The
// hunks are placed anew where the document has changed, or a text that they are about.
func (d *patchDoc) lookNow() *workspace.Document {
	doc := d.c.Documents.Get(d.key)
	if doc == nil {
		return nil
	}
	outdated := d.outdated.Swap(false)
	same := d.state != nil && d.state.Text == doc.Text
	if d.state = doc; same && !outdated && !d.hasChanged() {
		return doc
	}
	if !same {
		d.held = readPatches(doc.Text, d.markdown, true)
	}
	d.rests, d.faults, d.found = nil, nil, make([]foundHunk, len(d.held.hunks))
	missing := 0
	for i := range d.held.patches {
		d.check(i, &missing)
	}
	d.explainSome()
	d.said = d.say()
	return doc
}

// hasChanged reports whether what was found depends on other texts than the present ones.
func (d *patchDoc) hasChanged() bool {
	return slices.ContainsFunc(d.rests, func(was rest) bool {
		now := rest{key: was.key}
		now.look(d.c.Documents)
		return now != was
	})
}

// check places the hunks of a patch as apply_patch would. missing counts files that are
// not there.
func (d *patchDoc) check(nth int, missing *int) {
	if d.held.patches[nth].err != nil {
		return
	}
	w := d.c.Workspace()
	files := d.held.patches[nth].patch.Files
	for _, f := range files {
		for _, path := range []string{f.Path, f.OtherPath, f.NewPath} {
			if path == "" {
				continue
			}
			if at, err := w.Resolve(path); err == nil {
				r := rest{key: at.Key}
				r.look(d.c.Documents)
				d.rests = append(d.rests, r)
			}
		}
	}
	p, done := d.c.Plan()
	defer done()
	for i := range files {
		p.Terse = *missing >= maxMissing
		before := len(d.faults)
		err := d.c.Fenced("patch", func() { d.checkPart(p, nth, i) })
		if err != nil { // a fault of this program, which must not be one of all documents
			d.c.Log.Error("check", "error", err)
			d.fault(nth, i, editor.Failure(err))
		}
		if n := len(d.faults); n > before && d.faults[n-1].err.Kind == paths.FileNotFound {
			*missing++
		}
	}
}

// fault says that a part cannot be applied.
func (d *patchDoc) fault(nth, file int, err *edits.Error) {
	p := &d.held.patches[nth]
	d.faults = append(d.faults, patchFault{min(p.line+p.patch.Files[file].Line-1, max(p.line, p.end-1)), err})
	from, to := d.held.hunksOf(nth, file)
	for i := from; i < to; i++ {
		d.found[i].fault = err
	}
}

// checkPart places the hunks of one part, on the files as those before it leave them.
func (d *patchDoc) checkPart(p *patchplan.Plan, nth, file int) {
	part := d.held.patches[nth].patch.Files[file]
	was := p.InPlaceNotes()
	var placement *command.Placement
	err := p.Part(patchplan.Part{File: part, Number: file + 1, Placed: func(pl *command.Placement) { placement = pl }})
	from, to := d.held.hunksOf(nth, file)
	f := p.FileOf(file + 1)
	for i := from; i < to; i++ {
		found := foundHunk{path: part.Path}
		if f != nil {
			if found.path = f.Given; f.Was.Exists {
				found.uri = f.Was.URI
			}
		}
		d.found[i] = found
		if h := d.held.hunks[i]; h.hunk >= 0 && placement != nil {
			d.found[i].place(placement, h.hunk)
		} else if err == nil && f != nil {
			d.found[i].State, d.found[i].does = command.Placed, does(part)
			if p.InPlaceNotes() > was {
				d.found[i].State = command.InPlace
			}
		}
	}
	switch {
	case err == nil:
		if placement != nil && placement.Err != nil {
			d.fault(nth, file, placement.Err)
		}
	case edits.IsKind(err, paths.FileNotFound) && d.wasDone(p, part, from, to):
	case placement == nil || placement.Err != nil || !slices.ContainsFunc(d.found[from:to], func(f foundHunk) bool { return f.isLost() }):
		d.fault(nth, file, editor.Failure(err))
	}
}

// place takes in where a hunk has its place.
func (f *foundHunk) place(pl *command.Placement, index int) {
	if f.Place = pl.Places[index]; f.State == command.Unplaced && pl.Err == nil {
		f.placement, f.index = pl, index
	}
}

// wasDone reports whether a part whose file is not there was applied before, and says so
// of its hunks.
func (d *patchDoc) wasDone(p *patchplan.Plan, part patch.File, from, to int) bool {
	note, ok := p.AlreadyApplied(part)
	for i := from; ok && i < to; i++ {
		d.found[i].State, d.found[i].does = command.InPlace, strings.TrimSuffix(note, ".")
	}
	return ok
}

// does says what a part without hunks does.
func does(part patch.File) string {
	switch {
	case part.Op == patch.AddFile:
		return "creates " + part.Path
	case part.Op == patch.DeleteFile:
		return "deletes " + part.Path
	case part.NewPath != "":
		return fmt.Sprintf("moves %s to %s", part.Path, part.NewPath)
	}
	return "changes " + part.Path
}

// explainSome finds why hunks have no place.
func (d *patchDoc) explainSome() {
	explained, searched := 0, 0
	for i := range d.found {
		f := &d.found[i]
		if !f.isLost() {
			continue
		}
		if explained++; explained > maxExplained {
			return
		}
		if n := f.placement.Searched(); searched+n <= maxSearched {
			searched += n
			f.explain()
		}
	}
}

// explain finds why a hunk has no place.
func (f *foundHunk) explain() { f.fault = f.placement.Reason(f.index) }

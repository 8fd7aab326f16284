package patchdoc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// status is where a hunk goes, or why it goes nowhere.
type status struct {
	place.Place
	path, uri string // of the file that it is about; uri is "" where there is none
	action    string // in place of a line: what a part without hunks does
	fault     *edits.Error
	// placement is the one that has no place for the hunk, which is its number index from 0; nil
	// if the hunk has a place, or if the whole part fails.
	placement *place.Placement
	index     int
}

// isUnplaced reports whether the hunk itself has no place, while others of its part may have one.
func (f *status) isUnplaced() bool { return f.placement != nil }

// fails reports whether a hunk cannot be applied.
func (f *status) fails() bool { return f.isUnplaced() || f.fault != nil }

// fault is why a part of a patch cannot be applied as a whole.
type fault struct {
	line int // of the text that holds the patch, from 0
	err  *edits.Error
}

// To say why a hunk has no place the whole text is searched for what comes near. These bound
// the hunks for which that is done in a check, and the bytes that are searched for all of them.
const (
	maxExplained = 64
	maxSearched  = 64 << 20
)

// maxMissing bounds for how many missing files we look for similar names.
const maxMissing = 8

// with brings a document up to date and calls use with it, under its lock. It does not call use
// if the document is not open, or is none that may hold patches.
func (c *Checker) with(key paths.Key, use func(d *document)) {
	d := c.get(key)
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refresh() {
		use(d)
	}
}

// refresh places the hunks of a document anew, if the document has changed or a text that they are
// about, and reports whether the document is open.
func (d *document) refresh() (open bool) {
	doc := d.c.Documents.Get(d.key)
	if doc == nil {
		return false
	}
	outdated := d.outdated.Swap(false)
	same := d.doc != nil && d.doc.Text == doc.Text
	if d.doc = doc; same && !outdated && !d.hasChanged() {
		return true
	}
	if !same {
		d.contents = readPatches(doc.Text, d.markdown, true)
	}
	d.dependencies, d.faults, d.found = nil, nil, make([]status, len(d.contents.hunks))
	missing := 0
	for i := range d.contents.blocks {
		d.checkBlock(i, &missing)
	}
	d.explainUnplaced()
	d.diagnostics = d.diagnose()
	return true
}

// hasChanged reports whether a text on which the result depends has changed.
func (d *document) hasChanged() bool {
	return slices.ContainsFunc(d.dependencies, func(was dependency) bool { return d.c.dependency(was.key) != was })
}

// checkBlock places the hunks of a patch as apply_patch would. missing counts files that are
// not there.
func (d *document) checkBlock(nth int, missing *int) {
	if d.contents.blocks[nth].err != nil {
		return
	}
	w := d.c.Workspace()
	files := d.contents.blocks[nth].patch.Files
	for _, f := range files {
		for _, path := range []string{f.Path, f.OtherPath, f.NewPath} {
			if path == "" {
				continue
			}
			if at, err := w.Resolve(path); err == nil {
				d.dependencies = append(d.dependencies, d.c.dependency(at.Key))
			}
		}
	}
	p, done := d.c.Plan()
	defer done()
	for i := range files {
		p.Terse = *missing >= maxMissing
		before := len(d.faults)
		_, err := rpc.Fenced("patch", func() (any, error) { d.checkPart(p, nth, i); return nil, nil })
		if err != nil { // a bug, which must not keep the other parts from being checked
			d.c.Client.Log.Error("check", "error", err)
			d.addFault(nth, i, editor.Failure(err))
		}
		if n := len(d.faults); n > before && d.faults[n-1].err.Kind == paths.FileNotFound {
			*missing++
		}
	}
}

// addFault says that a part cannot be applied.
func (d *document) addFault(nth, file int, err *edits.Error) {
	p := &d.contents.blocks[nth]
	d.faults = append(d.faults, fault{min(p.line+p.patch.Files[file].Line-1, max(p.line, p.end-1)), err})
	from, to := d.contents.hunksOf(nth, file)
	for i := from; i < to; i++ {
		d.found[i].fault = err
	}
}

// checkPart places the hunks of one part, on the files as those before it leave them.
func (d *document) checkPart(p *patchplan.Plan, nth, file int) {
	part := d.contents.blocks[nth].patch.Files[file]
	was := p.InPlaceNotes()
	var placement *place.Placement
	f, err := p.Part(patchplan.Part{File: part, Number: file + 1, Placed: func(pl *place.Placement) { placement = pl }})
	from, to := d.contents.hunksOf(nth, file)
	for i := from; i < to; i++ {
		found := status{path: part.Path}
		if f != nil {
			if found.path = f.Given; f.Was.Exists {
				found.uri = f.Was.URI
			}
		}
		d.found[i] = found
		if h := d.contents.hunks[i]; h.hunk >= 0 && placement != nil {
			d.found[i].place(placement, h.hunk)
		} else if err == nil && f != nil {
			d.found[i].State, d.found[i].action = place.Placed, actionOf(part)
			if p.InPlaceNotes() > was {
				d.found[i].State = place.InPlace
			}
		}
	}
	switch {
	case err == nil:
		if placement != nil && placement.Err != nil {
			d.addFault(nth, file, placement.Err)
		}
	case edits.IsKind(err, paths.FileNotFound) && d.alreadyApplied(p, part, from, to):
	case placement == nil || placement.Err != nil || !slices.ContainsFunc(d.found[from:to], func(f status) bool { return f.isUnplaced() }):
		d.addFault(nth, file, editor.Failure(err))
	}
}

// place sets where the hunk goes.
func (f *status) place(pl *place.Placement, index int) {
	if f.Place = pl.Places[index]; f.State == place.Unplaced && pl.Err == nil {
		f.placement, f.index = pl, index
	}
}

// alreadyApplied reports whether a part whose file is not there was applied before, and says so
// of its hunks.
func (d *document) alreadyApplied(p *patchplan.Plan, part patch.File, from, to int) bool {
	note, ok := p.AlreadyApplied(part)
	for i := from; ok && i < to; i++ {
		d.found[i].State, d.found[i].action = place.InPlace, strings.TrimSuffix(note, ".")
	}
	return ok
}

// actionOf says what a part without hunks does.
func actionOf(part patch.File) string {
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

// explainUnplaced finds why hunks have no place.
func (d *document) explainUnplaced() {
	explained, searched := 0, 0
	for i := range d.found {
		f := &d.found[i]
		if !f.isUnplaced() {
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
func (f *status) explain() { f.fault = f.placement.Reason(f.index) }

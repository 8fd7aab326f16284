package lsp

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
	// lost: the hunk has no place, and fault says why. old: fault was computed for an older
	// text, or not yet.
	lost, old bool
	placement *command.Placement // that lost it, as the hunk numbered index, from 0
	index     int
}

// fails reports whether a hunk cannot be applied.
func (f *foundHunk) fails() bool { return f.lost || f.fault != nil }

// patchFault is why a part of a patch cannot be applied, be it about its hunks or not.
type patchFault struct {
	group *patchGroup
	line  int // of the text that holds the patch, from 0
	err   *edits.Error
}

// For a hunk without a place what comes near is sought, for which all of the text is
// searched. That is done at once for a few hunks, as many as come to so many bytes, fewer
// where the patch is the same as before; and then for up to maxExplained of them.
const (
	explainedAtFirst = 4 << 20
	explainedAgain   = 1 << 18
	maxExplained     = 64
)

// maxMissing bounds for how many missing files we look for similar names.
const maxMissing = 8

// look brings what is known of a document up to date. What is the same as the last time
// is not looked at again: hunks are placed anew where the text that they are about has
// changed, or the patch itself.
func (d *patchDoc) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lookNow()
}

// lookNow is look for who has the lock. It returns the document, nil if it is closed.
func (d *patchDoc) lookNow() *workspace.Document {
	doc := d.s.docs.Get(d.key)
	if doc == nil {
		return nil
	}
	touched := d.takeTouched()
	same := d.state != nil && d.state.Text == doc.Text && !touched[""]
	if d.state = doc; !same {
		d.held = readPatches(doc.Text, d.markdown, true)
		d.groups, d.faults, d.found = nil, nil, make([]foundHunk, len(d.held.hunks))
		for i := range d.held.patches {
			d.groups = append(d.groups, d.group(i)...)
		}
	}
	changed := !same
	missing := 0
	for _, g := range d.groups {
		if g.rests == nil || g.isTouched(touched) || g.hasChanged(d.s.docs) {
			d.check(g, &missing)
			changed = true
		}
	}
	switch {
	case !same:
		d.explainSome(explainedAtFirst)
	case changed:
		d.explainSome(explainedAgain)
	}
	if changed {
		d.said.Store(&saidPatches{doc.Text, d.say()})
	}
	return doc
}

// check places the hunks of a group as apply_patch would. missing counts files that are
// not there.
func (d *patchDoc) check(g *patchGroup, missing *int) {
	g.rests = []rest{}
	w := d.s.workspace()
	for _, path := range g.paths {
		at, err := w.Resolve(path)
		if err != nil {
			continue
		}
		r := rest{key: at.Key}
		r.look(d.s.docs)
		g.rests = append(g.rests, r)
		g.names[lastName(string(at.Key))] = true
		g.names[lastName(string(at.Identity()))] = true // a link's own name may be another
	}
	d.faults = slices.DeleteFunc(d.faults, func(f patchFault) bool { return f.group == g })
	ctx, end := d.s.withTimeout(d.s.base, d.s.applyTimeout())
	defer end()
	p := d.s.self.planIn(edits.NewWork(ctx.Err), command.Placing{}, nil)
	for _, i := range g.files {
		p.Terse = *missing >= maxMissing
		before := len(d.faults)
		_, err := fenced("patch", func() (any, error) { d.checkPart(p, g, i); return nil, nil })
		if err != nil { // a fault of this program, which must not be one of all documents
			d.s.log.Error("check", "error", err)
			d.fault(g, i, editor.Failure(err))
		}
		if n := len(d.faults); n > before && d.faults[n-1].err.Kind == paths.FileNotFound {
			*missing++
		}
	}
}

// fault says that a part cannot be applied.
func (d *patchDoc) fault(g *patchGroup, file int, err *edits.Error) {
	p := &d.held.patches[g.patch]
	d.faults = append(d.faults, patchFault{g, min(p.line+p.patch.Files[file].Line-1, max(p.line, p.end-1)), err})
	for i := range d.found {
		if h := d.held.hunks[i]; h.patch == g.patch && h.file == file {
			d.found[i].fault = err
		}
	}
}

// checkPart places the hunks of one part, on the files as those before it leave them.
func (d *patchDoc) checkPart(p *patchplan.Plan, g *patchGroup, file int) {
	part := d.held.patches[g.patch].patch.Files[file]
	was := p.InPlaceNotes()
	var placement *command.Placement
	err := p.Part(patchplan.Part{File: part, Number: file + 1, Placed: func(pl *command.Placement) { placement = pl }})
	from, to := d.hunksOf(g.patch, file)
	f := p.FileOf(file + 1)
	for i := from; i < to; i++ {
		found := foundHunk{path: part.Path}
		if f != nil {
			if found.path = f.Given; f.Was.Exists {
				found.uri = f.Was.URI
			}
		}
		old := d.found[i]
		d.found[i] = found
		if h := d.held.hunks[i]; h.hunk >= 0 && placement != nil {
			d.found[i].place(placement, h.hunk, old)
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
			d.fault(g, file, placement.Err)
		}
	case edits.IsKind(err, paths.FileNotFound) && d.wasDone(p, part, from, to):
	case placement == nil || placement.Err != nil || !slices.ContainsFunc(d.found[from:to], func(f foundHunk) bool { return f.lost }):
		d.fault(g, file, editor.Failure(err))
	}
}

// place takes in where a hunk has its place. Why it has none may have been found before:
// that is likely still so.
func (f *foundHunk) place(pl *command.Placement, index int, old foundHunk) {
	f.Place = pl.Places[index]
	if f.lost = f.State == command.Unplaced && pl.Err == nil; f.lost {
		f.placement, f.index = pl, index
		if old.lost && old.fault != nil {
			f.fault, f.old = old.fault, true
		}
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

// hunksOf returns the indexes [from,to) of the hunks of a part.
func (d *patchDoc) hunksOf(nth, file int) (from, to int) {
	from, end := d.held.hunksOf(nth)
	for from < end && d.held.hunks[from].file < file {
		from++
	}
	for to = from; to < end && d.held.hunks[to].file == file; {
		to++
	}
	return from, to
}

// explainSome finds why hunks have no place, where nothing is known yet, in texts of as
// many bytes in all.
func (d *patchDoc) explainSome(most int) {
	bytes, explained := 0, 0
	for i := range d.found {
		f := &d.found[i]
		if !f.lost {
			continue
		}
		if explained++; explained > maxExplained {
			return
		}
		if n := f.placement.Searched(); f.fault == nil && bytes+n <= most {
			bytes += n
			f.explain()
		}
		f.old = f.old || f.fault == nil
	}
}

// explain finds why a hunk has no place.
func (f *foundHunk) explain() {
	f.fault, f.old = f.placement.Reason(f.index), false
}

// explain finds why hunks have no place where only that of an older text is known, or
// nothing, while goOn says so. Others may look in between.
func (d *patchDoc) explain(goOn func() bool) {
	changed := false
	for goOn() && d.explainNext() {
		changed = true
	}
	if !changed {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said.Store(&saidPatches{d.state.Text, d.say()})
}

// explainNext is explain for one hunk. It reports whether there was one.
func (d *patchDoc) explainNext() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.found, func(f foundHunk) bool { return f.old })
	if i >= 0 {
		d.found[i].explain()
	}
	return i >= 0
}

package patchdoc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// maxMissing bounds for how many missing files we look for similar names.
const maxMissing = 8

// fails reports whether the hunk cannot be applied.
func (h *hunk) fails() bool { return h.unplaced != nil || h.fault != nil }

// explain finds why the hunk has no place, if it has none: the whole text is searched for what
// comes near.
func (h *hunk) explain() {
	if h.unplaced != nil && h.fault == nil {
		h.fault = h.unplaced.Reason(h.hunk)
	}
}

// check finds the places of all hunks in the texts as they are now, and returns p, which may be nil.
func (p *patches) check() *patches {
	if p == nil {
		return nil
	}
	for i := range p.blocks {
		if p.blocks[i].err == nil {
			p.checkBlock(i)
		}
	}
	return p
}

// checkBlock places the hunks of a patch as apply_patch would.
func (p *patches) checkBlock(nth int) {
	b := &p.blocks[nth]
	plan, done := p.c.Plan()
	defer done()
	for i, part := range b.patch.Files {
		plan.Terse = p.missing >= maxMissing
		hunks := p.hunksOf(nth, i)
		// A panic must not keep the other parts from being checked.
		_, err := rpc.Fenced("patch", func() (any, error) { return nil, checkPart(plan, part, i+1, hunks) })
		if err == nil {
			continue
		}
		if fault, ok := errors.AsType[*rpc.FaultError](err); ok {
			p.c.Client.Log.Error("check", "error", fault)
		}
		e := editor.Failure(err)
		if e.Kind == paths.FileNotFound {
			p.missing++
		}
		p.faults = append(p.faults, fault{b.lineOf(part.Line), e})
		for k := range hunks {
			hunks[k].fault = e
		}
	}
}

// checkPart places the hunks of one part, on the files as those before it leave them. The error is
// why the part cannot be applied as a whole; it is nil where only hunks of it have no place.
func checkPart(plan *patchplan.Plan, part patch.File, number int, hunks []hunk) error {
	inPlace := plan.InPlaceNotes()
	var placement *place.Placement
	f, err := plan.Part(patchplan.Part{File: part, Number: number, Placed: func(pl *place.Placement) { placement = pl }})
	anyUnplaced := false
	for i := range hunks {
		h := &hunks[i]
		if h.path = part.Path; f != nil {
			if h.path = f.Given; f.Was.Exists {
				h.uri = f.Was.URI
			}
		}
		switch {
		case h.hunk >= 0 && placement != nil:
			if h.Place = placement.Places[h.hunk]; h.State == place.Unplaced && placement.Err == nil {
				h.unplaced, anyUnplaced = placement, true
			}
		case err == nil && f != nil:
			h.State, h.action = place.Placed, actionOf(part)
			if plan.InPlaceNotes() > inPlace {
				h.State = place.InPlace
			}
		}
	}
	switch {
	case placement != nil && placement.Err != nil && err == nil:
		return placement.Err
	case edits.IsKind(err, paths.FileNotFound):
		note, ok := plan.AlreadyApplied(part)
		if !ok {
			return err
		}
		for i := range hunks {
			hunks[i].State, hunks[i].action = place.InPlace, strings.TrimSuffix(note, ".")
		}
		return nil
	case anyUnplaced:
		return nil
	}
	return err
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

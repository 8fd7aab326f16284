package place

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
)

// Placement is where each hunk of a part of a patch goes in a text. [Plan]
// has them all or none; this is for showing which ones have no place, and why. It is
// not safe for concurrent use.
type Placement struct {
	Places []Place // by hunk
	// Err is why nothing can be said of the hunks that are [Unplaced] without a reason.
	Err *edits.Error

	placer *placer
}

// Place is what became of one hunk.
type Place struct {
	State PlaceState
	// Line is the first line of the text that the hunk changes, from 1; of one that only
	// adds some, the line above which they go, which may be the one after the last. Of
	// one that stands on what another makes it is where that is.
	Line int
	Tier edits.Tier
	Note string // how it was placed, without its subject; "" if that is as usual
}

// PlaceState says whether a hunk has a place.
type PlaceState uint8

// The states of hunks.
const (
	Unplaced PlaceState = iota
	Placed
	InPlace // it is applied already
)

// Find finds the places of all hunks as [Plan] does. Hunks whose changes
// cannot be made are told of, and the others are placed without them.
func Find(f patch.File, of edits.Source, how Options) *Placement {
	p := newPlacer(f, of, how)
	p.run(true)
	pl := &Placement{Places: make([]Place, len(f.Hunks)), Err: p.failed, placer: p}
	if of.Work.Over() {
		pl.Err = &edits.Error{Kind: edits.ContextNotFound, Message: fmt.Sprintf("The places of the hunks in %s took too long to find; send them in several patches.", of.Path)}
		return pl
	}
	for i, h := range p.hunks {
		if h.state != hunkPending {
			pl.Places[i] = Place{State: Placed, Line: h.core[0] + 1, Tier: h.tier, Note: h.note}
		}
		if h.state == hunkInPlace {
			pl.Places[i].State = InPlace
		}
		h.in.src.Work = nil // it is for the caller to ask for few reasons
	}
	return pl
}

// Plan returns what [Plan] does.
func (pl *Placement) Plan() (edits.Plan, error) { return pl.placer.plan() }

// Reason returns why the hunk numbered i, from 0, has no place; nil if it has one or if
// nothing can be said of it. It costs a search for what comes near, the first time.
func (pl *Placement) Reason(i int) *edits.Error {
	if pl.Err != nil || pl.Places[i].State != Unplaced {
		return nil //nolint:nilerr // Err says it
	}
	h := pl.placer.hunks[i]
	e := failure{h.in, h}.err()
	h.reason = func() *edits.Error { return e }
	return e
}

// Searched is how many bytes [Placement.Reason] searches.
func (pl *Placement) Searched() int { return pl.placer.before.Len() }

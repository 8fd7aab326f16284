package place

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/patch"
)

// Placement is where each hunk of a part of a patch goes in a text. [Plan]
// has them all or none; this is for showing which ones have no place, and why. It is
// not safe for concurrent use.
type Placement struct {
	Places []Place // by hunk
	// Err is why nothing can be said of the hunks that are [Unplaced] without a reason.
	Err *edits.Error

	first   *placer // that of all hunks
	last    *placer // that of those whose changes can be made
	reasons map[int]*edits.Error
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

// maxCulprits bounds how many hunks are left out, one after the other, since their
// changes cannot be made, so as to place the others.
const maxCulprits = 8

// Find finds the places of all hunks as [Plan] does. Hunks whose changes
// cannot be made are told of, and the others are placed without them.
func Find(f patch.File, of edits.Source, how Options) *Placement {
	src := draft.Source{Source: of}
	pl := &Placement{Places: make([]Place, len(f.Hunks)), reasons: map[int]*edits.Error{}}
	for {
		pl.last = newPlacer(f, src, how, pl.reasons)
		if pl.last.run(); pl.first == nil {
			pl.first = pl.last
		}
		if src.Work.Over() {
			pl.Err = &edits.Error{Kind: edits.ContextNotFound, Message: fmt.Sprintf("The places of the hunks in %s took too long to find; send them in several patches.", src.Path)}
			return pl
		}
		e := pl.last.failed
		if e == nil {
			break
		}
		if e.Hunk == 0 || len(pl.reasons) == maxCulprits {
			pl.Err = e
			break
		}
		pl.reasons[e.Hunk] = e
	}
	pl.last.src.Work = nil // it is for the caller to ask for few reasons
	setPlaces(pl.Places, pl.last.hunks)
	return pl
}

// Plan returns what [Plan] does.
func (pl *Placement) Plan() (edits.Plan, error) { return pl.first.plan() }

// Reason returns why the hunk numbered i, from 0, has no place; nil if it has one or if
// nothing can be said of it. It costs a search for what comes near, the first time.
func (pl *Placement) Reason(i int) *edits.Error {
	if e := pl.reasons[i+1]; e != nil || pl.Err != nil || pl.Places[i].State != Unplaced {
		return e
	}
	k := slices.IndexFunc(pl.last.left, func(h *hunk) bool { return h.number == i+1 })
	if k < 0 {
		return nil
	}
	e := failure{pl.last, pl.last.left[k]}.err()
	pl.reasons[i+1] = e
	return e
}

// Searched is how many bytes [Placement.Reason] searches.
func (pl *Placement) Searched() int { return pl.last.src.Text.Len() }

// setPlaces sets the places of the hunks, by their numbers.
func setPlaces(places []Place, hunks []*hunk) {
	placed := make([]*hunk, 0, len(hunks))
	for _, h := range hunks {
		if h.state != hunkPending {
			placed = append(placed, h)
		}
	}
	// What hunks change is known by the lines of the text with all changes.
	slices.SortStableFunc(placed, func(a, b *hunk) int { return cmp.Compare(a.core[0], b.core[0]) })
	grown := 0
	for _, h := range placed {
		at := Place{State: Placed, Line: h.core[0] + 1 - grown, Tier: h.tier, Note: h.note}
		if h.state == hunkInPlace {
			at.State = InPlace
		}
		grown += h.grows
		places[h.number-1] = at
	}
}

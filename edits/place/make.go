package place

import (
	"errors"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/draft"
)

// make makes the changes of the hunks whose place is chosen. Of two that meet the
// later one waits: it may have a place in what the other one makes. It reports
// whether anything was settled.
func (p *placer) make(pending []*hunk, chosen map[*hunk]int) bool {
	settled := false
	changes := make([]hunkChanges, 0, len(chosen))
	for _, h := range pending {
		at, ok := chosen[h]
		if !ok || h.reason != nil {
			continue
		}
		if p.over() {
			return false
		}
		if q, made := p.madeAround(h, at); made {
			h.setInPlace(q)
			settled = true
			continue
		}
		made, ok := p.changes(h, at)
		if !ok {
			h.reason = func() *edits.Error { return failure{p, h}.unresolved(at) }
			continue
		}
		if h.core = h.coreAt(at); len(made) == 0 {
			h.setInPlace(at)
			settled = true
			continue
		}
		changes = append(changes, hunkChanges{h, made})
	}
	all := changes
	changes = withoutMeeting(slices.Clone(changes))
	if e := p.meetsByNumber(all, changes); e != nil {
		p.failed = e
		return false
	}
	if len(changes) == 0 {
		return settled
	}
	p.apply(changes)
	return true
}

// hunkChanges is what a hunk comes to at its place.
type hunkChanges struct {
	h    *hunk
	made []draft.LineChange
}

// withoutMeeting leaves out hunks whose changes meet those of one before them.
func withoutMeeting(changes []hunkChanges) []hunkChanges {
	type owned struct {
		draft.LineChange
		by *hunk
	}
	for {
		all := make([]owned, 0, len(changes))
		for _, o := range changes {
			for _, c := range o.made {
				all = append(all, owned{c, o.h})
			}
		}
		slices.SortFunc(all, func(a, b owned) int {
			if c := draft.CompareChanges(a.LineChange, b.LineChange); c != 0 {
				return c
			}
			return a.by.number - b.by.number
		})
		left := map[*hunk]bool{}
		reach := -1 // the change that goes furthest
		for i := range all {
			if reach >= 0 && all[i].From < all[reach].To && all[i].by != all[reach].by {
				later := all[i].by
				if all[reach].by.number > later.number {
					later = all[reach].by
				}
				left[later] = true
			}
			if reach < 0 || all[i].To > all[reach].To {
				reach = i
			}
		}
		if len(left) == 0 {
			return changes
		}
		changes = slices.DeleteFunc(changes, func(o hunkChanges) bool { return left[o.h] })
	}
}

// meetsByNumber is the error of a hunk that is told by its number alone, if it is not
// among those that are left: the line of that number is one that another hunk changes,
// and of the text that this makes the number says nothing.
func (p *placer) meetsByNumber(all, left []hunkChanges) *edits.Error {
	if len(all) == len(left) {
		return nil
	}
	is := make(map[*hunk]bool, len(left))
	for _, o := range left {
		is[o.h] = true
	}
	for _, o := range all {
		if len(o.h.old) == 0 && o.h.Numbered && !is[o.h] {
			return failure{p, o.h}.meets()
		}
	}
	return nil
}

// apply makes changes, which do not meet.
func (p *placer) apply(changes []hunkChanges) {
	all := make([]draft.LineChange, 0, len(changes))
	for _, o := range changes {
		o.h.state, o.h.grows = hunkPlaced, 0
		for _, c := range o.made {
			o.h.grows += len(c.Lines) - (c.To - c.From)
		}
		all = append(all, o.made...)
	}
	draft.SortChanges(all)
	made, err := p.src.Draft(p.src.LineRegions(all))
	var e *edits.Error
	if errors.As(err, &e) && e.Kind != edits.NoChange { // else a line is deleted and put back
		p.failed = ofHunk(p.src, e, changes)
		return
	}
	p.edits = changeset.ComposeEdits(p.edits, p.before, made.Edits)
	move(p.hunks, all)
	if len(pendingOf(p.hunks)) > 0 { // else nobody looks at the text any more
		p.src.Text = made.Edits.Apply(p.src.Text)
		p.made = madeBy(p.hunks)
	}
}

// ofHunk returns e, which changes came to, as the error of the first hunk that comes to
// it by itself.
func ofHunk(src draft.Source, e *edits.Error, changes []hunkChanges) *edits.Error {
	for _, o := range changes {
		var own *edits.Error
		if _, err := src.Draft(src.LineRegions(o.made)); errors.As(err, &own) && own.Kind == e.Kind {
			full := *own
			full.Hunk = o.h.number
			return &full
		}
	}
	return e
}

// growth returns for each of some changes by how much the text has grown by those
// before it, and last by how much by all.
func growth(changes []draft.LineChange) []int {
	grown := make([]int, len(changes)+1)
	for i, c := range changes {
		grown[i+1] = grown[i] + len(c.Lines) - (c.To - c.From)
	}
	return grown
}

// move brings what hunks change up to date with changes, which are in order and
// were made.
func move(hunks []*hunk, changes []draft.LineChange) {
	grown := growth(changes)
	for _, h := range hunks {
		if h.state == hunkPending {
			continue
		}
		from, to := h.core[0], h.core[1]
		i, _ := slices.BinarySearchFunc(changes, from, func(c draft.LineChange, line int) int { return c.From - line })
		h.core[0] += grown[i]
		for i < len(changes) && (changes[i].From < to || changes[i].From == to && changes[i].To == to) {
			i++
		}
		h.core[1] += grown[i]
	}
}

package edits

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// make makes the changes of the hunks whose place is chosen. Of two that meet the
// later one waits: it may have a place in what the other one makes. It reports
// whether anything was settled.
func (p *placer) make(pending []*hunk, chosen map[*hunk]int) bool {
	settled := false
	changes := make([]hunkChanges, 0, len(chosen))
	for _, h := range pending {
		at, ok := chosen[h]
		if !ok || h.lost != nil {
			continue
		}
		if p.insertsAgain(h, at) {
			h.there(at)
			settled = true
			continue
		}
		made, ok := p.changes(h, at)
		if !ok {
			h.lost = p.untold(h, at)
			continue
		}
		if h.core = h.coreAt(at); len(made) == 0 {
			h.there(at)
			settled = true
			continue
		}
		changes = append(changes, hunkChanges{h, made})
	}
	all := changes
	changes = withoutMeeting(slices.Clone(changes))
	if e := p.lostByNumber(all, changes); e != nil {
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
	made []lineChange
}

// there says that a hunk is in place already, at line at, from 0.
func (h *hunk) there(at int) {
	h.state, h.tier = hunkThere, Exact
	h.core = [2]int{at + h.head, at + len(h.put) - h.tail}
	h.note = fmt.Sprintf("is in place already, at line %d", at+1)
}

// withoutMeeting leaves out hunks whose changes meet those of one before them.
func withoutMeeting(changes []hunkChanges) []hunkChanges {
	type owned struct {
		lineChange
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
			if c := compareChanges(a.lineChange, b.lineChange); c != 0 {
				return c
			}
			return a.by.number - b.by.number
		})
		left := map[*hunk]bool{}
		reach := -1 // the change that goes furthest
		for i := range all {
			if reach >= 0 && all[i].from < all[reach].to && all[i].by != all[reach].by {
				later := all[i].by
				if all[reach].by.number > later.number {
					later = all[reach].by
				}
				left[later] = true
			}
			if reach < 0 || all[i].to > all[reach].to {
				reach = i
			}
		}
		if len(left) == 0 {
			return changes
		}
		changes = slices.DeleteFunc(changes, func(o hunkChanges) bool { return left[o.h] })
	}
}

// lostByNumber is the error of a hunk that is told by its number alone, if it is not
// among those that are left: the line of that number is one that another hunk changes,
// and of the text that this makes the number says nothing.
func (p *placer) lostByNumber(all, left []hunkChanges) *Error {
	if len(all) == len(left) {
		return nil
	}
	is := make(map[*hunk]bool, len(left))
	for _, o := range left {
		is[o.h] = true
	}
	for _, o := range all {
		if len(o.h.old) == 0 && o.h.Numbered && !is[o.h] {
			return p.meets(o.h)
		}
	}
	return nil
}

// apply makes changes, which do not meet.
func (p *placer) apply(changes []hunkChanges) {
	all := make([]lineChange, 0, len(changes))
	for _, o := range changes {
		o.h.state, o.h.grows = hunkPlaced, 0
		for _, c := range o.made {
			o.h.grows += len(c.lines) - (c.to - c.from)
		}
		all = append(all, o.made...)
	}
	sortChanges(all)
	made, err := p.src.draft(p.src.lineRegions(all))
	var e *Error
	if errors.As(err, &e) && e.Kind != NoChange { // else a line is deleted and put back
		p.failed = p.ofHunk(e, changes)
		return
	}
	p.edits = p.edits.Then(p.before, made.edits)
	p.move(all)
	if len(p.pending()) > 0 { // else nobody looks at the text any more
		p.src.Text = made.edits.Apply(p.src.Text)
		p.moveMade(all)
	}
}

// ofHunk returns e, which changes came to, as the error of the first hunk that comes to
// it by itself.
func (p *placer) ofHunk(e *Error, changes []hunkChanges) *Error {
	for _, o := range changes {
		var own *Error
		if _, err := p.src.draft(p.src.lineRegions(o.made)); errors.As(err, &own) && own.Kind == e.Kind {
			full := *own
			full.Hunk = o.h.number
			return &full
		}
	}
	return e
}

// growth returns for each of some changes by how much the text has grown by those
// before it, and last by how much by all.
func growth(changes []lineChange) []int {
	grown := make([]int, len(changes)+1)
	for i, c := range changes {
		grown[i+1] = grown[i] + len(c.lines) - (c.to - c.from)
	}
	return grown
}

// move brings what hunks change up to date with changes, which are in order and
// were made.
func (p *placer) move(changes []lineChange) {
	grown := growth(changes)
	for _, h := range p.hunks {
		if h.state == hunkPending {
			continue
		}
		from, to := h.core[0], h.core[1]
		i, _ := slices.BinarySearchFunc(changes, from, func(c lineChange, line int) int { return c.from - line })
		h.core[0] += grown[i]
		for i < len(changes) && (changes[i].from < to || changes[i].from == to && changes[i].to == to) {
			i++
		}
		h.core[1] += grown[i]
	}
}

// insertsAgain reports whether a hunk that only adds lines has been applied at
// this very place before: what it adds is there, and the text below or above it
// is just what it takes for its context.
func (p *placer) insertsAgain(h *hunk, at int) bool {
	if !h.inserts() || !tellsMuch(strings.Join(h.added(), "\n")) || h.head > 0 && h.tail > 0 {
		return false
	}
	exactly := h.Numbered && at == h.hint() && (h.tail > 0 || at+len(h.old) == p.src.Text.Lines()) && (h.Start > 1 || at == 0)
	if exactly && len(h.old) > 0 {
		return false // what a tool made, at the place that it had in mind
	}
	return p.src.linesAre(at, h.put) || p.src.linesAre(at-(len(h.put)-len(h.old)), h.put)
}

// inPlace finds pending hunks that are nowhere, but what they make is, exactly or
// but for blanks around lines. It reports whether there was any.
func (p *placer) inPlace(pending []*hunk, exact bool) bool {
	var there []*hunk
	var lists [][]string
	for _, h := range pending {
		if len(h.places) == 0 && len(h.old) > 0 && h.tellsPut() && (exact || h.changesText()) {
			there, lists = append(there, h), append(lists, h.put)
		}
	}
	if len(lists) == 0 {
		return false
	}
	found := false
	for i, places := range p.src.seen.findLines(p.src.Text, lists, blanksFold, exact || p.how.Exact) {
		h := there[i]
		if len(p.made) > 0 {
			places = slices.DeleteFunc(slices.Clone(places), func(at int32) bool { return p.isLater(h, int(at), len(h.put)) })
		}
		at := h.hint()
		switch {
		case h.Numbered && slices.Contains(places, int32(at)):
		case len(places) == 1:
			at = int(places[0])
		default:
			continue
		}
		h.there(at)
		found = true
	}
	return found
}

// tellsPut reports whether finding what the hunk makes means that it was applied.
func (h *hunk) tellsPut() bool {
	if len(h.added()) == 0 {
		return h.head > 0 && h.tail > 0
	}
	return wordCharacters(h.put) > 1
}

// wordCharacters counts the letters and digits in lines, up to a few.
func wordCharacters(lines []string) int {
	n := 0
	for _, l := range lines {
		for _, r := range l {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				if n++; n > 3 {
					return n
				}
			}
		}
	}
	return n
}

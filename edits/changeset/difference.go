package changeset

import (
	"slices"
	"sort"
	"strings"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Difference returns the changes that make before into after, minimal as those of [diff.Rewrite].
func Difference(before, after text.Text) Changeset {
	if before.Equal(after) {
		return nil
	}
	return Replaced(before, 0, before.Len(), after.String())
}

// Replaced returns the changes made by replacing [start,end) of t by put, byte for byte: if whole lines are sent for a word,
// the result is the word. A change that can be one insertion or one deletion is that, as if it had been typed.
func Replaced(t text.Text, start, end int, put string) Changeset {
	old := t.Slice(start, end)
	one := Change{At: start, Old: old, New: put}.trimmed()
	switch {
	case one.Size() == 0:
		return nil
	case one.Old == "" || one.New == "":
		return Changeset{one}
	}
	// Compare the range alone, so that the cost does not depend on the size of the text.
	alone := text.New(old)
	if es := diff.Rewrite(alone, 0, len(old), put); es.Apply(alone).String() == put {
		if c := Of(es.Shifted(start), t); c.Size() < one.Size() {
			return c
		}
	}
	// If the reported lines begin and end as the old ones did, Rewrite may have matched the end
	// of the line with another line; and it does not write line ends of another kind.
	return Changeset{one}
}

// Apply returns the text after the changes; ok is false if they do not fit t.
func (c Changeset) Apply(t text.Text) (after text.Text, ok bool) {
	if !c.Fits(t) {
		return text.Text{}, false
	}
	return c.Edits().Apply(t), true
}

// Size returns how many bytes the changes delete and insert.
func (c Changeset) Size() int { return lists.Sum(c, Change.Size) }

// Size returns how many bytes the change deletes and inserts.
func (c Change) Size() int { return len(c.Old) + len(c.New) }

// Sighting is what a text shows of edits that were to be made in an earlier
// version of it, in which others may have typed as well.
type Sighting int

// What can be seen of edits.
const (
	// Unclear: only some of the edits can be seen, or the text shows neither.
	Unclear Sighting = iota
	// Absent: none of the edits was made.
	Absent
	// Present: all of the edits were made, and other changes leave them alone.
	Present
)

// See looks in now for the effect of edit, which is of before. known are the changes by which before became now, as far as
// they were reported. If edit is present, now is before with others and then own.
func See(before text.Text, edit Changeset, now text.Text, known Changeset) (s Sighting, others, own Changeset) {
	after := edit.Edits().Apply(before)
	since, all := Difference(after, now), Difference(before, now)
	if got, ok := known.Apply(before); ok && known.Size() < all.Size() && got.Equal(now) {
		all = known // what really happened, which may not be how it looks
	}
	// Both explain what was typed, with and without the edit. The edit is present if
	// since is smaller by all of the edit; by less may be a coincidence.
	if since.Size() < all.Size() {
		others, back, meet := Transform(since, edit.Invert())
		if meet == nil && all.Size()-since.Size() >= edit.Size() {
			return Present, others, back.Invert()
		}
		return Unclear, nil, nil
	}
	if slices.ContainsFunc(edit, func(c Change) bool { return c.Widened(before).Touches(nil, all) }) {
		return Unclear, nil, nil
	}
	return Absent, nil, nil
}

// Touches reports whether no unchanged byte is between the change and one of next, which was made
// after since; c is of the text before both.
func (c Change) Touches(since, next Changeset) bool {
	from, to := since.Map(c.At, false), since.Map(c.End(), true)
	return slices.ContainsFunc(next, func(n Change) bool { return from <= n.End() && n.At <= to })
}

// Widened returns a change of all of t where c might as well be, at most its own length away: a line that is
// inserted before an equal one may as well stand behind it, and a part of it may be reported there.
func (c Change) Widened(t text.Text) Change {
	left, right := slack(t, c.At, c.End(), len(c.Old))
	l, r := slack(Changeset{c}.Edits().Apply(t), c.At, c.At+len(c.New), len(c.New))
	at := c.At - max(left, l)
	return Change{At: at, Old: t.Slice(at, c.End()+max(right, r))}
}

// IsApart reports whether now is before with the change made and unchanged bytes between it and all
// else that was changed, wherever the text allows that to be: if one of two equal letters was deleted,
// it may be either of them. c is of the text that the changes in since made before of.
func (c Change) IsApart(since Changeset, before, now text.Text) bool {
	above, below := c, c // of what others have inserted where c goes
	above.At, below.At = since.Map(c.At, false), since.Map(c.At, true)
	return above.isApart(before, now) || below.isApart(before, now)
}

func (c Change) isApart(before, now text.Text) bool {
	if !(Changeset{c}).Fits(before) {
		return false
	}
	after := Changeset{c}.Edits().Apply(before)
	others := Difference(after, now)
	if others.Size()+c.Size() > Difference(before, now).Size() {
		return false // it was not made
	}
	grown := 0 // by the other changes so far
	for _, other := range others {
		from, to := other.At, other.End()
		switch {
		case other.New == "":
			left, right := slack(after, from, to, after.Len())
			from, to = from-left, to+right
		case other.Old == "":
			left, right := slack(now, from+grown, from+grown+len(other.New), now.Len())
			from, to = from-left, to+right
		}
		if grown += other.Delta(); from <= c.At+len(c.New) && to >= c.At {
			return false
		}
	}
	return true
}

// slack returns by how many bytes, limit at most, [from,to) can be moved to the left and to the right so
// that t without it is the same.
func slack(t text.Text, from, to, limit int) (left, right int) {
	same := func(i, j int) bool { return t.Slice(i, i+1) == t.Slice(j, j+1) }
	for left < min(from, limit) && same(from-left-1, to-left-1) {
		left++
	}
	for right < min(t.Len()-to, limit) && same(from+right, to+right) {
		right++
	}
	return left, right
}

// Alike returns the one of the changes that has the effect of c on t at another place: among equal lines, or wherever text
// repeats, the same insertion or deletion may be reported at several places. Others may have typed into an insertion since,
// or deleted a piece of it, or inserted text next to it that an editor reports together with it; Alike accepts these at
// either of the two places. It examines the next change on either side of c.
func Alike(t text.Text, c Change, changes Changeset) (Change, bool) {
	for _, r := range beside(c, changes) {
		if !mayBeAlike(c, r) {
			continue
		}
		first, last := c, r
		if r.At < c.At {
			first, last = r, c
		}
		between := t.Slice(first.At, last.At)
		switch {
		case c.Old != "":
			if strings.HasSuffix(t.Slice(first.At, last.End()), between) {
				return r, true
			}
		case slides(c, r.At, between) && isInserted(r.New, movedTo(c, r.At)),
			slides(r, c.At, between) && isInserted(movedTo(r, c.At), c.New):
			return r, true
		}
	}
	return Change{}, false
}

// MayBeAlike reports whether [Alike] may return one of the changes for some text.
func MayBeAlike(c Change, changes Changeset) bool {
	return slices.ContainsFunc(beside(c, changes), func(r Change) bool { return mayBeAlike(c, r) })
}

// beside returns the nearest change on either side of c.
func beside(c Change, changes Changeset) Changeset {
	next := sort.Search(len(changes), func(i int) bool { return changes[i].At >= c.At })
	return changes[max(0, next-1):min(len(changes), next+1)]
}

// mayBeAlike reports whether c and r have the same effect if the text between them repeats
// what they insert or delete: then one is the other, rotated by the distance between them.
func mayBeAlike(c, r Change) bool {
	if (c.Old == "") == (c.New == "") || (r.Old == "") != (c.Old == "") || (r.New == "") != (c.New == "") || len(r.Old) != len(c.Old) {
		return false
	}
	if c.Old != "" {
		return r.Old == turned(c.Old, r.At-c.At)
	}
	return isInserted(r.New, movedTo(c, r.At)) || isInserted(movedTo(r, c.At), c.New)
}

// turned returns s rotated by by bytes: the len(s) bytes at offset by of a text that repeats s.
func turned(s string, by int) string {
	by = (by%len(s) + len(s)) % len(s)
	return s[by:] + s[:by]
}

// movedTo returns what an insertion inserts if it is reported at another place.
func movedTo(c Change, at int) string { return turned(c.New, at-c.At) }

// slides reports whether an insertion can be reported at place at; between is the text in between.
func slides(c Change, at int, between string) bool {
	if at < c.At {
		return strings.HasSuffix(between+c.New, between)
	}
	return strings.HasPrefix(c.New+between, between)
}

// minInserted is how many bytes identify an insertion: the user may type the same letter.
const minInserted = 3

// isInserted reports whether s may be the insertion of t after later changes.
func isInserted(s, t string) bool {
	return holdsBothEnds(s, t) || len(s) >= minInserted && holdsBothEnds(t, s)
}

// holdsBothEnds reports whether s is t, or t with something put into it.
func holdsBothEnds(s, t string) bool {
	return len(s) >= len(t) && diff.CommonPrefix(s, t)+diff.CommonSuffix(s, t) >= len(t)
}

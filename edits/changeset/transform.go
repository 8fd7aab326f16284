package changeset

import "slices"

// Meeting is a change of each of two changesets of one text that cannot both be
// kept: they take out the same byte, or one inserts strictly inside of what the
// other takes out, or both insert at the same point.
type Meeting struct{ A, B Change }

// Transform returns a as it is after b, and b as it is after a, so that
// a.Then(b2) and b.Then(a2) have the same effect. Where a change of a meets one
// of b that is not possible: then meet says which two, and the rest is nil.
//
// An insertion at the start of what the other side replaces or takes out stays before it, one at
// its end behind it. Changes of one side that touch after the other side took out what was between
// them are joined. The cost is linear in the number of changes.
func Transform(a, b Changeset) (a2, b2 Changeset, meet *Meeting) {
	a2, b2, meet = transform(a, b)
	if meet != nil {
		return nil, nil, meet
	}
	return a2.joined(), b2.joined(), nil
}

// transform is Transform, but what touches stays apart.
func transform(a, b Changeset) (a2, b2 Changeset, meet *Meeting) {
	if len(a) == 0 || len(b) == 0 {
		return a, b, nil
	}
	a2, b2 = make(Changeset, 0, len(a)), make(Changeset, 0, len(b))
	shiftA, shiftB := 0, 0
	for len(a)+len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].before(b[0]):
			a2 = append(a2, a[0].shifted(shiftB))
			shiftA += a[0].Delta()
			a = a[1:]
		case len(a) == 0 || b[0].before(a[0]):
			b2 = append(b2, b[0].shifted(shiftA))
			shiftB += b[0].Delta()
			b = b[1:]
		default:
			return nil, nil, &Meeting{a[0], b[0]}
		}
	}
	return a2, b2, nil
}

// before reports whether c is as a whole before d, a change of the same text. It is
// not if both insert at the point where they touch.
func (c Change) before(d Change) bool {
	return c.End() < d.At || c.End() == d.At && !(c.inserts() && d.inserts())
}

// inserts reports whether c meets an insertion at either of its ends.
func (c Change) inserts() bool { return c.Old == "" || c.loose }

func (c Change) shifted(by int) Change {
	c.At += by
	return c
}

// Carried is a changeset on its way behind others that happened after it, or beside it, to the same
// text. What of it comes to touch is kept apart on the way: joined, an insertion would be taken for
// the replacement of what it touches, and lose its order among other insertions. It is not safe for
// concurrent use; a copy goes its own way.
type Carried struct{ c Changeset }

// Carry returns c, to be carried.
func Carry(c Changeset) *Carried { return &Carried{c} }

// Over carries it over b, which is of the same text as what is carried, and
// returns b as it would be after that; changes of it may touch, as after
// [Changeset.ThenApart]. If the two meet nothing is carried.
func (c *Carried) Over(b Changeset) (b2 Changeset, meet *Meeting) {
	c2, b2, meet := transform(c.c, b)
	if meet == nil {
		c.c = c2
	}
	return b2, meet
}

// Changeset returns the changeset where it has been carried to.
func (c *Carried) Changeset() Changeset { return c.c.joined() }

// TakeBack returns what takes made out of a text to which since has happened after it, where others
// have typed into what it wrote: what they typed stays. What they have written over or put back
// themselves is left alone. Where the two do not meet it is the inverse, carried over since.
//
// It is for what was never to be there; to undo what was, see [Carry].
func TakeBack(made, since Changeset) Changeset {
	inverse := made.Invert()
	if _, back, meet := Transform(since, inverse); meet == nil {
		return back
	}
	var back Changeset
	for _, ch := range inverse {
		back = append(back, ch.takeBack(since)...)
	}
	return back.joined()
}

// takeBack carries c over since, in the pieces that since leaves of what it deletes.
func (c Change) takeBack(since Changeset) Changeset {
	if _, alone, meet := Transform(since, Changeset{c}); meet == nil {
		return alone
	}
	var pieces Changeset
	piece := func(from, to int) {
		if from < to {
			pieces = append(pieces, Change{At: since.Map(from, true), Old: c.Old[from-c.At : to-c.At]})
		}
	}
	at := c.At
	for _, s := range since {
		if s.End() < at || s.At >= c.End() {
			continue
		}
		piece(at, s.At)
		at = max(at, s.End())
	}
	piece(at, c.End())
	switch {
	case len(pieces) > 0:
		pieces[0].New = c.New
	case c.Old == "" && !slices.ContainsFunc(since, func(s Change) bool { return s.At == c.At && s.New == c.New }):
		pieces = Changeset{{At: since.Map(c.At, false), New: c.New}}
	}
	return pieces
}

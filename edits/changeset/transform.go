package changeset

import "slices"

// Meeting is a change of each of two changesets of one text that cannot both be kept: they delete the same byte, or one
// inserts strictly inside of text that the other deletes, or both insert at the same point.
type Meeting struct{ A, B Change }

// Transform returns a as it is after b, and b as it is after a, so that a.Then(b2) and b.Then(a2) have the same effect. If a
// change of a meets one of b, that is not possible: meet then says which two, and a2 and b2 are nil.
//
// An insertion at the start of text that the other side replaces or deletes stays before it, and one
// at its end stays behind it. Changes of one side that touch because the other side deleted the text
// between them are joined. The cost is linear in the number of changes.
func Transform(a, b Changeset) (a2, b2 Changeset, meet *Meeting) {
	a2, b2, meet = transform(a, b)
	if meet != nil {
		return nil, nil, meet
	}
	return a2.joined(), b2.joined(), nil
}

// transform is Transform, but does not join changes that touch.
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

// before reports whether all of c is before d, a change of the same text. It is not
// if both insert at the point where they touch.
func (c Change) before(d Change) bool {
	return c.End() < d.At || c.End() == d.At && !(c.inserts() && d.inserts())
}

// inserts reports whether c meets an insertion at either of its ends.
func (c Change) inserts() bool { return c.Old == "" || c.loose }

func (c Change) shifted(by int) Change {
	c.At += by
	return c
}

// Carried is a changeset that is moved over others that happened to the same text after it, or concurrently. Its changes
// that come to touch are kept apart meanwhile: joined, an insertion would count as a replacement of what it touches, and
// lose its order among other insertions. A Carried is not safe for concurrent use; a copy is independent.
type Carried struct{ c Changeset }

// Carry returns c as a Carried.
func Carry(c Changeset) *Carried { return &Carried{c} }

// Over carries the changeset over b, which is of the same text, and returns b as it is after the changeset; changes of b2
// may touch, as after [Changeset.ThenApart]. If the two meet, nothing is carried.
func (c *Carried) Over(b Changeset) (b2 Changeset, meet *Meeting) {
	c2, b2, meet := transform(c.c, b)
	if meet == nil {
		c.c = c2
	}
	return b2, meet
}

// Apart returns the changes as carried so far, one for each of the changeset. Some may touch.
func (c *Carried) Apart() []Change { return c.c }

// Changeset returns the changeset as carried so far, with touching changes joined.
func (c *Carried) Changeset() Changeset { return c.c.joined() }

// TakeBack returns the changes that remove made from a text to which since has happened after it.
// Text that others have typed into that of made stays, and text that they have overwritten or
// restored themselves is left alone. If the two do not meet, it is the inverse, carried over since.
//
// TakeBack is for edits that should never have been made; to undo an edit, see [Carry].
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

// takeBack carries c over since, in the pieces that since leaves of the text that c deletes.
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

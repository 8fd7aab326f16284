package changeset

// TakeBack returns what takes made out of a text to which since has happened after
// it, where others have typed into what it wrote: what they typed stays. What
// they have written over or put back themselves is left alone. Where the two do
// not meet it is the inverse, carried over since.
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
	case c.Old == "" && !since.puts(c):
		pieces = Changeset{{At: since.Map(c.At, false), New: c.New}}
	}
	return pieces
}

// puts reports whether one of the changes inserts what c does, where c does.
func (c Changeset) puts(d Change) bool {
	for _, ch := range c {
		if ch.At == d.At && ch.New == d.New {
			return true
		}
	}
	return false
}

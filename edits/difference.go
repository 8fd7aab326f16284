package edits

import "github.com/patchls/patchls/edits/text"

// Difference returns what makes after of before, minimal as [Rewrite] has it.
func Difference(before, after text.Text) Changeset {
	if before.Equal(after) {
		return nil
	}
	es := Rewrite(before, 0, before.Len(), after.String())
	if !es.Apply(before).Equal(after) { // line ends of another kind, which Rewrite does not write
		return Replaced(0, before.String(), after.String())
	}
	return es.On(before)
}

// Replaced returns the change of old, which stands at byte at of a text, into
// put, without what both begin and end with.
func Replaced(at int, old, put string) Changeset {
	p, q := commonEnds(old, put)
	if p+q == len(old) && p+q == len(put) {
		return nil
	}
	return Changeset{{At: at + p, Old: old[p : len(old)-q], New: put[p : len(put)-q]}}
}

// Apply returns the text after the changes; ok is false if what they replace does
// not stand in t.
func (c Changeset) Apply(t text.Text) (after text.Text, ok bool) {
	for _, ch := range c {
		if end := ch.At + len(ch.Old); ch.At < 0 || end > t.Len() || t.Slice(ch.At, end) != ch.Old {
			return text.Text{}, false
		}
	}
	return c.Edits().Apply(t), true
}

// Size returns how many bytes the changes delete and insert.
func (c Changeset) Size() int {
	n := 0
	for _, ch := range c {
		n += len(ch.Old) + len(ch.New)
	}
	return n
}

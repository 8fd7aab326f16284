package changeset

import (
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Sighting is what a text says of edits that were to be made in the text that it
// was before, and in which others may have typed as well.
type Sighting int

// What can be seen of edits.
const (
	// Unclear: some of it is there and some not, or what is there is neither.
	Unclear Sighting = iota
	// Absent: none of the edits was made.
	Absent
	// Present: all of them were made, and what else has changed leaves them alone.
	Present
)

// See looks for what edit, which is of before, has made of now. known are the
// changes by which before became now, as far as they were told. If it is present,
// now is before with others and then own.
func See(before text.Text, edit Changeset, now text.Text, known Changeset) (s Sighting, others, own Changeset) {
	after := edit.Edits().Apply(before)
	since, all := Difference(after, now), Difference(before, now)
	if got, ok := known.Apply(before); ok && known.Size() < all.Size() && got.Equal(now) {
		all = known // which is how it was, and need not be how it looks
	}
	// Both are readings of what was typed. The edit is there if the one with it has
	// all of it less to explain; by a part less may be a coincidence.
	if since.Size() < all.Size() {
		others, back, meet := Transform(since, edit.Invert())
		if meet == nil && all.Size()-since.Size() >= edit.Size() {
			return Present, others, back.Invert()
		}
		return Unclear, nil, nil
	}
	if _, _, meet := Transform(edit, all); meet == nil || !mayHold(known, edit) {
		return Absent, nil, nil
	}
	return Unclear, nil, nil
}

// mayHold reports whether any of the changes that were told can be one of edit.
func mayHold(known, edit Changeset) bool {
	for _, k := range known {
		for _, e := range edit {
			if e.New != "" && strings.Contains(k.New, e.New) || e.New == "" && strings.Contains(k.Old, e.Old) {
				return true
			}
		}
	}
	return false
}

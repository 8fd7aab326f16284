package changeset

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Change replaces Old, at byte At of a text, by New.
type Change struct {
	At       int
	Old, New string

	// loose says that New, or some of it, was an insertion at some point of Old or
	// where Old had been. Only [Changeset.ThenApart] cares.
	loose bool
}

// End returns the offset right behind Old.
func (c Change) End() int { return c.At + len(c.Old) }

// Delta returns how many bytes longer the change makes a text.
func (c Change) Delta() int { return len(c.New) - len(c.Old) }

// WithCRLF returns the change with CRLF line ends in New.
func (c Change) WithCRLF() Change {
	c.New = strings.ReplaceAll(strings.ReplaceAll(c.New, "\r\n", "\n"), "\n", "\r\n")
	return c
}

func (c Change) String() string { return fmt.Sprintf("%d %q->%q", c.At, c.Old, c.New) }

// Changeset is what happened to a text: sorted, disjoint, no change empty and no two touching; all offsets are of the text
// before. It includes the deleted text, so it can be inverted, composed and transformed without the text. The zero value
// changes nothing. A changeset is never modified in place, and shares its strings with the changesets that it is made from.
type Changeset []Change

// Of returns the changeset of the edits, which must be valid for t.
func Of(es edits.Edits, t text.Text) Changeset {
	return lists.Map(es, func(e edits.Edit) Change { return Change{At: e.Start, Old: t.Slice(e.Start, e.End), New: e.New} })
}

// Edits returns the edits that make the changes.
func (c Changeset) Edits() edits.Edits {
	return lists.Map(c, func(ch Change) edits.Edit { return edits.Edit{Start: ch.At, End: ch.End(), New: ch.New} })
}

// Invert returns the changeset of the text after c that takes c back.
func (c Changeset) Invert() Changeset {
	inv := slices.Clone(c)
	shift := 0
	for i, ch := range c {
		inv[i] = Change{At: ch.At + shift, Old: ch.New, New: ch.Old}
		shift += ch.Delta()
	}
	return inv
}

// Fits reports whether c is a changeset of t: sorted, disjoint, and t has each Old where c says. It reads nothing else of t.
func (c Changeset) Fits(t text.Text) bool {
	at := -1 // end of the change before
	for _, ch := range c {
		if ch.At <= at || ch.End() > t.Len() || ch.Old == "" && ch.New == "" || t.Slice(ch.At, ch.End()) != ch.Old {
			return false
		}
		at = ch.End()
	}
	return true
}

// Delta returns how many bytes longer the changes make a text.
func (c Changeset) Delta() int { return lists.Sum(c, Change.Delta) }

// Inserted returns how many bytes the changes insert, without line ends.
func (c Changeset) Inserted() int {
	return lists.Sum(c, func(ch Change) int { return len(ch.New) - strings.Count(ch.New, "\n") - strings.Count(ch.New, "\r") })
}

// Map returns the offset in the text after of the offset off in the text before. An offset at either
// end of replaced text stays at that end. An offset strictly inside, or at the point of a pure
// insertion, goes behind the new text if after is set, else before it.
func (c Changeset) Map(off int, after bool) int {
	shift := 0
	for _, ch := range c {
		switch {
		case off < ch.At, off == ch.At && (ch.Old != "" || !after):
			return off + shift
		case off >= ch.End():
			shift += ch.Delta()
		case after:
			return ch.At + shift + len(ch.New)
		default:
			return ch.At + shift
		}
	}
	return off + shift
}

// Words returns c, which is of t, with each change widened to the words that it is in. The
// result has the same effect on t, but meets every other change of those words.
func (c Changeset) Words(t text.Text) Changeset {
	var wide Changeset
	end := 0 // of the change before
	for i, ch := range c {
		next := t.Len()
		if i+1 < len(c) {
			next = c[i+1].At
		}
		if ch.hasLetter(utf8.DecodeRuneInString) {
			before := t.Slice(max(end, ch.At-maxWord), ch.At)
			before = before[len(strings.TrimRightFunc(before, isLetter)):]
			ch = Change{At: ch.At - len(before), Old: before + ch.Old, New: before + ch.New}
		}
		if ch.hasLetter(utf8.DecodeLastRuneInString) {
			behind := t.Slice(ch.End(), min(next, ch.End()+maxWord))
			behind = behind[:len(behind)-len(strings.TrimLeftFunc(behind, isLetter))]
			ch = Change{At: ch.At, Old: ch.Old + behind, New: ch.New + behind}
		}
		if last := len(wide) - 1; last >= 0 && end == ch.At && wide[last].hasLetter(utf8.DecodeLastRuneInString) && ch.hasLetter(utf8.DecodeRuneInString) {
			wide[last].Old, wide[last].New = wide[last].Old+ch.Old, wide[last].New+ch.New
		} else {
			wide = append(wide, ch)
		}
		end = ch.End()
	}
	return wide
}

// hasLetter reports whether the change deletes or inserts a letter at the end that decode reads.
func (c Change) hasLetter(decode func(string) (rune, int)) bool {
	old, _ := decode(c.Old)
	put, _ := decode(c.New)
	return isLetter(old) || isLetter(put)
}

// maxWord bounds how far the end of a word is searched for, in bytes.
const maxWord = 1 << 10

// isLetter reports whether r is part of a word. It is false for scripts that are written without
// blanks between words, where each letter is a word of its own.
func isLetter(r rune) bool {
	return (r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

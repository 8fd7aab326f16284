package changeset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

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

package match

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TestPlainSize holds that what is skipped by its first byte has no look-alike,
// is in normal form, and does not combine with what is skipped as well.
func TestPlainSize(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := string(r)
		size := plainSize[s[0]]
		if size == 0 {
			continue
		}
		if int(size) != len(s) {
			t.Errorf("%U has %d bytes, not %d", r, len(s), size)
		}
		if _, ok := standIn(r); ok {
			t.Errorf("%U has a look-alike", r)
		}
		if p := norm.NFC.PropertiesString(s); norm.NFC.String(s) != s || !p.BoundaryBefore() {
			t.Errorf("%U is not normal or combines with what is before it", r)
		}
	}
}

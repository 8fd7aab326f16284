package edits_test

import (
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
)

// TestIsFit: nothing invisible of a name is shown as it is, but for the selectors of how an emoji is drawn.
func TestIsFit(t *testing.T) {
	for _, name := range []string{
		"a.txt", "my notes.md", "\u00fc\u00df.txt", "\u2764\ufe0f.md", "\u270f\ufe0e.md", "\U0001f5d2\ufe0f notes/\u2764\ufe0f", "1\ufe0f\u20e3 first.md", "\U0001f600.md",
	} {
		if !edits.IsFit(name) {
			t.Errorf("%q is not fit", name)
		}
		if said := edits.Fit(name); said != name {
			t.Errorf("%q becomes %q", name, said)
		}
	}
	for _, name := range []string{
		"a\ufe0f.txt", "a.\ufe0ftxt", "\ufe0fa", "a\ufe0e", "1\ufe0f.txt", ".git\ufe0f", "\u2764\ufe0f\ufe0f", "\u2764\ufe0fa\ufe0f", "\u2764\ufe00", "\u00e9\ufe0f", "\u2260\ufe0f",
		"\u4e00\U000e0100", "a\u200bb", "a\tb", "a\xff", "\u3164",
	} {
		if edits.IsFit(name) {
			t.Errorf("%q is fit", name)
		}
		if said := edits.Fit(name + "\n"); !edits.IsFit(strings.NewReplacer("\n", "", "\t", "").Replace(said)) || !strings.HasSuffix(said, "\n") {
			t.Errorf("%q becomes %q", name, said)
		}
	}
	if said, want := edits.Fit("\u00fc \"\x1b\u3164\"\n"), "\u00fc \"\\x1b\\u3164\"\n"; said != want {
		t.Errorf("got %q, want %q", said, want)
	}
}

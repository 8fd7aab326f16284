//go:build linux

package shadow

import (
	"testing"

	"github.com/patchls/patchls/edits/text"
)

// A file is written as the editor would save it, and read back so.
func TestForm(t *testing.T) {
	for _, tt := range []struct{ disk, now, saved string }{
		{"a\n", "b\n", "b\n"},
		{"a\r\nb\r\n", "c\nd\n", "c\r\nd\r\n"},     // the editor keeps line ends apart
		{"a\r\nb\r\n", "c\r\nd\r\n", "c\r\nd\r\n"}, // or not
		{"a\r\nb\n", "c\nd\n", "c\nd\n"},
		{text.BOM + "a\n", "b\n", text.BOM + "b\n"},
		{text.BOM + "a\n", text.BOM + "b\n", text.BOM + "b\n"},
		{text.BOM + "a\r\n", "b\n", text.BOM + "b\r\n"},
		{"", "b\n", "b\n"},
		{"a\n", "b\r\n", "b\r\n"}, // the user has changed the line ends
	} {
		saved := text.InForm(formOf(tt.disk, tt.now), text.New(tt.now)).String()
		if saved != tt.saved || (version{text: tt.now}).inForm(tt.saved) != tt.now {
			t.Errorf("%q on disk, %q in the editor: saved %q, read back %q", tt.disk, tt.now, saved, version{text: tt.now}.inForm(tt.saved))
		}
	}
	for s, want := range map[string]bool{"": true, "café": true, "caf\xe9": false, "\xff\xfea\x00": false, "a\x00b": false} {
		if isText(s) != want {
			t.Errorf("%q is a text: %v", s, !want)
		}
	}
}

package workspace_test

import (
	"testing"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// TestChangesOutsideTheText has editors that send no length change places that a text does not have. LSP lets
// them name an end below the text and a character past the end of a line. Any other such place shows that the
// editor has another text.
func TestChangesOutsideTheText(t *testing.T) {
	at := func(line, character int) text.Position { return text.Position{Line: line, Character: character} }
	for _, c := range []struct {
		name, text string
		start, end text.Position
		enc        text.Encoding
		drifts     bool
	}{
		{"the start below the last line", "a\nb\n", at(5, 0), at(5, 0), text.UTF16, true},
		{"both ends below", "a\nb\n", at(3, 0), at(4, 0), text.UTF16, true},
		{"below a text without a final newline", "a\nb", at(2, 0), at(2, 0), text.UTF16, true},
		{"below an empty text", "", at(1, 0), at(1, 0), text.UTF16, true},
		{"the empty last line", "a\nb\n", at(2, 0), at(2, 0), text.UTF16, false},
		{"the end below", "a\nb\n", at(0, 1), at(9, 0), text.UTF16, false},
		{"past the end of a line", "a\nb\n", at(0, 7), at(1, 99), text.UTF16, false},
		{"past the end of the last line", "a\nb", at(1, 7), at(1, 9), text.UTF16, false},
		{"past the end of a line with CRLF", "a\r\nb\r\n", at(0, 7), at(1, 0), text.UTF16, false},
		{"the start in a surrogate pair", "x😀y\n", at(0, 2), at(0, 3), text.UTF16, true},
		{"the end in a surrogate pair", "x😀y\n", at(0, 1), at(0, 2), text.UTF16, true},
		{"around a surrogate pair", "x😀y\n", at(0, 1), at(0, 3), text.UTF16, false},
		{"in a surrogate pair before the end of a line", "x😀\n", at(0, 2), at(0, 2), text.UTF16, true},
		{"in a surrogate pair at the end of the text", "x😀", at(0, 2), at(0, 2), text.UTF16, true},
		{"within a character of UTF-8", "é\n", at(0, 1), at(0, 1), text.UTF8, true},
		{"between code points", "é\n", at(0, 1), at(0, 1), text.UTF32, false},
	} {
		for _, how := range []string{"unseen", "looked at", "watched"} {
			ds := workspace.NewDocuments()
			ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Version: 1, Text: text.New(c.text)})
			version := int32(2)
			switch how {
			case "unseen": // many changes that nobody asks about are not kept
				for ; version < 1000; version++ {
					ds.Change(twinURI, version, []workspace.Change{{Text: "z"}, {Range: workspace.Range{End: at(0, 1)}}}, c.enc)
				}
			case "looked at":
				ds.Get(twinURI)
			case "watched":
				t.Cleanup(ds.Watch(twinURI, func(*workspace.Document) {}))
			}
			ds.Change(twinURI, version+1, []workspace.Change{{Range: workspace.Range{Start: c.start, End: c.end}, Text: "new"}}, c.enc)
			if got := ds.Get(twinURI).Drift != ""; got != c.drifts {
				t.Errorf("%s, %s: drift is %t", c.name, how, got)
			}
		}
	}
}

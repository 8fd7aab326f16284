package workspace_test

import (
	"strings"
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

// TestANewlineThatIsNotThere makes the changes that Neovim 0.12 sends of a text without a final newline. It counts one all the
// same. A length that is longer by more shows another text, and so does a place further below.
func TestANewlineThatIsNotThere(t *testing.T) {
	at := func(line, character int) text.Position { return text.Position{Line: line, Character: character} }
	change := func(start, end text.Position, length int, put string) workspace.Change {
		return workspace.Change{Range: workspace.Range{Start: start, End: end}, Text: put, Length: length, Counted: true}
	}
	for name, c := range map[string]struct {
		text    string
		changes []workspace.Change
		want    string // "" if the change does not fit
	}{
		"a line below the last":         {"1\n2\n3", []workspace.Change{change(at(2, 1), at(3, 0), 1, "\n\n"), change(at(3, 0), at(3, 0), 0, "x")}, "1\n2\n3\nx"},
		"a copy below the last":         {"1\n2\n3", []workspace.Change{change(at(2, 1), at(3, 0), 1, "\n1\n")}, "1\n2\n3\n1"},
		"the last line to the top":      {"1\n2\n3", []workspace.Change{change(at(0, 0), at(0, 0), 0, "3\n"), change(at(3, 0), at(4, 0), 2, "")}, "3\n1\n2"},
		"the last line deleted":         {"1\n2\n3", []workspace.Change{change(at(2, 0), at(3, 0), 2, "")}, "1\n2"},
		"two lines deleted, and back":   {"1\n2\n3", []workspace.Change{change(at(1, 0), at(3, 0), 4, ""), change(at(0, 1), at(1, 0), 1, "\n2\n3\n")}, "1\n2\n3"},
		"all lines deleted":             {"1\n2\n3", []workspace.Change{change(at(0, 0), at(3, 0), 6, "")}, "\x00"},
		"the last two lines joined":     {"1\n2\n3", []workspace.Change{change(at(1, 1), at(1, 1), 0, " 3"), change(at(2, 0), at(3, 0), 2, "")}, "1\n2 3"},
		"an empty last line deleted":    {"1\n2\n", []workspace.Change{change(at(2, 0), at(3, 0), 1, "")}, "1\n2"},
		"with CRLF":                     {"1\r\n2\r\n3", []workspace.Change{change(at(2, 0), at(3, 0), 3, "")}, "1\r\n2"},
		"a line below the last of CRLF": {"1\r\n2", []workspace.Change{change(at(1, 1), at(2, 0), 2, "\r\nx\r\n")}, "1\r\n2\r\nx"},
		"longer by two, with LF":        {"1\n2\n3", []workspace.Change{change(at(2, 0), at(3, 0), 3, "")}, ""},
		"a longer length":               {"1\n2\n3", []workspace.Change{change(at(2, 0), at(3, 0), 4, "")}, ""},
		"a length as it is":             {"1\n2\n3", []workspace.Change{change(at(2, 0), at(3, 0), 1, "")}, ""},
		"further below":                 {"1\n2\n3", []workspace.Change{change(at(2, 0), at(4, 0), 2, "")}, ""},
	} {
		for _, how := range []string{"unseen", "looked at", "watched"} {
			ds := workspace.NewDocuments()
			ds.Put(&workspace.Document{Key: twinURI, URI: twinURI, Version: 1, Text: text.New(c.text)})
			switch how {
			case "looked at":
				ds.Get(twinURI)
			case "watched":
				t.Cleanup(ds.Watch(twinURI, func(*workspace.Document) {}))
			}
			for i, one := range c.changes {
				ds.Change(twinURI, int32(2+i), []workspace.Change{one}, text.UTF8)
			}
			doc := ds.Get(twinURI)
			if got := doc.Text.String(); (doc.Drift != "") != (c.want == "") || c.want != "" && got != strings.TrimPrefix(c.want, "\x00") {
				t.Errorf("%s, %s: %q, want %q; drift %q", name, how, got, c.want, doc.Drift)
			}
		}
	}
}

package rewrite

import (
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// Form is what a file on disk has that the editor's text lacks: a byte order mark, and CRLF line ends.
type Form struct{ bom, crlf bool }

// FormOf returns the form of a file, given its text on disk and in the editor.
func FormOf(disk, now string) Form {
	f := Form{bom: strings.HasPrefix(disk, text.BOM) && !strings.HasPrefix(now, text.BOM)}
	lines := strings.Count(disk, "\n")
	f.crlf = lines > 0 && strings.Count(disk, "\r\n") == lines && !strings.Contains(now, "\r")
	return f
}

// Saved returns a text as the editor would save it.
func (f Form) Saved(s string) string {
	if f.crlf {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	if f.bom {
		s = text.BOM + s
	}
	return s
}

// Text returns a saved text as the editor would report it.
func (f Form) Text(saved string) string {
	if f.bom {
		saved = strings.TrimPrefix(saved, text.BOM)
	}
	if f.crlf {
		saved = diff.UnixLines(saved)
	}
	return saved
}

// IsText reports whether s is text in UTF-8. How an editor saves other encodings is not known here.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

//go:build linux

package shadow

import (
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// form is what a file on disk has that the editor's text lacks: a byte order mark, and CRLF line ends.
type form struct{ bom, crlf bool }

// formOf returns the form of a file, given its text on disk and in the editor.
func formOf(disk, now string) form {
	f := form{bom: strings.HasPrefix(disk, text.BOM) && !strings.HasPrefix(now, text.BOM)}
	lines := strings.Count(disk, "\n")
	f.crlf = lines > 0 && strings.Count(disk, "\r\n") == lines && !strings.Contains(now, "\r")
	return f
}

// saved returns a text as the editor would save it.
func (f form) saved(s string) string {
	if f.crlf {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	if f.bom {
		s = text.BOM + s
	}
	return s
}

// text returns a saved text as the editor would report it.
func (f form) text(saved string) string {
	if f.bom {
		saved = strings.TrimPrefix(saved, text.BOM)
	}
	if f.crlf {
		saved = diff.UnixLines(saved)
	}
	return saved
}

// isText reports whether s is text in UTF-8. How an editor saves other encodings is not known here.
func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

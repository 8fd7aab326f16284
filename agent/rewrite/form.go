package rewrite

import (
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// Form is what a file has beside the text that the editor tells of.
type Form struct{ bom, crlf bool }

// FormOf returns the form of a file, from what is on disk.
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

// Text returns what the editor would tell of what is saved.
func (f Form) Text(saved string) string {
	if f.bom {
		saved = strings.TrimPrefix(saved, text.BOM)
	}
	if f.crlf {
		saved = diff.UnixLines(saved)
	}
	return saved
}

// IsText reports whether bytes are a text in UTF-8: how an editor saves another one is not known here.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

package paths

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// binaryProbe is how many bytes from the beginning a NUL tells a binary file;
// git looks at as many.
const binaryProbe = 8192

// checkText reports why the bytes of the file at path are no text.
func checkText(raw, path string) error {
	if strings.HasPrefix(raw, "\xff\xfe") || strings.HasPrefix(raw, "\xfe\xff") {
		return fail(NotUTF8, path, "%s is UTF-16, not UTF-8; open it in the editor to edit it", printable(path))
	}
	if at := strings.IndexByte(raw[:min(len(raw), binaryProbe)], 0); at >= 0 {
		return fail(BinaryFile, path, "%s is a binary file (NUL at offset %d); it has no text to edit", printable(path), at)
	}
	if utf8.ValidString(raw) {
		return nil
	}
	at := 0
	for rest := raw; ; rest = raw[at:] {
		r, n := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && n < 2 { // U+FFFD itself has three bytes
			break
		}
		at += n
	}
	line := 1 + strings.Count(raw[:at], "\n")
	return fail(NotUTF8, path, "%s is not UTF-8: byte 0x%02X at offset %d, on line %d; open it in the editor to edit it", printable(path), raw[at], at, line)
}

// CheckEdits refuses edits that would make a text one that nobody could edit any more, nor
// take the edits back: a file with a NUL is none.
func CheckEdits(path string, t text.Text, es edits.Edits) error {
	for _, e := range es {
		if strings.Contains(e.New, "\x00") && !t.Contains("\x00") {
			return &edits.Error{Kind: BinaryFile, Path: path, Message: fmt.Sprintf(
				"The new text has a NUL character (U+0000), which would make %s a binary file; write it as the file's language does, such as \\0, or leave it out.", path)}
		}
	}
	return nil
}

package workspace

import (
	"strings"
	"unicode/utf8"
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
	at := firstInvalid(raw)
	if at < 0 {
		return nil
	}
	line := 1 + strings.Count(raw[:at], "\n")
	return fail(NotUTF8, path, "%s is not UTF-8: byte 0x%02X at offset %d, on line %d; open it in the editor to edit it", printable(path), raw[at], at, line)
}

// firstInvalid returns the offset of the first byte of s that is not UTF-8, -1
// if all of it is.
func firstInvalid(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 { // U+FFFD itself has three
			return i
		}
	}
	return -1
}

// Package oneline checks texts that are shown to the user as one line, and has names that
// are made to break out of it.
package oneline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Deceptions are names by which agents and repositories pass for something else.
var Deceptions = []string{
	"x\n\nNothing is added, press Apply to reject: 1 line added",
	"README.md (dry run). [Reject and tell the agent to stop",
	"[Apply](command:evil)", "\x1b[31mred\x1b]0;t\x07", "a\u202egnp.exe", "a`![x](https://evil)`b", "``", "$(error) fine", strings.Repeat("long", 1000),
}

// FileNames returns names of files that pass for something else.
func FileNames() (names []string) {
	for _, name := range append(Deceptions, "c\nError: forged", "d\u200be", "f\u2028g", "h\u2066i\u2069", "j\U000e0041k", "l\rm", "n\u00ado", "\x7f", "p\u0085q", "r\u034fs", "t\u3164", "u\U000e0100v", "w\ufe0fx", "y\ufe0ez") {
		if name = strings.ReplaceAll(name, "/", "_"); len(name) < 200 {
			names = append(names, name+".txt")
		}
	}
	return names
}

// Wrong says what is wrong with a text that should be one line for the user.
func Wrong(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "it is no UTF-8"
	case strings.ContainsAny(s, "[]\n\r\u2028\u2029"):
		return "it has a bracket or a line end"
	case strings.Contains(s, "$("):
		return "it has an icon"
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Bidi_Control) }):
		return "it has a control character"
	}
	return ""
}

// Misleads says what a name has done to a text in which everything else is plain. isFit reports whether a text has only
// characters that may be shown.
func Misleads(s string, isFit func(string) bool) string {
	switch {
	case !isFit(strings.NewReplacer("\n", "", "\t", "").Replace(s)):
		return "a character that is unfit"
	case strings.Contains(s, "\nError: forged"), strings.Contains(s, "\nNothing is added"):
		return "a line that is forged"
	}
	return ""
}

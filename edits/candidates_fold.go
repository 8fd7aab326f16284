package edits

import (
	"strings"
	"unicode/utf8"
)

// foldBytes bounds the lines that are folded, which is slow.
const foldBytes = 1 << 12

// foldLookAlikes returns a line with the characters that look like ASCII as
// ASCII, and without those that cannot be seen. It serves messages; it never
// decides what an edit does.
func foldLookAlikes(line string) string {
	if len(line) > foldBytes {
		return line
	}
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return lookAlikes.Replace(line)
		}
	}
	return line
}

// lookAlikes replaces quotes (guillemets are none), dashes, blanks and ellipses,
// and takes zero-width characters and soft hyphens out.
var lookAlikes = strings.NewReplacer(
	"\u2018", "'", "\u2019", "'", "\u201A", "'", "\u201B", "'", "\u2032", "'",
	"\u201C", `"`, "\u201D", `"`, "\u201E", `"`, "\u201F", `"`, "\u2033", `"`,
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-",
	"\u00A0", " ", "\u2000", " ", "\u2001", " ", "\u2002", " ", "\u2003", " ", "\u2004", " ", "\u2005", " ",
	"\u2006", " ", "\u2007", " ", "\u2008", " ", "\u2009", " ", "\u200A", " ", "\u202F", " ", "\u205F", " ", "\u3000", " ",
	"\u2026", "...",
	"\u200B", "", "\u200C", "", "\u200D", "", "\u2060", "", "\uFEFF", "", "\u00AD", "",
)

package command

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/match"
)

// allBlank reports whether there is nothing but white space in the lines.
func allBlank(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
}

// blanksFold passes over the blanks around lines.
var blanksFold = match.Fold{Trailing: true, Indent: true}

var lookAlikeFold = match.Fold{Trailing: true, Indent: true, Unicode: true}

// indentWidth returns how deep a line is indented, a tab being four blanks.
func indentWidth(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

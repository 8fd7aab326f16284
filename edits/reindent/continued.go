package reindent

import (
	"strings"
	"unicode"

	"github.com/patchls/patchls/edits/diff"
)

// Continued tells for each line whether it goes on with the statement above it.
func Continued(lines []string) []bool {
	out, open, above := make([]bool, len(lines)), 0, ""
	for i, l := range lines {
		_, core, _ := diff.CutBlanks(strings.TrimSuffix(l, "\r"))
		out[i] = open > 0 || joined(above, core)
		open, above = max(0, open+openBrackets(core)), core
	}
	return out
}

// joined reports whether a line goes on with the one above it, without a bracket that
// says so: there is a backslash or an operator in between, or the dot of a method.
func joined(above, line string) bool {
	for _, end := range []string{"\\", " &&", " ||", " +", " -", " *", " /", " =", " ?"} {
		if strings.HasSuffix(above, end) {
			return true
		}
	}
	if above == "" || strings.ContainsAny(above[len(above)-1:], "{};,:") {
		return false
	}
	return strings.HasPrefix(line, "&& ") || strings.HasPrefix(line, "|| ") || strings.HasPrefix(line, "? ") || strings.HasPrefix(line, ": ") ||
		len(line) > 1 && line[0] == '.' && unicode.IsLetter(rune(line[1]))
}

// openBrackets returns how many parentheses and brackets are opened in a line and not
// closed in it, less those that are only closed: the lines below a line that leaves some
// open go on with its statement, and are laid out by its words.
func openBrackets(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case '(', '[':
			n++
		case ')', ']':
			n--
		}
	}
	return n
}

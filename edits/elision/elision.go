// Package elision recognises where a text that was sent stands for more than it is:
//
//	func f() {
//		// ... existing code ...
//	}
//
// Such a line would replace what the caller meant to keep.
package elision

import (
	"iter"
	"slices"
	"strings"
)

// Find returns the first line of new, without the blanks around it, that stands for text
// which new leaves out (see remarkIn): one that old does not have, where a line of old is
// not in new, and that does not go on a sentence of the comment above.
//
// An ellipsis alone is often text. It counts only if two lines of old are not in new, since
// it stands for lines, and if nothing around it says what else it is (see isText).
func Find(old, new string) (line string, found bool) {
	lines := strings.Split(strings.ReplaceAll(new, "\r\n", "\n"), "\n")
	var olds map[string]bool // of few texts they are needed
	missing := 0
	for i, l := range lines {
		line := strings.TrimSpace(l)
		r, ok := remarkIn(line)
		if !ok {
			continue
		}
		if olds == nil {
			olds = lineSet(strings.Lines(old))
			news := lineSet(slices.Values(lines))
			for l := range olds {
				if l != "" && !news[l] {
					missing++
				}
			}
		}
		switch {
		case missing == 0:
			return "", false
		case olds[line]:
		case r.text == "" && (missing < 2 || isText(lines, i, r.mark, olds)):
		case r.text != "" && i > 0 && r.goesOn(lines[i-1]):
		default:
			return line, true
		}
	}
	return "", false
}

// MayElide reports whether line could stand for text that is left out.
func MayElide(line string) bool {
	_, ok := remarkIn(strings.TrimSpace(line))
	return ok
}

// lineSet returns lines as a set, without the blanks around them.
func lineSet(lines iter.Seq[string]) map[string]bool {
	set := map[string]bool{}
	for line := range lines {
		set[strings.TrimSpace(line)] = true
	}
	return set
}

// isText reports whether line i, an ellipsis and nothing else, is not there for text that
// is left out. In a comment it is if it goes on the one above, or that below goes on. Else
// it is if it is all there is, if it goes on a doctest, ends a YAML document, or is all that
// stands in a Python function or class that old does not have.
func isText(lines []string, i int, mark string, olds map[string]bool) bool {
	above, below := neighbour(lines, i, -1), neighbour(lines, i, 1)
	a, indent := strings.TrimSpace(above), IndentOf(lines[i])
	switch {
	case mark != "":
		return isComment(above, mark) || isComment(below, mark)
	case above == "" && below == "", strings.HasPrefix(a, ">>>"), strings.HasPrefix(a, "... "):
		return true
	case indent == 0 && (slices.Contains(lines, "---") || olds["---"]):
		return true
	}
	opens := strings.HasSuffix(a, ":") && IndentOf(above) < indent ||
		strings.HasSuffix(a, `"""`) || strings.HasSuffix(a, "'''")
	ends := below == "" || IndentOf(below) < indent
	return opens && ends && !olds[a]
}

// neighbour returns the first line above (step -1) or below (1) line i that is not blank,
// "" if there is none.
func neighbour(lines []string, i, step int) string {
	for i += step; i >= 0 && i < len(lines); i += step {
		if strings.TrimSpace(lines[i]) != "" {
			return lines[i]
		}
	}
	return ""
}

// isComment reports whether line is a comment with this mark, and says something.
func isComment(line, mark string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, mark) && len(line) > len(mark)
}

// IndentOf returns the bytes of the blanks that line begins with.
func IndentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// IsElision reports whether a line stands for lines that are left out: dots alone, or a
// remark about code that stays.
func IsElision(line string) bool {
	line = strings.TrimSpace(line)
	r, ok := remarkIn(line)
	return line == "..." || line == "…" || ok && r.mark != "" && r.mark != "* "
}

// CutElisions cuts lines at those that stand for others.
func CutElisions(lines []string) [][]string {
	pieces := [][]string{nil}
	for _, l := range lines {
		if IsElision(l) {
			pieces = append(pieces, nil)
			continue
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], l)
	}
	return pieces
}

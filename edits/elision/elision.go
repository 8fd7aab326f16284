package elision

import (
	"iter"
	"slices"
	"strings"
)

// Find returns the first line of new, without the blanks around it, that
// stands for text which new leaves out: "// ... existing code ...", "# rest of
// the code unchanged", "<!-- ... -->". A line that old has too is not meant, and where
// every line of old is in new nothing is left out.
//
// Words decide if they are about code that stays, and about nothing else; see
// Remark.Says. An ellipsis alone, bare or in a comment, is often text: the body
// of a Python stub, the end of a YAML document. It counts only if
//
//   - two lines of old or more are not in new, since it stands for lines,
//   - it is not all of new, if it is bare,
//   - it does not go on a comment that stands above or goes on below it,
//   - it is no stub (see isStub), no continuation of a doctest, and no end of a
//     YAML document, which is bare, not indented, and in a text with "---".
//
// What is in quotes or has code before it is not meant, but for a comment that
// is all between braces, and one at the end that begins with an ellipsis.
func Find(old, new string) (line string, found bool) {
	e := elision{lines: strings.Split(strings.ReplaceAll(new, "\r\n", "\n"), "\n"), oldText: old}
	for i, l := range e.lines {
		line := strings.TrimSpace(l)
		r, ok := RemarkIn(line)
		if !ok {
			continue
		}
		if r.Text == "" && e.alone(i, r) || r.Text != "" && r.Says() && !e.goesOn(i, r) {
			if !e.old()[line] && e.missing() > 0 {
				return line, true
			}
		}
	}
	return "", false
}

// lineSet returns lines as a set, without the blanks around them.
func lineSet(lines iter.Seq[string]) map[string]bool {
	set := map[string]bool{}
	for line := range lines {
		set[strings.TrimSpace(line)] = true
	}
	return set
}

// elision is a search for left-out text in the lines of a new text.
type elision struct {
	lines    []string
	oldText  string
	oldLines map[string]bool // see old
	gone     *int            // see missing
}

// old returns the lines of the old text. Few texts have a line for which they are
// needed.
func (e *elision) old() map[string]bool {
	if e.oldLines == nil {
		e.oldLines = lineSet(strings.Lines(e.oldText))
	}
	return e.oldLines
}

// alone reports whether line i, which is an ellipsis and nothing else, stands
// for text.
func (e *elision) alone(i int, r Remark) bool {
	if e.missing() < 2 {
		return false
	}
	above, below := e.neighbour(i, -1), e.neighbour(i, 1)
	if r.Mark != "" {
		return !continues(above, r.Mark) && !continues(below, r.Mark)
	}
	switch a := strings.TrimSpace(above); {
	case above == "" && below == "":
		return false
	case strings.HasPrefix(a, ">>>") || strings.HasPrefix(a, "... "):
		return false
	case IndentOf(e.lines[i]) == 0 && (slices.Contains(e.lines, "---") || e.old()["---"]):
		return false
	}
	return !e.isStub(i, above, below)
}

// isStub reports whether the ellipsis of line i is the body of a Python function
// or class: it is all that is below a line that ends with ":" or a docstring. It
// is none if old has that line, and so had a body that is missing now.
func (e *elision) isStub(i int, above, below string) bool {
	a := strings.TrimSpace(above)
	opens := strings.HasSuffix(a, ":") && IndentOf(above) < IndentOf(e.lines[i]) ||
		strings.HasSuffix(a, `"""`) || strings.HasSuffix(a, "'''")
	closed := below == "" || IndentOf(below) < IndentOf(e.lines[i])
	return opens && closed && !e.old()[a]
}

// goesOn reports whether line i goes on a sentence of the comment above.
func (e *elision) goesOn(i int, r Remark) bool {
	if i == 0 || r.leading || r.trailing || r.enclosed || r.Mark == "" {
		return false
	}
	above := strings.TrimSpace(e.lines[i-1])
	first := r.Text[0]
	return 'a' <= first && first <= 'z' && continues(above, r.Mark) && !strings.ContainsAny(above[len(above)-1:], ".:!?-=*")
}

// missing returns how many lines of old that are not blank are not in new.
func (e *elision) missing() int {
	if e.gone == nil {
		n := 0
		set := lineSet(slices.Values(e.lines))
		for l := range e.old() {
			if l != "" && !set[l] {
				n++
			}
		}
		e.gone = &n
	}
	return *e.gone
}

// neighbour returns the first line above (step -1) or below (1) line i that is
// not blank, "" if there is none.
func (e *elision) neighbour(i, step int) string {
	for i += step; i >= 0 && i < len(e.lines); i += step {
		if strings.TrimSpace(e.lines[i]) != "" {
			return e.lines[i]
		}
	}
	return ""
}

// continues reports whether line is a comment with this mark, and says something.
func continues(line, mark string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, mark) && len(line) > len(mark)
}

// IndentOf returns the bytes of the blanks that line begins with.
func IndentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

package command

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// numbering is how a text quotes the numbers of its lines.
type numbering struct {
	bare        string // the text without them
	first, last int
	width       int    // of number and blanks in front, where these fill columns; else 0
	separator   string // between a number and its line
}

// numberedLine is a line as tools show it: "  10→x", "10 | x", "    10\tx", "L10: x".
var numberedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( *L?(\d+))(→|\t| ?\| ?|: ?|\) ?)`)
})

// numberingOf tells the numbers of the lines of s. They must be on every line that is not
// blank, be written alike, and count up by one.
func numberingOf(s string) (n numbering, ok bool) {
	lines := strings.SplitAfter(s, "\n")
	next, starts := 0, 0
	for i, l := range lines {
		m := numberedLine().FindStringSubmatch(l)
		if m == nil {
			if strings.TrimSpace(l) != "" {
				return n, false
			}
			next++
			continue
		}
		number, err := strconv.Atoi(m[2])
		separator := strings.TrimRight(m[3], " ")
		switch {
		case err != nil || starts > 0 && (number != next || separator != n.separator):
			return n, false
		case starts == 0:
			n.separator, n.first, starts = separator, number-i, 1
		}
		if m[1][0] == ' ' {
			n.width = len(m[1])
		}
		n.last, next = number, number+1
		lines[i] = l[len(m[1])+len(separator):]
	}
	n.bare = strings.Join(lines, "")
	return n.withoutBlank(), n.first > 0
}

// withoutBlank makes a blank that follows each separator a part of it.
func (n numbering) withoutBlank() numbering {
	lines := strings.SplitAfter(n.bare, "\n")
	if n.separator == "\t" || n.separator == "→" {
		return n
	}
	for i, l := range lines {
		rest, is := strings.CutPrefix(l, " ")
		if !is && strings.TrimSpace(l) != "" {
			return n
		}
		lines[i] = rest
	}
	n.bare, n.separator = strings.Join(lines, ""), n.separator+" "
	return n
}

// cut takes the numbers off put, a text that goes with the numbered one: those that are
// written like its numbers, as long as they count on, and those of its own lines. Others
// are text, as is what has none.
func (n numbering) cut(put string) string {
	lines, old := strings.SplitAfter(put, "\n"), strings.Split(n.bare, "\n")
	last := n.first - 1
	for i, l := range lines {
		number, bare, ok := n.cutLine(l)
		was := ok && number >= n.first && number <= n.last && strings.TrimRight(bare, "\n") == old[number-n.first]
		if was || ok && number > last && number <= max(n.last, last+1) {
			lines[i], last = bare, max(last, number)
		}
	}
	return strings.Join(lines, "")
}

// cutLine takes the number off a line that has one as the numbered lines have it.
func (n numbering) cutLine(l string) (number int, bare string, ok bool) {
	sign := strings.TrimRight(n.separator, " ")
	m := numberedLine().FindStringSubmatch(l)
	if len(m) == 0 || strings.TrimRight(m[3], " ") != sign || n.width > 0 && len(m[1]) != n.width {
		return 0, "", false
	}
	number, err := strconv.Atoi(m[2])
	rest := l[len(m[1]):]
	bare, cut := strings.CutPrefix(rest, n.separator)
	if !cut {
		bare = strings.TrimPrefix(rest, sign)
	}
	return number, bare, err == nil
}

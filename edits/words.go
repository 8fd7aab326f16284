package edits

import (
	"fmt"
	"slices"
	"strings"
)

// Count words a number of things: "1 line", "2 lines".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// LineRange words a range of lines: "line 5", "lines 5-10".
func LineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

// LineList words line numbers, which are sorted: "line 4", "lines 4, 19 and 33".
// A number that comes twice is said once, and a long list is cut.
func LineList(lines []int) string {
	const most = 10
	lines = slices.Compact(slices.Clone(lines))
	if len(lines) == 1 {
		return fmt.Sprintf("line %d", lines[0])
	}
	shown, rest := lines, 0
	if len(lines) > most {
		shown, rest = lines[:most], len(lines)-most
	}
	words := make([]string, len(shown))
	for i, l := range shown {
		words[i] = fmt.Sprint(l)
	}
	if rest > 0 {
		return fmt.Sprintf("lines %s and %d more", strings.Join(words, ", "), rest)
	}
	n := len(words) - 1
	return fmt.Sprintf("lines %s and %s", strings.Join(words[:n], ", "), words[n])
}

// maxListed bounds how many names a message has.
const maxListed = 5

// Listed words a list of names: "a.txt, b.txt and c.txt".
func Listed(names []string) string {
	if more := len(names) - maxListed; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), more)
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

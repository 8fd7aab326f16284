package edits

import (
	"fmt"
	"slices"
	"strconv"
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
	var numbers []string
	for _, l := range slices.Compact(slices.Clone(lines)) {
		numbers = append(numbers, strconv.Itoa(l))
	}
	if len(numbers) == 1 {
		return "line " + numbers[0]
	}
	return "lines " + listed(numbers, most)
}

// Listed words a list of names: "a.txt, b.txt and c.txt".
func Listed(names []string) string {
	const most = 5
	if len(names) == most+1 { // the name takes no more room than "1 more"
		return listed(names, most+1)
	}
	return listed(names, most)
}

func listed(words []string, most int) string {
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), more)
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

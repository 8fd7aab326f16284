package main

import (
	"fmt"
	"strings"
)

// patched is a text, the same with single lines changed all over it, and the
// patch that makes one of the other.
type patched struct {
	was, want string
	unified   string
}

// numbered is a text of n lines that differ in their numbers.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tvalue_%d = compute(%d, %d)\n", i, i+1, i+2)
	}
	return b.String()
}

// patchLines changes some lines of a text, with three lines of context on either side.
func patchLines(was string, hunks int) patched {
	all := strings.SplitAfter(was, "\n")
	all = all[:len(all)-1] // the text ends in a line end
	want := append([]string(nil), all...)
	var unified strings.Builder
	unified.WriteString("--- a/f.txt\n+++ b/f.txt\n")
	for i := range hunks {
		at := 3 + i*(len(all)-7)/hunks
		want[at] = strings.TrimSuffix(all[at], "\n") + " // changed\n"
		var lines strings.Builder
		for k := at - 3; k < at; k++ {
			lines.WriteString(" " + all[k])
		}
		lines.WriteString("-" + all[at] + "+" + want[at])
		for k := at + 1; k < at+4; k++ {
			lines.WriteString(" " + all[k])
		}
		fmt.Fprintf(&unified, "@@ -%d,7 +%d,7 @@\n%s", at-2, at-2, lines.String())
	}
	return patched{was, strings.Join(want, ""), unified.String()}
}

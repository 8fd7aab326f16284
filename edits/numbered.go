package edits

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Numbered returns the lines [from,to] of t, from 1 and inclusive, as agents
// read them: number in six columns, tab, line; joined by "\n", without any
// terminator or "\r" of it.
func Numbered(t text.Text, from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		if i > from {
			b.WriteByte('\n')
		}
		l := t.Line(i - 1)
		fmt.Fprintf(&b, "%6d\t%s", i, t.Slice(l.Start, l.End))
	}
	return b.String()
}

package edits

import (
	"iter"

	"github.com/patchls/patchls/edits/text"
)

// inParts yields the whole lines of t that edits are about, with the edits of those
// lines. Edits of lines that follow each other are in one part.
func inParts(t text.Text, es Edits) iter.Seq2[string, Edits] {
	start := func(off int) int {
		if line := t.LineAt(off); line > 0 {
			return t.LineStart(line)
		}
		return 0 // where a byte order mark is, too
	}
	end := func(off int) int {
		if line := t.LineAt(off); line < t.Lines() {
			return t.Line(line).Next
		}
		return t.Len()
	}
	return func(yield func(string, Edits) bool) {
		for i := 0; i < len(es); {
			from, to, k := start(es[i].Start), end(es[i].End), i+1
			for ; k < len(es) && start(es[k].Start) <= to; k++ {
				to = end(es[k].End)
			}
			if !yield(t.Slice(from, to), es[i:k].Shifted(-from)) {
				return
			}
			i = k
		}
	}
}

package headless

import (
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// wholeLines makes of edits of t one edit of all of the lines from the first that
// they touch to the last.
func wholeLines(t text.Text, es edits.Edits) edits.Edits {
	first, last := es[0].Start, es[len(es)-1].End
	start := min(first, t.LineStart(t.LineAt(first)))
	end := max(last, t.LineStart(t.LineAt(last)+1))
	after := es.Apply(t)
	return edits.Edits{{Start: start, End: end, New: after.Slice(start, end+es.Delta())}}
}

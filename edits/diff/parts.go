package diff

import (
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// LineChanges returns how many lines the edits add to t and remove from it; those
// that stay are neither.
func LineChanges(es edits.Edits, t text.Text) (added, removed int) {
	for i := 0; i < len(es); {
		// The edits of lines that follow each other: what one of them takes out
		// another may put back.
		first, at := i, t.LineAt(es[i].Start)
		from, to, single := at, at, true
		for more := true; more; {
			e := es[i]
			to = t.LineAt(e.End)
			single = single && at == to && !strings.Contains(e.New, "\n") && e.New != t.Slice(e.Start, e.End)
			if i++; i < len(es) {
				at = t.LineAt(es[i].Start)
			}
			more = i < len(es) && at <= to+1
			single = single && !(more && at == to)
		}
		if single && to+1 < t.Lines() {
			added += i - first // each is in a line of its own, which ends where it did
			removed += i - first
			continue
		}
		part, start := wholeLines(t, from, to)
		for _, c := range inLines(part, es[first:i].Shifted(-start)) {
			added += LineCount(c.new)
			removed += LineCount(part[c.start:c.end])
		}
	}
	return added, removed
}

// wholeLines returns the lines from first to last, with a byte order mark above
// them, and where they begin.
func wholeLines(t text.Text, first, last int) (part string, start int) {
	end := t.Len()
	if first > 0 {
		start = t.LineStart(first)
	}
	if last < t.Lines() {
		end = t.Line(last).Next
	}
	return t.Slice(start, end), start
}

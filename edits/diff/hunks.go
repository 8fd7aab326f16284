package diff

import (
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Hunks returns a hunk for each run of changed lines. The text after the edits is
// not made for it: its lines are those of before, more or fewer by the line ends
// that the edits put in and take out.
func Hunks(es edits.Edits, before text.Text) []edits.Hunk {
	hs := make([]edits.Hunk, 0, len(es))
	shift, grown := 0, 0 // by the edits that are told: bytes and lines
	for i := 0; i < len(es); {
		r := editRun{before: before, first: es[i], line: before.LineAt(es[i].Start)}
		at := r.line // the line in which the next edit begins
		for more := true; more; more = i < len(es) && at == r.end {
			r.last, r.end = es[i], before.LineAt(es[i].End)
			r.lines += strings.Count(es[i].New, "\n") - (r.end - at)
			r.bytes += len(es[i].New) - (es[i].End - es[i].Start)
			if i++; i < len(es) {
				at = before.LineAt(es[i].Start)
			}
		}
		shift += r.bytes
		startsText := r.last.End+shift <= len(text.BOM) && r.last.End+shift == len(bomOf(es.Apply(before)))
		hs = append(hs, r.hunk(grown, startsText))
		grown += r.lines
	}
	return hs
}

// bomOf returns the byte order mark that leads t, "" if there is none.
func bomOf(t text.Text) string {
	if HasBOM(t) {
		return text.BOM
	}
	return ""
}

// editRun is some edits of before, each of which begins in the line in which the one
// before it ends.
type editRun struct {
	before       text.Text
	first, last  edits.Edit
	line, end    int // in which the first begins, and the last ends
	lines, bytes int // by which they make the text longer
}

// hunk returns the lines of the run, widened to whole ones, grown being how many more there
// are above it.
// startsText says that the text after the edits has no line above the end of the run.
func (r *editRun) hunk(grown int, startsText bool) edits.Hunk {
	from, to := min(r.before.LineStart(r.line), r.first.Start), r.last.End
	wasEnd := to > 0 && r.before.Slice(to-1, to) == "\n" // what is before to is a line end
	isEnd := strings.HasSuffix(r.last.New, "\n")         // and so in the text after the edits
	if r.last.New == "" && r.last.Start > 0 {
		isEnd = r.before.Slice(r.last.Start-1, r.last.Start) == "\n"
	}
	end := r.end // the line ends before to
	if from != r.first.Start || to != r.before.LineStart(end) || !isEnd && !startsText {
		if end < r.before.Lines() {
			l := r.before.Line(end)
			switch {
			case l.End < l.Next:
				end, wasEnd, isEnd = end+1, true, true
			case to < l.Next:
				wasEnd, isEnd = false, false
			}
			to = l.Next
		}
	}
	h := edits.Hunk{StartLine: r.line + grown + 1, Match: edits.Exact}
	if from < to {
		h.OldLines = end - r.line + oneIf(!wasEnd)
	}
	if from < to+r.bytes {
		h.NewLines = end - r.line + r.lines + oneIf(!isEnd)
	}
	h.EndLine = h.StartLine + h.NewLines - 1
	return h
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// HunkNumbers returns for each edit of the plan, which is of t, the number of its hunk
// from 1.
func HunkNumbers(p edits.Plan, t text.Text) []int {
	starts := make([]int, len(p.Hunks)) // of the lines of before
	grown := 0
	for i, h := range p.Hunks {
		starts[i] = t.LineStart(min(h.StartLine-1-grown, t.Lines()))
		grown += h.NewLines - h.OldLines
	}
	numbers := make([]int, len(p.Edits))
	n := 1
	for i, e := range p.Edits {
		// That of a last line may take the line end before it along.
		for n < len(starts) && max(e.Start, e.End-1) >= starts[n] {
			n++
		}
		numbers[i] = n
	}
	return numbers
}

// PlanOf returns es, which are of t, as a plan without words.
func PlanOf(t text.Text, es edits.Edits) edits.Plan {
	return edits.Plan{Edits: es, Hunks: Hunks(es, t)}
}

// HasBOM reports whether a text begins with a mark of byte order.
func HasBOM(t text.Text) bool {
	return t.Len() >= len(text.BOM) && t.Slice(0, len(text.BOM)) == text.BOM
}

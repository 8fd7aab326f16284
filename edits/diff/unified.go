package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// unifiedContext is how many unchanged lines are shown around a change.
const unifiedContext = 3

// Unified prints the edits that make before into after as a unified diff with three lines of context. oldName and newName
// are the header's names ("a/x", "/dev/null"), and extended are git's lines above them. Lines end at "\n" and are printed
// with their own bytes. Edits that change nothing give the extended header alone.
func Unified(oldName, newName string, before, after text.Text, es edits.Edits, extended ...string) string {
	file := diff.FileDiff{OrigName: QuotedName(oldName), NewName: QuotedName(newName), Extended: extended}
	for changes := trimmed(lineChanges(es, markedAsText(before), markedAsText(after)), before, after); len(changes) > 0; {
		n := 1
		for n < len(changes) && changes[n].from-changes[n-1].to <= 2*unifiedContext {
			n++
		}
		file.Hunks = append(file.Hunks, unifiedHunk(before, after, changes[:n]))
		changes = changes[n:]
	}
	printed, _ := diff.PrintFileDiff(&file) // into memory, which does not fail
	return shortRanges(string(printed))
}

// LineChanges returns how many lines the edits, which make before into after, add and remove.
func LineChanges(es edits.Edits, before, after text.Text) (added, removed int) {
	for _, c := range trimmed(lineChanges(es, before, after), before, after) {
		added += c.newTo - c.newFrom
		removed += c.to - c.from
	}
	return added, removed
}

// shortRanges leaves out the counts of ranges of one line, as git and GNU diff do. Only the
// header of a hunk begins with "@".
func shortRanges(printed string) string {
	hunks := strings.Split(printed, "\n@@ ")
	for i, h := range hunks[1:] {
		ranges, body, _ := strings.Cut(h, " @@")
		hunks[i+1] = strings.ReplaceAll(ranges+" ", ",1 ", " ") + "@@" + body
	}
	return strings.Join(hunks, "\n@@ ")
}

// lineChange replaces the lines [from,to) of a text by [newFrom,newTo) of another, all from 0.
type lineChange struct{ from, to, newFrom, newTo int }

// lineChanges returns the runs of lines that the edits, which make before into after, change. A line
// that stays is between two runs, or at their ends. No two runs begin at the same line of before.
func lineChanges(es edits.Edits, before, after text.Text) []lineChange {
	changes := make([]lineChange, 0, len(es))
	shift := 0
	for _, e := range es {
		c := lineChange{from: before.LineAt(e.Start), to: before.LineAt(e.End), newFrom: after.LineAt(e.Start + shift)}
		shift += e.Delta()
		c.newTo = after.LineAt(e.End + shift)
		ofWholeLines := e.Start <= before.LineStart(c.from) && e.End == before.LineStart(c.to) && e.End+shift == after.LineStart(c.newTo)
		if !ofWholeLines {
			c.to, c.newTo = min(c.to+1, before.Lines()), min(c.newTo+1, after.Lines())
		}
		if n := len(changes) - 1; n >= 0 && changes[n].meets(c, before, after) {
			c.from, c.newFrom = changes[n].from, changes[n].newFrom
			changes = changes[:n]
		}
		changes = append(changes, c)
	}
	return changes
}

// meets reports whether c and the next change d are one run.
func (c *lineChange) meets(d lineChange, before, after text.Text) bool {
	return d.from < c.to || d.from == c.to && (c.from == c.to || !d.keepsFirst(before, after))
}

// trimmed returns the changes without unchanged lines at their ends.
func trimmed(changes []lineChange, before, after text.Text) []lineChange {
	for i := range changes {
		c := &changes[i]
		for c.keepsFirst(before, after) {
			c.from, c.newFrom = c.from+1, c.newFrom+1
		}
		for c.from < c.to && c.newFrom < c.newTo && linesOf(before, c.to-1, c.to) == linesOf(after, c.newTo-1, c.newTo) {
			c.to, c.newTo = c.to-1, c.newTo-1
		}
	}
	return slices.DeleteFunc(changes, func(c lineChange) bool { return c.from == c.to && c.newFrom == c.newTo })
}

// keepsFirst reports whether the first line of the change stays.
func (c *lineChange) keepsFirst(before, after text.Text) bool {
	return c.from < c.to && c.newFrom < c.newTo && linesOf(before, c.from, c.from+1) == linesOf(after, c.newFrom, c.newFrom+1)
}

// markedAsText returns a text with another character in the place of a byte order mark, so that it
// is part of the first line.
func markedAsText(t text.Text) text.Text {
	if n := t.BOM(); n > 0 {
		return t.Replace(0, n, "\uFFFD")
	}
	return t
}

// linesOf returns the lines [from,to) of a text, from 0. Line 0 includes a byte order mark.
func linesOf(t text.Text, from, to int) string {
	switch from {
	case to:
		return ""
	case 0:
		return t.Slice(0, t.LineStart(to))
	}
	return t.Slice(t.LineStart(from), t.LineStart(to))
}

// unifiedHunk makes one hunk of changes.
func unifiedHunk(before, after text.Text, changes []lineChange) *diff.Hunk {
	first, last := changes[0], changes[len(changes)-1]
	from, to := max(0, first.from-unifiedContext), min(before.Lines(), last.to+unifiedContext)
	olds := to - from
	news := olds + last.newTo - first.newFrom - (last.to - first.from)
	h := &diff.Hunk{
		OrigStartLine: int32(from + min(olds, 1)), OrigLines: int32(olds), // an empty range is after a line
		NewStartLine: int32(first.newFrom - (first.from - from) + min(news, 1)), NewLines: int32(news),
	}
	for _, c := range changes {
		addLines(h, ' ', linesOf(before, from, c.from))
		addLines(h, '-', linesOf(before, c.from, c.to))
		addLines(h, '+', linesOf(after, c.newFrom, c.newTo))
		from = c.to
	}
	addLines(h, ' ', linesOf(before, from, to))
	return h
}

// addLines adds the lines of s to a hunk, each after sign.
func addLines(h *diff.Hunk, sign byte, s string) {
	for line := range strings.Lines(s) {
		if n := len(h.Body); n > 0 && h.Body[n-1] != '\n' { // the last line of the text before
			h.Body = append(h.Body, '\n')
			h.OrigNoNewlineAt = int32(n + 1)
		}
		h.Body = append(h.Body, sign)
		h.Body = append(h.Body, line...)
	}
}

// QuotedName quotes a name as git does if a diff cannot contain it unquoted.
func QuotedName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return name
	}
	return strconv.Quote(name)
}

// Hunks returns a hunk for each run of lines that the edits, which make before into after, change.
func Hunks(es edits.Edits, before, after text.Text) []edits.Hunk {
	return lists.Map(lineChanges(es, before, after), func(c lineChange) edits.Hunk {
		return edits.Hunk{StartLine: c.newFrom + 1, EndLine: c.newTo, OldLines: c.to - c.from, NewLines: c.newTo - c.newFrom, Match: edits.Exact}
	})
}

// HunkNumbers returns for each edit of p, a plan for t, the number of its hunk, from 1.
func HunkNumbers(p edits.Plan, t text.Text) []int {
	numbers := make([]int, len(p.Edits))
	n, grown := 0, 0 // the hunks that have begun, and the lines that they add
	for i, e := range p.Edits {
		// An edit of the last line may begin with the line end before it.
		for n < len(p.Hunks) && t.LineStart(p.Hunks[n].StartLine-1-grown) <= max(e.Start, e.End-1) {
			grown += p.Hunks[n].NewLines - p.Hunks[n].OldLines
			n++
		}
		numbers[i] = max(n, 1) // a byte order mark is before the first line
	}
	return numbers
}

// PlanOf returns es, which are edits of t, as a plan without message or notes.
func PlanOf(t text.Text, es edits.Edits) edits.Plan {
	return edits.Plan{Edits: es, Hunks: Hunks(es, t, es.Apply(t))}
}

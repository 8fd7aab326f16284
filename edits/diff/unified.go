package diff

import (
	"iter"
	"strconv"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// unifiedContext is how many unchanged lines are shown around a change.
const unifiedContext = 3

// partGap is over how many lines edits are looked at together. More than twice the
// context lie between those that are not, so they can neither be of one change nor of
// one hunk.
const partGap = 4 * unifiedContext

// Unified prints the edits of before as a unified diff with three lines of
// context. oldName and newName are the header's names ("a/x", "/dev/null"), and
// extended is what git says above them. Lines end at "\n" and are printed with their
// own bytes. Edits that change nothing give the extended header alone. The cost is that
// of the edits and the lines around them, whatever the text's size.
func Unified(oldName, newName string, before text.Text, es edits.Edits, extended ...string) string {
	return unifiedOf(oldName, newName, partsOf(before, es, partGap), extended)
}

func unifiedOf(oldName, newName string, parts iter.Seq[part], extended []string) string {
	u := unified{file: diff.FileDiff{OrigName: QuotedName(oldName), NewName: QuotedName(newName), Extended: extended}}
	for p := range parts {
		u.hunks(p)
	}
	printed, _ := diff.PrintFileDiff(&u.file) // into memory, which does not fail
	return shortRanges(string(printed))
}

// LineChanges returns how many lines the edits add to t and remove from it; those
// that stay are neither.
func LineChanges(es edits.Edits, t text.Text) (added, removed int) {
	for p := range partsOf(t, es, partGap) {
		for _, c := range p.changes {
			added += LineCount(c.new)
			removed += LineCount(p.s[c.start:c.end])
		}
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

// part is a part of a text, and what changes in it.
type part struct {
	s       string
	first   int // its first line, from 0
	changes []linesEdit
}

// partsOf yields the parts of a text that edits and what is shown around them are in, one
// for edits between which there are no more than gap lines.
func partsOf(before text.Text, es edits.Edits, gap int) iter.Seq[part] {
	return func(yield func(part) bool) {
		for len(es) > 0 {
			n := 1
			for n < len(es) && before.LineAt(es[n].Start)-before.LineAt(es[n-1].End) <= gap {
				n++
			}
			const around = unifiedContext + 1
			first := max(0, before.LineAt(es[0].Start)-around)
			from, to := 0, before.LineStart(before.LineAt(es[n-1].End)+1+around)
			if first > 0 { // the first line begins behind a byte order mark
				from = before.LineStart(first)
			}
			s := before.Slice(from, to)
			if !yield(part{s, first, inLines(s, es[:n].Shifted(-from))}) {
				return
			}
			es = es[n:]
		}
	}
}

// unified is a unified diff in the making.
type unified struct {
	file     diff.FileDiff
	s        string // the part of the text before that is being printed
	at       int    // offset in s up to which lines are counted
	old, new int    // lines before at: of the text before, of the text after
}

// hunks makes hunks of the changes of a part, one of those that are near to each other.
func (u *unified) hunks(p part) {
	changes := p.changes
	u.s, u.at, u.old, u.new = p.s, 0, p.first, u.new+p.first-u.old
	for i := 0; i < len(changes); {
		next := i + 1
		for next < len(changes) && LineCount(u.s[changes[next-1].end:changes[next].start]) <= 2*unifiedContext {
			next++
		}
		u.hunk(changes[i:next])
		i = next
	}
}

// linesEdit is an edit in whole lines: s[start:end] of a text s becomes new.
type linesEdit struct {
	start, end int
	new        string
}

// inLines returns the edits of s as edits in whole lines.
func inLines(s string, es edits.Edits) []linesEdit {
	var changes []linesEdit
	for len(es) > 0 {
		c := linesEdit{start: strings.LastIndexByte(s[:es[0].Start], '\n') + 1}
		var b strings.Builder
		at, end := c.start, c.start // b holds what becomes of s[c.start:at]; end is that of at's line
		for more := true; more; {
			b.WriteString(s[at:es[0].Start])
			b.WriteString(es[0].New)
			at = es[0].End
			es = es[1:]
			c.end = at
			if !EndsLine(s[:at]) || !EndsLine(b.String()) {
				if end <= at {
					end = at + len(FirstLine(s[at:]))
				}
				c.end = end
			}
			// The next edit is of this change if no line stays between them.
			more = len(es) > 0 && (es[0].Start < c.end || !strings.Contains(s[c.end:es[0].Start], "\n"))
		}
		b.WriteString(s[at:c.end])
		if c = c.trim(s, b.String()); c.start < c.end || c.new != "" {
			changes = append(changes, c)
		}
	}
	return changes
}

// trim returns c with the new lines, without the first and last ones that stay.
func (c linesEdit) trim(s, lines string) linesEdit {
	n := commonHeadLines(s[c.start:c.end], lines)
	c.start, lines = c.start+n, lines[n:]
	n = commonTailLines(s[c.start:c.end], lines)
	c.end, c.new = c.end-n, lines[:len(lines)-n]
	return c
}

// hunk makes one hunk of changes.
func (u *unified) hunk(changes []linesEdit) {
	from, to := changes[0].start, changes[len(changes)-1].end
	for range unifiedContext {
		from = strings.LastIndexByte(u.s[:max(0, from-1)], '\n') + 1
		to += len(FirstLine(u.s[to:]))
	}
	skipped := LineCount(u.s[u.at:from])
	u.old, u.new = u.old+skipped, u.new+skipped
	olds := LineCount(u.s[from:to])
	news := olds
	for _, c := range changes {
		news += LineCount(c.new) - LineCount(u.s[c.start:c.end])
	}
	h := &diff.Hunk{
		OrigStartLine: firstLine(u.old, olds), OrigLines: int32(olds),
		NewStartLine: firstLine(u.new, news), NewLines: int32(news),
		Body: make([]byte, 0, 2*(to-from)),
	}
	u.file.Hunks = append(u.file.Hunks, h)
	u.at, u.old, u.new = to, u.old+olds, u.new+news

	for _, c := range changes {
		addLines(h, ' ', u.s[from:c.start])
		addLines(h, '-', u.s[c.start:c.end])
		addLines(h, '+', c.new)
		from = c.end
	}
	addLines(h, ' ', u.s[from:to])
}

// firstLine returns the line that a hunk's range of n lines after the first before
// lines begins with: its first one from 1, or the line above it if it has none.
func firstLine(before, n int) int32 {
	return int32(before + min(n, 1))
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

// LineCount returns the number of lines of s.
func LineCount(s string) int {
	n := strings.Count(s, "\n")
	if !EndsLine(s) {
		n++
	}
	return n
}

// QuotedName quotes a name as git does where a diff could not hold it as it is.
func QuotedName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return name
	}
	return strconv.Quote(name)
}

// Hunks returns a hunk for each run of changed lines.
func Hunks(es edits.Edits, before text.Text) []edits.Hunk {
	after := es.Apply(before)
	hs := make([]edits.Hunk, 0, len(es))
	for shift := 0; len(es) > 0; {
		n := 1
		for n < len(es) && before.LineAt(es[n].Start) == before.LineAt(es[n-1].End) {
			n++
		}
		delta := es[:n].Delta()
		hs = append(hs, hunkOf(before, after, es[0].Start, es[n-1].End, shift, delta))
		shift, es = shift+delta, es[n:]
	}
	return hs
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

// hunkOf widens [start,end) to whole lines. In after the range begins shift bytes
// later and is delta bytes longer.
func hunkOf(before, after text.Text, start, end, shift, delta int) edits.Hunk {
	first := before.LineAt(start)
	from := min(before.LineStart(first), start)
	whole := func(t text.Text, off int) bool {
		return off == t.LineStart(t.LineAt(off))
	}
	if start != from || !whole(before, end) || !whole(after, end+shift+delta) {
		if last := before.LineAt(end); last < before.Lines() {
			end = before.Line(last).Next
		}
	}
	lines := func(t text.Text, start, end int) int {
		if start >= end {
			return 0
		}
		return t.LineAt(end-1) - t.LineAt(start) + 1
	}
	h := edits.Hunk{
		StartLine: after.LineAt(from+shift) + 1,
		OldLines:  lines(before, from, end),
		NewLines:  lines(after, from+shift, end+shift+delta),
		Match:     edits.Exact,
	}
	h.EndLine = h.StartLine + h.NewLines - 1
	return h
}

// HasBOM reports whether a text begins with a mark of byte order.
func HasBOM(t text.Text) bool {
	return t.Len() >= len(text.BOM) && t.Slice(0, len(text.BOM)) == text.BOM
}

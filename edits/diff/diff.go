package diff

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// Rewrite returns the edits that make [start,end) of t into want. The old and the new text of an
// edit have no common prefix or suffix, and no edit cuts a character or a "\r\n" in two. If there
// were more than [MaxEdits], they are joined into one, from the first to the last.
//
// Line ends in want, "\n" or "\r\n", only separate lines. A line that stays keeps its line end, byte for byte, and a line
// that replaces another keeps the other's. A new line takes the line end of the line above; at the top of a text, that of
// the line below; in a text without line ends, "\n". So the result is want except for the kinds of its line ends.
//
// The cost is that of comparing the range with want, and about linear in the text from the first to
// the last line that differ. It does not depend on the length of the text around the range.
func Rewrite(t text.Text, start, end int, want string) edits.Edits {
	part, by := near(t, start, end)
	return rewrite(part, start-by, end-by, want).Shifted(by)
}

// near returns the part of t that decides how [start,end) is rewritten: the range with the characters around it, and the
// line ends above and below, which new lines may take. An offset in t minus by is the offset in part.
func near(t text.Text, start, end int) (part string, by int) {
	within := func(off int) bool { // a character, or a line end
		around := t.Slice(off-1, off+1)
		return around[0] == '\r' || !utf8.RuneStart(around[1])
	}
	from, to := max(0, start-1), min(t.Len(), end+1)
	for from > 0 && within(from) {
		from--
	}
	for to < t.Len() && within(to) {
		to++
	}
	above, below := "", ""
	if from > 0 && t.LineAt(from) > 0 {
		l := t.Line(t.LineAt(from) - 1)
		above = t.Slice(l.End, l.Next)
	}
	if to < t.Len() && t.LineAt(to) < t.Lines() {
		l := t.Line(t.LineAt(to))
		below = t.Slice(l.End, l.Next)
	}
	return above + t.Slice(from, to) + below, from - len(above)
}

// rewrite is [Rewrite] for a string s, all of which may be examined.
func rewrite(s string, start, end int, want string) edits.Edits {
	start, end, want = widen(s, start, end, want)
	if start == 0 && strings.HasPrefix(s[:end], text.BOM) && strings.HasPrefix(want, text.BOM) {
		start, want = len(text.BOM), want[len(text.BOM):]
	}
	p, q := equalHead(s[start:end], want)
	start, want = start+p, want[q:]
	old, want := cutEqualTail(s[start:end], want)

	r := rewriter{old: s, want: want, end: start + len(old), weigher: weigher{work: maxWork, most: maxCells}}
	r.a, r.b = SplitLines(s, start, r.end), SplitLines(want, 0, len(want))
	all := box{0, len(r.a), 0, len(r.b)}
	if min(all.a1, all.b1) == 0 || max(all.a1, all.b1) == 1 || r.isOne() {
		r.block(all)
		return r.result()
	}
	match := alignLines(&r.weigher, s, r.a, want, r.b, likeness)
	for gap := range gaps(match, all) {
		r.block(gap)
		if i, j := gap.a1, gap.b1; i < len(r.a) && !r.same(i, j) {
			r.line(i, j)
		}
	}
	return r.result()
}

// rewriter is the state of one call of Rewrite. It makes the old lines a into the lines b of want.
type rewriter struct {
	old, want string
	a, b      []text.Line
	end       int // where the old lines end

	edits    edits.Edits     // sorted; they may touch
	joined   strings.Builder // what those before make of the old text [from,to), if they were too many
	from, to int
	deleted  [2]int // the old lines that were deleted last

	weigher
}

// AlignLines returns for each line of old the line of want, from 0, that it becomes, or -1: a line
// that is equal, that differs only in the blanks around it, or that is alike at its ends.
func AlignLines(old, want string) []int32 {
	w := weigher{work: maxWork, most: maxCells}
	return alignLines(&w, old, SplitLines(old, 0, len(old)), want, SplitLines(want, 0, len(want)), likeness)
}

// SameLines is like [AlignLines], but a line of old becomes only a line of want that is equal, and else none, -1. Lines that
// differ in blanks tell which of equal lines beside them are meant.
func SameLines(old, want string) []int32 {
	w, a, b := weigher{work: maxWork, most: maxCells}, SplitLines(old, 0, len(old)), SplitLines(want, 0, len(want))
	match := alignLines(&w, old, a, want, b, func(a, b string) int32 {
		if a == b {
			return 1
		}
		return 0
	})
	for i, at := range match {
		if at >= 0 && old[a[i].Start:a[i].Next] != want[b[at].Start:b[at].Next] {
			match[i] = none
		}
	}
	return match
}

// alignLines aligns the lines a of old and b of want, within the work of w. alike weighs two lines that differ, without the blanks
// around them.
func alignLines(w *weigher, old string, a []text.Line, want string, b []text.Line, alike func(a, b string) int32) []int32 {
	names := make(numbers, min(max(len(a), len(b)), 1<<16))
	was, is := names.ofLines(old, a), names.ofLines(want, b)
	cores := make([]string, len(b))
	for j, l := range b {
		_, cores[j], _ = text.CutBlanks(want[l.Start:l.End])
	}
	return align(w, was, is, len(names), func(i, j int, ws []int32) {
		_, core, _ := text.CutBlanks(old[a[i].Start:a[i].End])
		for k := range ws {
			if is[j+k] == was[i] {
				ws[k] = int32(a[i].Next - a[i].Start)
			} else {
				ws[k] = alike(core, cores[j+k])
			}
		}
	})
}

// isOne reports whether the change is only an insertion at one place, or only a deletion there.
func (r *rewriter) isOne() bool {
	o, w := r.a[len(r.a)-1], r.b[len(r.b)-1]
	old, want := r.old[r.a[0].Start:o.End], r.want[r.b[0].Start:w.End]
	p, q := CommonEnds(old, want)
	return p+q == min(len(old), len(want)) && (o.End == o.Next) == (w.End == w.Next)
}

// same reports whether old line i and new line j are equal except for the kind of line end.
func (r *rewriter) same(i, j int) bool {
	o, w := r.a[i], r.b[j]
	return (o.End == o.Next) == (w.End == w.Next) && r.old[o.Start:o.End] == r.want[w.Start:w.End]
}

// block makes the old lines of x into the new ones, line by line if there are equally many.
func (r *rewriter) block(x box) {
	n, m := x.a1-x.a0, x.b1-x.b0
	if n == m {
		for k := range n {
			r.line(x.a0+k, x.b0+k)
		}
		return
	}
	at, to := r.offset(x.a0), r.offset(x.a1)
	if m == 0 {
		r.deleted = [2]int{at, to}
	}
	var b strings.Builder
	above := ""
	for k, w := range r.b[x.b0:x.b1] {
		o := text.Line{Start: at, End: at, Next: at}
		if k < n {
			o = r.a[x.a0+k]
		}
		above = r.lineEnd(o, w, above)
		b.WriteString(r.want[w.Start:w.End])
		b.WriteString(above)
	}
	// Tokens are used only if this is the same text in other lines: of unrelated lines, they
	// would keep only brackets and commas.
	r.change(at, r.old[at:to], b.String(), alikePercent, false)
}

// line makes old line i into new line j.
func (r *rewriter) line(i, j int) {
	o, w := r.a[i], r.b[j]
	r.change(o.Start, r.old[o.Start:o.End], r.want[w.Start:w.End], 0, true)
	r.edit(o.End, r.old[o.End:o.Next], r.lineEnd(o, w, ""))
}

// lineEnd returns the line end of new line w, whose counterpart is old line o (an empty one if it
// has none). above is the line end of the new line above, "" if that is an old one or there is none.
func (r *rewriter) lineEnd(o, w text.Line, above string) string {
	switch {
	case w.End == w.Next:
		return ""
	case strings.HasSuffix(r.want[w.Start:w.End], "\r"):
		return "\r\n" // a "\n" would take the "\r" from the content
	case o.End < o.Next:
		return r.old[o.End:o.Next]
	case above != "":
		return above
	}
	at := o.Start
	if at == r.deleted[1] {
		at = r.deleted[0]
	}
	return cmp.Or(lineEndBefore(r.old, at), text.Terminator(FirstLine(r.old[o.Start:])), lineEndBefore(r.old, o.Start), "\n")
}

// offset returns where old line i begins.
func (r *rewriter) offset(i int) int {
	if i < len(r.a) {
		return r.a[i].Start
	}
	return r.end
}

// edit makes old, at offset at, into want by one edit of the text between their common ends.
func (r *rewriter) edit(at int, old, want string) {
	p, q := CommonEnds(old, want)
	if p+q < max(len(old), len(want)) {
		r.edits = append(r.edits, edits.Edit{Start: at + p, End: at + len(old) - q, New: want[p : len(want)-q]})
	}
	if len(r.edits) > 4*MaxEdits { // nearly none touch
		r.join()
	}
}

// join joins the edits with those that were joined before.
func (r *rewriter) join() {
	if r.to == 0 {
		r.from, r.to = r.edits[0].Start, r.edits[0].Start
	}
	for _, e := range r.edits {
		r.joined.WriteString(r.old[r.to:e.Start])
		r.joined.WriteString(e.New)
		r.to = e.End
	}
	r.edits = r.edits[:0]
}

// result returns the edits, joined where they touch, and at most [MaxEdits] of them.
func (r *rewriter) result() edits.Edits {
	all := edits.Coalesce(r.edits)
	r.edits = all[:0]
	for _, e := range all {
		r.edit(e.Start, r.old[e.Start:e.End], e.New)
	}
	if r.to > 0 || len(r.edits) > MaxEdits {
		r.join()
		r.edit(r.from, r.old[r.from:r.to], r.joined.String())
	}
	return r.edits
}

// MaxEdits is the maximum number of edits that [Rewrite] returns. In LSP, an edit takes a hundred bytes besides its text, so
// this many take less than half a megabyte. If an editor takes fifty microseconds for each, which is a guess, the user waits
// a fifth of a second. Nearly all files have fewer lines, so a file that was only indented is still sent as its indentation.
const MaxEdits = 1 << 12

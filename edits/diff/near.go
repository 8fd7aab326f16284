package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

const (
	// nearBytes is how much of a long line [near] keeps beside a region.
	nearBytes = 1 << 6
	// longLine is how much of a line there must be for a part of it to be kept.
	longLine = 1 << 10
)

// near returns a text for which [Rewrite] gives the edits that it gives for t, and
// by how much its offsets are less: the lines that [start,end) is in, and the line
// end above. It copies no more than that. Of a short text, and of one that is asked for whole,
// it is t.
func near(t text.Text, start, end int) (part text.Text, by int) {
	if t.Len() <= 2*longLine || end-start > t.Len()/2 {
		return t, 0
	}
	from, to := 0, t.Len()
	if line := t.LineAt(start); line > 0 {
		from = t.LineStart(line)
	}
	if line := t.LineAt(end); line < t.Lines() {
		to = t.Line(line).Next
	}
	above := text.Terminator(t.Slice(max(0, from-len("\r\n")), from))
	below := ""
	if start-from > longLine {
		from = start - nearBytes
		for from > 0 && !endsCharacter(t, from) {
			from--
		}
	}
	if to-end > longLine {
		below = text.Terminator(t.Slice(to-len("\r\n"), to))
		to = end + nearBytes
		for to < t.Len() && !endsCharacter(t, to) {
			to++
		}
	}
	return text.New(above + t.Slice(from, to) + below), from - len(above)
}

// endsCharacter reports whether a character ends at off that is no "\r".
func endsCharacter(t text.Text, off int) bool {
	around := t.Slice(off-1, off+1)
	return around[0] != '\r' && utf8.RuneStart(around[1])
}

// RewriteLocally is [Rewrite] at a cost that does not depend on how long the text is.
func RewriteLocally(t text.Text, start, end int, want string) edits.Edits {
	if es, ok := rewriteLine(t, start, end, want); ok {
		return es
	}
	part, by := near(t, start, end)
	return Rewrite(part, start-by, end-by, want).Shifted(by)
}

// rewriteLine is RewriteLocally for a whole line that becomes another whole line, as most edits
// are. The lines around it do not matter then. It reports false for any other edit.
func rewriteLine(t text.Text, start, end int, want string) (edits.Edits, bool) {
	isLine := func(s string) bool {
		return strings.IndexByte(s, '\n') == len(s)-1 && s != "" && strings.IndexByte(s, '\r') < 0
	}
	if !isLine(want) || start == 0 || t.Slice(start-1, start) != "\n" {
		return nil, false
	}
	was := t.Slice(start, end)
	if !isLine(was) {
		return nil, false
	}
	rw := rewriter{old: was, weigher: weigher{work: maxWork}}
	rw.changeLine(0, was[:len(was)-1], want[:len(want)-1])
	return rw.result().Shifted(start), true
}

package text

import "strings"

// Line is the place of one line: its content is [Start,End), its terminator
// (empty for an unterminated last line) is [End,Next).
type Line struct{ Start, End, Next int }

// Lines returns the number of lines: terminators, and one more if text follows
// the last terminator. The empty text has none, and neither has a bare BOM.
func (t Text) Lines() int {
	if t.d == nil {
		return 0
	}
	n := t.d.ends()
	if !t.d.endsLine() && !(t.Len() == len(BOM) && t.bom() > 0) {
		n++
	}
	return n
}

// Line returns the place of line i, which must be in [0, Lines()).
func (t Text) Line(i int) Line {
	var l Line
	if starts, s := t.d.starts(); starts != nil {
		l = Line{Start: int(starts[i]), Next: len(s)}
		if i+1 < len(starts) {
			l.Next = int(starts[i+1])
		}
		if i == 0 {
			l.Start = t.bom()
		}
		l.End = l.Next - len(Terminator(s[l.Start:l.Next]))
		return l
	}
	var c cursor
	tree := t.d.grown()
	l = Line{Start: c.lineStart(tree, i), Next: t.d.size}
	if i == 0 {
		l.Start = t.bom()
	}
	if i == tree.root.sum.lines {
		l.End = l.Next
		return l
	}
	end := c.seekLineEnd(tree, i+1)
	l.End = c.at.bytes + end
	l.Next = l.End + 1
	if l.End > l.Start && (end > 0 && c.text()[end-1] == '\r' || end == 0 && t.Slice(l.End-1, l.End) == "\r") {
		l.End--
	}
	return l
}

// LineAt returns the number of the line that holds the byte at off. An offset
// at the end of a terminated text belongs to no line and gives Lines().
func (t Text) LineAt(off int) int {
	if t.d == nil {
		return 0
	}
	if starts, _ := t.d.starts(); starts != nil {
		return t.d.lines.lineAt(starts, off)
	}
	var c cursor
	return c.lineAt(t.d.grown(), min(off, t.d.size))
}

// LineStart returns the offset at which line i begins; for i == Lines() that
// is the end of the text.
func (t Text) LineStart(i int) int {
	if i >= t.Lines() {
		return t.Len()
	}
	return t.Line(i).Start
}

// Terminator returns the line end that s ends with: "\r\n", "\n" or "".
func Terminator(s string) string {
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(s, "\n"):
		return "\n"
	}
	return ""
}

// Terminator returns the line end behind the last line, "" if there is none.
func (t Text) Terminator() string { return Terminator(t.Slice(max(0, t.Len()-len("\r\n")), t.Len())) }

// LineEnds names the line ends of the text: "lf", "crlf", "mixed", or "none" where it has one
// line.
func (t Text) LineEnds() string {
	all, crlf, half := 0, 0, false
	for run := range t.Runs() { // the whole as a string would live as long as the text
		all, crlf = all+strings.Count(run, "\n"), crlf+strings.Count(run, "\r\n")
		if half && strings.HasPrefix(run, "\n") {
			crlf++
		}
		half = strings.HasSuffix(run, "\r")
	}
	switch {
	case all == 0:
		return "none"
	case crlf == 0:
		return "lf"
	case crlf == all:
		return "crlf"
	}
	return "mixed"
}

// starts returns where the "\n"-separated segments of a text in one piece start,
// and the text; nil if it is in pieces. The last segment may be empty: that is
// LSP's line after a final newline.
func (d *data) starts() ([]uint32, string) {
	s, ok := d.flat()
	if !ok || uint64(len(s)) > maxSegments {
		return nil, ""
	}
	return d.lines.of(s), s
}

// endsLine reports whether the text ends with "\n". It must not be empty.
func (d *data) endsLine() bool {
	if s, ok := d.flat(); ok {
		return s[len(s)-1] == '\n'
	}
	k := &d.grown().root
	for b := k.branch; b != nil; b = k.branch {
		k = &b.kids[b.n-1]
	}
	s := k.twig.text(k.twig.n - 1)
	return s[len(s)-1] == '\n'
}

// ends returns the number of "\n".
func (d *data) ends() int {
	if starts, _ := d.starts(); starts != nil {
		return len(starts) - 1
	}
	return d.grown().root.sum.lines
}

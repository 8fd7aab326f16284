package text

import "strings"

// needle is a pattern and how it is compared.
type needle struct {
	pattern string
	loose   bool // a "\n" in it stands for "\r\n" too
}

func newNeedle(pattern string) needle {
	return needle{pattern, strings.Contains(pattern, "\n") && !strings.Contains(pattern, "\r\n")}
}

// lineEnd returns where the line of the pattern ends that holds the byte at from;
// all of a pattern whose line ends are meant as they are is one.
func (n *needle) lineEnd(from int) int {
	if n.loose {
		if i := strings.IndexByte(n.pattern[from:], '\n'); i >= 0 {
			return from + i
		}
	}
	return len(n.pattern)
}

// lineStart returns where the line of the pattern begins that holds the byte at at.
func (n *needle) lineStart(at int) int {
	if n.loose {
		return strings.LastIndexByte(n.pattern[:at], '\n') + 1
	}
	return 0
}

// compare returns the place of the pattern whose probe begins at off in the text.
func (f *finder) compare(off int) (Match, bool) {
	f.cost = 0
	from, to := f.lineFrom, f.lineTo
	start := off - (f.at - from)
	if !f.stands(start, f.pattern[from:to]) {
		return Match{}, false
	}
	m := Match{start, start + to - from}
	if !f.loose {
		return m, true
	}
	if from == to { // the probe is a line end itself
		m.Start, m.End = off-f.carriage(off), off-f.carriage(off)
	}
	for from > 0 {
		end := from - 1
		m.Start--
		if f.byteAt(m.Start) != '\n' {
			return Match{}, false
		}
		m.Start -= f.carriage(m.Start)
		from = f.lineStart(end)
		m.Start -= end - from
		if !f.stands(m.Start, f.pattern[from:end]) {
			return Match{}, false
		}
	}
	for to < len(f.pattern) {
		if f.byteAt(m.End) == '\r' {
			m.End++
		}
		if f.byteAt(m.End) != '\n' {
			return Match{}, false
		}
		m.End++
		from, to = to+1, f.lineEnd(to+1)
		if !f.stands(m.End, f.pattern[from:to]) {
			return Match{}, false
		}
		m.End += to - from
	}
	// A "\r" of a "\r\n" is no character of its own.
	if strings.HasSuffix(f.pattern, "\r") && f.byteAt(m.End) == '\n' {
		return Match{}, false
	}
	return m, true
}

// carriage returns 1 if a "\r" is before the "\n" at off, else 0.
func (f *finder) carriage(off int) int {
	if f.byteAt(off-1) == '\r' {
		return 1
	}
	return 0
}

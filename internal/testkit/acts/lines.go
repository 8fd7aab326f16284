package acts

import (
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
)

// lines is the text of an act, as lines with their ends. Each change of it is recorded as
// a part of the act.
type lines struct {
	rows  []string // the last may have no end
	eol   string
	final bool // the last has one
	parts []edits.Edit
}

func linesOf(s string) *lines {
	l := &lines{eol: "\n", final: strings.HasSuffix(s, "\n")}
	if strings.Contains(s, "\r\n") {
		l.eol = "\r\n"
	}
	for row := range strings.Lines(s) {
		l.rows = append(l.rows, row)
	}
	return l
}

func (l *lines) text() string { return strings.Join(l.rows, "") }

// row returns a line without its end.
func (l *lines) row(i int) string {
	return strings.TrimSuffix(strings.TrimSuffix(l.rows[i], "\n"), "\r")
}

// set replaces the lines [from,to).
func (l *lines) set(from, to int, rows ...string) {
	before := l.text()
	start, end := len(strings.Join(l.rows[:from], "")), len(strings.Join(l.rows[:to], ""))
	all := append([]string(nil), l.rows[:from]...)
	for _, row := range rows {
		all = append(all, row+l.eol)
	}
	all = append(all, l.rows[to:]...)
	for i := range all {
		switch last, ends := i == len(all)-1, strings.HasSuffix(all[i], "\n"); {
		case last && !l.final && ends:
			all[i] = strings.TrimSuffix(strings.TrimSuffix(all[i], "\n"), "\r")
		case !ends && (!last || l.final):
			all[i] += l.eol
		}
	}
	l.rows = all
	after, tail := l.text(), len(before)-end
	start = min(start, len(after)-tail)
	if e := trimmed(before, after, start, tail); e.Start < e.End || e.New != "" {
		l.parts = append(l.parts, e)
	}
}

// trimmed returns the edit that turns before into after, between the first start bytes and
// the last tail bytes, without what is equal at either end.
func trimmed(before, after string, start, tail int) edits.Edit {
	old, put := before[start:len(before)-tail], after[start:len(after)-tail]
	n := 0
	for n < len(old) && n < len(put) && old[n] == put[n] {
		n++
	}
	for n > 0 && (n < len(old) && !utf8.RuneStart(old[n]) || n < len(put) && !utf8.RuneStart(put[n])) {
		n--
	}
	start, old, put = start+n, old[n:], put[n:]
	n = 0
	for n < len(old) && n < len(put) && old[len(old)-1-n] == put[len(put)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(old[len(old)-n]) {
		n--
	}
	return edits.Edit{Start: start, End: start + len(old) - n, New: put[:len(put)-n]}
}

// indentOf returns the blanks that a line begins with.
func indentOf(row string) string { return row[:len(row)-len(strings.TrimLeft(row, " \t"))] }

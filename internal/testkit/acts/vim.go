package acts

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The acts of Vim on the lines [from,to) of a text, counted from 0, unless stated
// otherwise. Their parts are those that Neovim reported in the recordings.

// VimJoin is J: the text of the other lines goes behind the first one, and then they
// are taken out. Its undo is one change.
func VimJoin(s string, from, to int) Act {
	l := linesOf(s)
	joined := []string{strings.TrimRight(l.row(from), " \t")}
	for i := from + 1; i < to; i++ {
		if row := strings.TrimLeft(l.row(i), " \t"); row != "" {
			joined = append(joined, row)
		}
	}
	l.set(from, from+1, strings.Join(joined, " "))
	l.set(from+1, to)
	return Act{Parts: l.parts, UndoneWhole: true}
}

// VimReflow is gq: the lines are joined one after the other, and then one line after
// the other is cut off before it is wider than width.
func VimReflow(s string, from, to, width int) Act {
	l := linesOf(s)
	for range to - from - 1 {
		joined := strings.TrimRight(l.row(from), " \t")
		if row := strings.TrimLeft(l.row(from+1), " \t"); row != "" {
			joined += " " + row
		}
		l.set(from, from+1, joined)
		l.set(from+1, from+2)
	}
	for at := from; ; at++ {
		row := l.row(at)
		cut := widest(row, width)
		if cut < 0 {
			break
		}
		l.set(at, at+1, strings.TrimRight(row[:cut], " "), indentOf(row)+strings.TrimLeft(row[cut:], " "))
	}
	return Act{Parts: l.parts, UndoneWhole: true}
}

// widest returns the last blank at which a line can be broken so that the rest is no wider
// than width, or else the first blank; -1 if the line stays as it is.
func widest(row string, width int) int {
	if utf8.RuneCountInString(row) <= width {
		return -1
	}
	cut, chars := -1, 0
	for i, c := range row {
		if c == ' ' && strings.TrimSpace(row[:i]) != "" && strings.TrimSpace(row[i:]) != "" && (chars <= width || cut < 0) {
			cut = i
		}
		chars++
	}
	return cut
}

// VimMove is :m: the lines are copied behind the line before dest, and then the old
// ones are taken out.
func VimMove(s string, from, to, dest int) Act {
	l := linesOf(s)
	var rows []string
	for i := from; i < to; i++ {
		rows = append(rows, l.row(i))
	}
	l.set(dest, dest, rows...)
	if dest <= from {
		from, to = from+len(rows), to+len(rows)
	}
	l.set(from, to)
	return Act{Parts: l.parts}
}

// VimDelete is dd.
func VimDelete(s string, from, to int) Act {
	l := linesOf(s)
	l.set(from, to)
	return Act{Parts: l.parts}
}

// VimPut is p and P: lines come in before the line at, in one change.
func VimPut(s string, at int, rows ...string) Act {
	l := linesOf(s)
	l.set(at, at, rows...)
	return Act{Parts: l.parts}
}

// VimPutOver is p over selected lines: they are taken out, and then the others come in.
func VimPutOver(s string, from, to int, rows ...string) Act {
	l := linesOf(s)
	l.set(from, to)
	l.set(from, from, rows...)
	return Act{Parts: l.parts}
}

// VimOpen is o and O with what is typed then: a line comes in before the line at, with
// the indentation of the line above, and then its text.
func VimOpen(s string, at int, typed string) Act {
	l := linesOf(s)
	indent := ""
	if at > 0 {
		indent = indentOf(l.row(at - 1))
	}
	l.set(at, at, indent)
	l.set(at, at+1, indent+typed)
	return Act{Parts: l.parts}
}

// VimChange is >, <, = and :sort: one change of all lines, also when it is undone.
func VimChange(s string, from, to int, change func(rows []string) []string) Act {
	l := linesOf(s)
	l.change(from, to, change)
	return Act{Parts: l.parts, ToldWhole: true, UndoneWhole: true}
}

// VimFilter is :!: the new lines are inserted after the old ones, which then are deleted.
func VimFilter(s string, from, to int, change func(rows []string) []string) Act {
	l := linesOf(s)
	var rows []string
	for i := from; i < to; i++ {
		rows = append(rows, l.row(i))
	}
	l.set(to, to, change(rows)...)
	l.set(from, to)
	return Act{Parts: l.parts}
}

// VimSubstitute is :s: one change of all lines, which is undone line by line.
func VimSubstitute(s string, from, to int, old, put string) Act {
	l := linesOf(s)
	for i := from; i < to; i++ {
		l.set(i, i+1, strings.ReplaceAll(l.row(i), old, put))
	}
	return Act{Parts: l.parts, ToldWhole: true}
}

// VimBlock is I in a visual block: the text is typed in the first line, before the
// character of that number, and then put into the others.
func VimBlock(s string, from, to, column int, typed string) Act {
	l := linesOf(s)
	put := func(rows []string) []string {
		for i, row := range rows {
			if n := runeAt(row, column); n >= 0 {
				rows[i] = row[:n] + typed + row[n:]
			}
		}
		return rows
	}
	l.change(from, from+1, put)
	l.change(from+1, to, put)
	return Act{Parts: l.parts}
}

// VimGlobalDelete is :g/x/d: one change for each line.
func VimGlobalDelete(s, has string) Act {
	l := linesOf(s)
	for i := 0; i < len(l.rows); {
		if strings.Contains(l.row(i), has) && len(l.rows) > 1 {
			l.set(i, i+1)
		} else {
			i++
		}
	}
	return Act{Parts: l.parts}
}

func (l *lines) change(from, to int, change func(rows []string) []string) {
	var rows []string
	for i := from; i < to; i++ {
		rows = append(rows, l.row(i))
	}
	l.set(from, to, change(slices.Clone(rows))...)
}

// runeAt returns where the nth character of a line begins, -1 if it is shorter.
func runeAt(row string, n int) int {
	for i := range row {
		if n == 0 {
			return i
		}
		n--
	}
	if n == 0 {
		return len(row)
	}
	return -1
}

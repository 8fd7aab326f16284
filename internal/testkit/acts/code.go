package acts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
)

// The acts of VS Code on the lines [from,to) of a text, counted from 0. VS Code reports an
// act in one didChange, whose changes are ordered from the end of the text to its
// beginning. They are meant for headless.Buffer.Change.

// CodeMove is Alt+Up and Alt+Down: the line that is passed goes to the other side.
func CodeMove(s string, from, to int, down bool) []edits.Edit {
	l := linesOf(s)
	if down {
		return l.both(to, to+1, from)
	}
	return l.both(from-1, from, to)
}

// both returns the edits that delete the lines [from,to) and insert them before dest.
func (l *lines) both(from, to, dest int) []edits.Edit {
	moved := linesOf(l.text())
	var rows []string
	for i := from; i < to; i++ {
		rows = append(rows, l.row(i))
	}
	if dest > from { // the later place comes first
		moved.set(dest, dest, rows...)
		moved.set(from, to)
	} else {
		moved.set(from, to)
		moved.set(dest, dest, rows...)
	}
	return moved.parts
}

// CodeCopy is Shift+Alt+Down.
func CodeCopy(s string, from, to int) []edits.Edit {
	l := linesOf(s)
	var rows []string
	for i := from; i < to; i++ {
		rows = append(rows, l.row(i))
	}
	l.set(to, to, rows...)
	return l.parts
}

// CodeChange changes each line by itself: indent, trim trailing blanks, format.
func CodeChange(s string, from, to int, change func(row string) string) []edits.Edit {
	l := linesOf(s)
	for i := to - 1; i >= from; i-- {
		l.set(i, i+1, change(l.row(i)))
	}
	return l.parts
}

// CodeReplace changes all lines in one change: join, sort.
func CodeReplace(s string, from, to int, change func(rows []string) []string) []edits.Edit {
	l := linesOf(s)
	l.change(from, to, change)
	return l.parts
}

// CodeJoin is "Join Lines".
func CodeJoin(s string, from, to int) []edits.Edit {
	return CodeReplace(s, from, to, func(rows []string) []string {
		joined := []string{strings.TrimRight(rows[0], " \t")}
		for _, row := range rows[1:] {
			if row = strings.TrimSpace(row); row != "" {
				joined = append(joined, row)
			}
		}
		return []string{strings.Join(joined, " ")}
	})
}

// CodeInsert is typing with a cursor at each of the places.
func CodeInsert(places []int, typed string) []edits.Edit {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(b, a) })
	var all []edits.Edit
	for _, at := range slices.Compact(places) {
		all = append(all, edits.Edit{Start: at, End: at, New: typed})
	}
	return all
}

// CodeEnter is Enter, which gives the new line the indentation of the one before.
func CodeEnter(s string, at int) []edits.Edit {
	l := linesOf(s)
	start := strings.LastIndexByte(s[:at], '\n') + 1
	return []edits.Edit{{Start: at, End: at, New: l.eol + indentOf(s[start:at])}}
}

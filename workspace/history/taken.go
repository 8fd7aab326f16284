package history

import (
	"slices"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// Bounds for recognizing the user's undo: how many entries we look back over, and in how
// many entries an editor may tell of one undo.
const (
	maxNested = 64
	maxPieces = 16
)

// undoable returns what an editor can undo and redo after the first n entries, the newest
// last.
func undoable(es []*entry, n int) (done, undone []*entry) {
	for i, e := range es[:n] {
		switch {
		case e.isAgents():
			done, undone = append(done, e), nil
		case len(e.change) == 0:
		case isInverse(e.change, last(done).change):
			done, undone = done[:len(done)-1], append(undone, last(done))
		case slices.Equal(e.change, last(undone).change) && !isMove(e.change, es[i+1:]):
			done, undone = append(done, last(undone)), undone[:len(undone)-1]
		default:
			done, undone = append(done, e), nil
		}
	}
	return done, undone
}

// last returns the last of the entries, one that is nothing if there is none.
func last(es []*entry) *entry {
	if len(es) == 0 {
		return &entry{}
	}
	return es[len(es)-1]
}

// isUndone reports whether the first of the entries was taken back by the editor's undo
// since, and not made again.
func isUndone(es []*entry) bool {
	done, _ := undoable(es, len(es))
	return !slices.Contains(done, es[0])
}

func isInverse(c, of changeset.Changeset) bool {
	return len(c) == len(of) && c.Delta() == -of.Delta() && slices.Equal(of.Invert(), c)
}

// isMove reports whether c takes out one text and what came right after it puts it in
// again: so an editor tells of lines that the user moves, after the undo of a deletion
// as at any time, and it is no redo.
func isMove(c changeset.Changeset, next []*entry) bool {
	return len(c) == 1 && c[0].New == "" && len(next) > 0 && slices.ContainsFunc(next[0].change, func(ch changeset.Change) bool { return ch.Old == "" && ch.New == c[0].Old })
}

// recognizeUndone has the entries from k on told by the place of an agent's edit where some
// of them together undo the edit, or redo it.
func (l *log) recognizeUndone(k int) {
	for end := k + 1; l.agents > 0 && end <= len(l.entries); end++ {
		if i, exact := l.undoAt(end); len(exact) > 0 {
			l.replace(stretch{from: i, to: end}, &entry{change: exact})
			end = i + 1
		}
	}
}

// undoAt returns which entries, from i to boundary end, undo or redo an agent's edit, and
// what they do by the place of the edit; nothing if none do. They must be the user's, and
// nobody may hold a boundary between them.
func (l *log) undoAt(end int) (i int, exact changeset.Changeset) {
	delta, first := 0, max(0, end-maxPieces-maxNested)
	for i := end - 1; i >= max(0, end-maxPieces) && !l.entries[i].isAgents() && (i == end-1 || !l.entries[i].end.held()); i-- {
		delta += l.entries[i].change.Delta()
		if !slices.ContainsFunc(l.entries[first:i], func(e *entry) bool {
			return e.isAgents() && max(delta, -delta) == max(e.change.Delta(), -e.change.Delta())
		}) {
			continue // at a glance, as of nearly all that is typed
		}
		c := fold(l.entries[i:end])
		done, undone := undoable(l.entries[first:], i-first)
		if e := last(done); e.isAgents() && isTold(c, e.change.Invert(), l.textAt(i)) {
			return i, e.change.Invert()
		}
		if e := last(undone); e.isAgents() && !isMove(c, l.entries[end:]) && isTold(c, e.change, l.textAt(i)) {
			return i, e.change
		}
	}
	return 0, nil
}

// isTold reports whether c, which is told of t, does what exact does. Among equal lines an
// editor may tell its undo and redo by another place, or by all lines from the first to the
// last that differ, and then what is behind that would not be where it was. Where it is but
// a letter or two it may be somebody else's.
func isTold(c, exact changeset.Changeset, t text.Text) bool {
	return c.Delta() == exact.Delta() && (slices.Equal(exact, c) || letters(exact) >= minReverted && !doTheSame(c, nil, t) && doTheSame(c, exact, t))
}

// letters returns how many characters c takes out and puts in.
func letters(c changeset.Changeset) (n int) {
	for _, ch := range c {
		n += utf8.RuneCountInString(ch.Old) + utf8.RuneCountInString(ch.New)
	}
	return n
}

// doTheSame reports whether a and b make the same text of t. It looks at what is between
// the first of the changes and the last.
func doTheSame(a, b changeset.Changeset, t text.Text) bool {
	a, b = a.Then(nil), b.Then(nil)
	if slices.Equal(a, b) || !a.Fits(t) || !b.Fits(t) {
		return slices.Equal(a, b)
	}
	from, to := t.Len(), 0
	for _, ch := range slices.Concat(a, b) {
		from, to = min(from, ch.At), max(to, ch.End())
	}
	end := to + a.Delta()
	return a.Delta() == b.Delta() && applied(a, t).Slice(from, end) == applied(b, t).Slice(from, end)
}

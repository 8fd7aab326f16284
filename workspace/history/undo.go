package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Undo returns the changeset that takes the edit, or these hunks of it, back in the text now, which is the text as of seq.
// It does not change the history. The error is an [*UndoConflict], [ErrForgotten] or [ErrNoEdit].
//
// What others did between two agents' edits counts as one change. So a change that they took back themselves is no conflict.
func (h *History) Undo(id string, numbers ...int) (c changeset.Changeset, seq int, err error) {
	h.mu.Lock()
	defer h.unlock()
	l := &h.log
	i := l.index(id)
	if i < 0 {
		return nil, l.seq, h.endings.err(id)
	}
	_, part := l.entries[i].split(numbers)
	was := l.textAt(i + 1)
	if len(part.change) == 0 && len(numbers) > 0 || isUndone(l.entries[i:]) {
		err = &UndoConflict{ID: id, AlreadyUndone: true}
	} else {
		c, err = l.after(i+1).takeBack(part, was)
		for _, down := range []bool{true, false} {
			if e, ok := l.entries[i].slid(was, down); ok && err != nil {
				_, slid := e.split(numbers)
				if undo, meets := l.after(i+1).takeBack(slid, was); meets == nil {
					c, err = undo, nil
					l.entries[i], h.pieces = e, pieces{}
				}
			}
		}
	}
	if met, is := errors.AsType[*UndoConflict](err); is && met.AlreadyUndone {
		met.findMoved(part, was, l.text)
	}
	return c, l.seq, err
}

// Undone reports whether the editor's undo has taken the edit back, and nothing has brought it back since. It reports false
// while a pin says that a command is at work after the edit, which may be what takes it back. It costs little.
func (h *History) Undone(id string) bool {
	h.mu.Lock()
	defer h.unlock()
	i, es := h.log.index(id), h.log.entries
	if i < 0 || !es[i].undone || slices.ContainsFunc(es[i:], func(e *entry) bool { return e.end.pins > 0 }) {
		return false
	}
	k := i + 1 + slices.IndexFunc(es[i+1:], func(later *entry) bool { return isInverse(later.change, es[i].change) })
	return k == i || !isMove(es[k].change, es[k+1:])
}

// UndoConflict says that the text of an edit was changed since, so that the result of taking the edit back is not known.
type UndoConflict struct { //nolint:errname // a conflict is what it is, and undo has it as a kind of error
	ID string // of the edit that was to be undone
	By string // id of the edit that changed the same text, "" for the user

	Start, End int    // where that text is now, in bytes
	Now        string // the text there now
	Wrote, Was string // what the edit wrote there, and what was there before it

	// AlreadyUndone says that all text that the edit changed is again as it was
	// before the edit, as after the editor's own undo.
	AlreadyUndone bool
	// Moved says that this is so, but text that only the edit has put in is elsewhere now, at Start. AlreadyUndone is
	// false then.
	Moved bool
}

// slid returns an entry that makes the text was in another way: a line that is put in with the line end before it is put in
// with the one behind it if down is true, or the other way round. So what is put in beside that line does not meet it.
func (e *entry) slid(was text.Text, down bool) (_ *entry, ok bool) {
	s := *e
	s.change = slices.Clone(e.change)
	shift := 0
	for i, ch := range s.change {
		at, end := ch.At+shift, text.Terminator(ch.New)
		beside := at - len(end)
		shift += ch.Delta()
		if down {
			end, beside = text.Terminator(diff.FirstLine(ch.New)), at+len(ch.New)
		}
		switch {
		case ch.Old != "" || end == "" || beside < 0 || beside+len(end) > was.Len() || was.Slice(beside, beside+len(end)) != end:
		case down && strings.HasPrefix(ch.New, end) && (i+1 == len(s.change) || s.change[i+1].At > ch.At+len(end)):
			s.change[i].At, s.change[i].New, ok = ch.At+len(end), ch.New[len(end):]+end, true
		case !down && (i == 0 || s.change[i-1].End() < ch.At-len(end)):
			s.change[i].At, s.change[i].New, ok = ch.At-len(end), end+strings.TrimSuffix(ch.New, end), true
		}
	}
	return &s, ok
}

// maxLookedFor is how many lines of an edit are looked for elsewhere: each may take a pass over the text.
const maxLookedFor = 50

// findMoved sets Moved if the text now has a line, or a part of one, that only e, which led to the text was, has put in.
func (c *UndoConflict) findMoved(e *entry, was, now text.Text) {
	before, left := apply(e.change.Invert(), was), maxLookedFor
	for _, ch := range e.change {
		for line := range strings.Lines(ch.New) {
			line = strings.TrimSpace(line)
			if len(line) < minReverted || left == 0 {
				continue
			}
			if left--; before.Contains(line) {
				continue
			}
			for m := range now.Matches(line, false) {
				*c = UndoConflict{ID: c.ID, By: c.By, Start: m.Start, End: m.End, Now: line, Wrote: ch.New, Was: ch.Old, Moved: true}
				return
			}
		}
	}
}

func (c *UndoConflict) Error() string {
	by := "another program or the user"
	if c.By != "" {
		by = "the edit " + c.By
	}
	return fmt.Sprintf("the text of the edit %s was changed by %s since", c.ID, by)
}

// later is what happened after an edit.
type later struct {
	entries []*entry
	runs    []run // the same
	now     text.Text
}

// after returns what happened after boundary k.
func (l *log) after(k int) later { return later{l.entries[k:], runsOf(l.entries[k:]), l.text} }

// run is one agent's edit, or all that others did between two of them. An edit and the entry
// that took it back are one run, which changes nothing.
type run struct {
	id      string
	change  changeset.Changeset
	entries []*entry
}

func runsOf(es []*entry) (runs []run) {
	for len(es) > 0 {
		r := run{id: es[0].id, entries: es[:runLen(es)]}
		if isTakenBack(es) {
			r.entries = es[:2]
		} else {
			r.change = fold(r.entries)
		}
		runs, es = append(runs, r), es[len(r.entries):]
	}
	return runs
}

// runLen returns how many entries, from the first on, are one agent's edit, or are no agent's.
func runLen(es []*entry) int {
	n := 1
	for !es[0].isAgents() && n < len(es) && !es[n].isAgents() {
		n++
	}
	return n
}

// isTakenBack reports whether the entries begin with an agent's edit and its exact
// inverse, which only the editor's undo makes.
func isTakenBack(es []*entry) bool {
	return len(es) > 1 && es[0].isAgents() && !es[1].isAgents() && isInverse(es[1].change, es[0].change)
}

// takeBack returns the changeset that takes e, which led to the text was, back in the text now. It is also a conflict
// if another letter of a word that e changed was changed since, or another part of a line that e put in or took out:
// one of the two changes would be left, and so a word or a line that nobody wrote.
func (l later) takeBack(e *entry, was text.Text) (changeset.Changeset, error) {
	back := e.change.Invert()
	wide := back.Words(was)
	inverse, words := changeset.Carry(back), changeset.Carry(wide)
	rest := l.entries
	for k, r := range l.runs {
		if isTakenBack(r.entries) {
			if _, meet := changeset.Carry(inverse.Changeset()).Over(r.entries[0].change); meet != nil {
				return nil, l.conflict(e, k, meet.A)
			}
		}
		if c := undoneElsewhere(e, inverse.Changeset(), later{rest, l.runs[k:], l.now}); c != nil {
			return nil, c
		}
		rest = rest[len(r.entries):]
		for _, c := range []*changeset.Carried{inverse, words} {
			if _, meet := c.Over(r.change); meet != nil {
				return nil, l.conflict(e, k, meet.A)
			}
		}
	}
	for i, w := range wide {
		a := words.Apart()[i]
		if !isLines(l.now, a) && (isLines(was, w) || inEmptyLines(was, w) > inEmptyLines(l.now, a)) || wordAround(l.now, a) > wordAround(was, w) {
			if c := l.joins(e, w); c != nil {
				return nil, c
			}
		}
	}
	return inverse.Changeset().Then(nil), nil
}

// wordAround returns how much of t is around a change in the words that it is in.
func wordAround(t text.Text, c changeset.Change) int {
	return changeset.Changeset{c}.Words(t).Size() - c.Size()
}

// isLines reports whether a change of t takes out and puts in only whole lines, each with the line end behind it or
// each with the one before it.
func isLines(t text.Text, c changeset.Change) bool {
	return startsLine(t, c.At) && startsLine(t, c.End()) && (c.New == "" || strings.HasSuffix(c.New, "\n")) ||
		endsLine(t, c.At) && endsLine(t, c.End()) && (c.New == "" || strings.ContainsAny(c.New[:1], "\r\n"))
}

// inEmptyLines returns how many ends of a change of t are in empty lines.
func inEmptyLines(t text.Text, c changeset.Change) int {
	return lists.Count([]int{c.At, c.End()}, func(at int) bool { return startsLine(t, at) && endsLine(t, at) })
}

func startsLine(t text.Text, at int) bool { return at == 0 || t.Slice(at-1, at) == "\n" }
func endsLine(t text.Text, at int) bool {
	return at == t.Len() || strings.ContainsAny(t.Slice(at, at+1), "\r\n")
}

// joins returns the conflict of a, a change of the inverse of e, that would join two lines or words; nil if no run
// touches it.
func (l later) joins(e *entry, a changeset.Change) *UndoConflict {
	carried := changeset.Carry(changeset.Changeset{a})
	k := slices.IndexFunc(l.runs, func(r run) bool {
		a = carried.Apart()[0]
		_, meet := carried.Over(r.change)
		return meet != nil || a.Touches(nil, r.change)
	})
	if k < 0 {
		return nil
	}
	c := l.conflict(e, k, a)
	last := max(c.Start, c.End-1)
	if a.New != "" && text.Terminator(a.New) == "" {
		last = c.End
	}
	c.Start, c.End = l.now.LineStart(l.now.LineAt(c.Start)), l.now.LineStart(l.now.LineAt(last)+1)
	c.Now = l.now.Slice(c.Start, c.End)
	return c
}

// conflict returns the conflict of the carried inverse of e, at its change a, with run k.
func (l later) conflict(e *entry, k int, a changeset.Change) *UndoConflict {
	c := &UndoConflict{ID: e.id, By: l.runs[k].id, Wrote: a.Old, Was: a.New, AlreadyUndone: true}
	c.Start, c.End = follow(l.runs[k:], a.At, a.End())
	c.Now = l.now.Slice(c.Start, c.End)
	for _, ch := range e.change.Invert() {
		start, end := follow(l.runs, ch.At, ch.End())
		if l.now.Slice(start, end) != ch.New {
			c.AlreadyUndone = false
			break
		}
	}
	return c
}

// minReverted is how many bytes a change at another of several equal places must insert or
// remove to count as an undo. The user may type the same letter by coincidence.
const minReverted = 3

// undoneElsewhere returns a conflict if the next run did what the inverse of e would do, or a part of it, at another place
// of equal text: among equal lines an editor may report its undo at any of them. It also returns a conflict if the run put a
// text back together with others, as an editor reports a file that it has read again. Otherwise it returns nil.
func undoneElsewhere(e *entry, inverse changeset.Changeset, next later) *UndoConflict {
	by := next.runs[0]
	if !slices.ContainsFunc(inverse, func(a changeset.Change) bool {
		return a.Size() >= minReverted && (changeset.MayBeAlike(a, by.change) || mayPutBack(by.change, a))
	}) {
		return nil // a cheap check, which saves computing the text before the run
	}
	before := apply(fold(next.entries).Invert(), next.now)
	left, whole := 0, true // changes of the inverse that are still to be made; whether the others are made in full
	var c *UndoConflict
	for _, a := range inverse {
		r, ok := changeset.Alike(before, a, by.change)
		start, end := became(by.change, r.At, r.End())
		if !ok && mayPutBack(by.change, a) {
			r = a
			start, end, ok = putBack(by.change, before, a)
		}
		if !ok || a.Size() < minReverted {
			left++
			continue
		}
		whole = whole && r.Size() >= a.Size()
		c = &UndoConflict{ID: e.id, By: by.id, Wrote: r.Old, Was: r.New}
		c.Start, c.End = follow(next.runs[1:], start, end)
		c.Now = next.now.Slice(c.Start, c.End)
	}
	if c == nil || c.Now == c.Wrote {
		return nil // not undone, or made again since
	}
	c.AlreadyUndone = left == 0 && whole && diff.UnixLines(c.Now) == diff.UnixLines(c.Was)
	return c
}

// mayPutBack reports whether [putBack] may find a in by for some text.
func mayPutBack(by changeset.Changeset, a changeset.Change) bool {
	return a.Old == "" && slices.ContainsFunc(by, func(ch changeset.Change) bool {
		return ch.At <= a.At+len(a.New) && ch.End() >= a.At-len(a.New) && (ch.Old != "" && ch.New != "" || len(ch.New) >= minReverted)
	})
}

// putBack returns where the text after by has the text that a, an insertion, would insert, or from the first to the last
// line of it that is there: near the place of a, once more than the text before by has it, and with any line ends. ok
// is false if there is no such place.
func putBack(by changeset.Changeset, before text.Text, a changeset.Change) (start, end int, ok bool) {
	n, after := len(a.New), apply(by, before)
	from, to := max(0, a.At-n), min(before.Len(), a.At+n)
	for _, ch := range by {
		if ch.At <= to && ch.End() >= from {
			from, to = min(from, ch.At), max(to, ch.End())
		}
	}
	first := by.Map(from, false)
	is := after.Slice(first, by.Map(to, true))
	was, now, put := diff.UnixLines(before.Slice(from, to)), diff.UnixLines(is), diff.UnixLines(a.New)
	if strings.Count(now, put) > strings.Count(was, put) {
		start = strings.Index(now, put)
		end = start + len(put)
	} else if start, end, ok = linesBack(was, now, put); !ok {
		return 0, 0, false
	}
	return first + withCRLF(is, start), first + withCRLF(is, end), true
}

// linesBack returns the range of now from the first to the last line that put has too, and that now has more often than was.
func linesBack(was, now, put string) (start, end int, ok bool) {
	more, back := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(now) {
		more[line]++
	}
	for line := range strings.Lines(was) {
		more[line]--
	}
	for line := range strings.Lines(put) {
		back[line] = more[line] > 0 && len(strings.TrimSpace(line)) >= minReverted
	}
	at := 0
	for line := range strings.Lines(now) {
		if back[line] {
			if !ok {
				start, ok = at, true
			}
			end = at + len(line)
		}
		at += len(line)
	}
	return start, end, ok
}

// withCRLF returns the offset in s of offset k in s with the line ends of Unix.
func withCRLF(s string, k int) int {
	for i := range len(s) {
		if k == 0 {
			return i
		}
		if !strings.HasPrefix(s[i:], "\r\n") {
			k--
		}
	}
	return len(s)
}

// follow returns the range that [start,end) has become after the runs.
func follow(runs []run, start, end int) (int, int) {
	for _, r := range runs {
		start, end = became(r.change, start, end)
	}
	return start, end
}

// became returns the range that [start,end) has become in the text after c. Text
// inserted at its ends is not part of it, unless [start,end) is empty.
func became(c changeset.Changeset, start, end int) (int, int) {
	shift, delta := 0, 0 // before the range, and inside
	empty, from, to := start == end, start, end
	for _, ch := range c {
		inserted := empty && ch.Old == "" && ch.At == start
		switch {
		case ch.End() <= start && !inserted:
			shift += ch.Delta()
		case ch.At < end || inserted:
			from, to = min(from, ch.At), max(to, ch.End())
			delta += ch.Delta()
		}
	}
	return from + shift, to + shift + delta
}

// Bounds for recognizing the user's undo: how many entries to look back over, and in how
// many entries an editor may report one undo.
const (
	maxNested = 64
	maxPieces = 16
)

// undoable returns what an editor can undo and redo after the first n entries, the newest last.
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

// last returns the last of the entries, or an empty entry if there is none.
func last(es []*entry) *entry {
	if len(es) == 0 {
		return &entry{}
	}
	return es[len(es)-1]
}

// isUndone reports whether the first of the entries was taken back by the editor's undo since, and not made again.
func isUndone(es []*entry) bool {
	es = append(es[:1:1], es[1+redoLen(es[1:]):]...)
	done, _ := undoable(es, len(es))
	return !slices.Contains(done, es[0])
}

// redoLen returns how many of the entries together do nothing, such as the editor's undo of an edit and of what was
// done before it, and the redo of both.
func redoLen(es []*entry) (n int) {
	var all changeset.Changeset
	for i, e := range es {
		if e.isAgents() { // which is no redo
			break
		}
		if all = all.Then(e.change); len(all) == 0 && !isMove(e.change, es[i+1:]) {
			n = i + 1
		}
	}
	return n
}

func isInverse(c, of changeset.Changeset) bool {
	return len(c) == len(of) && c.Delta() == -of.Delta() && slices.Equal(of.Invert(), c)
}

// isMove reports whether c removes one text and the next entry inserts it again. An editor reports lines that the user moves
// in this way, also right after the undo of a deletion: then c is not the redo of that deletion.
func isMove(c changeset.Changeset, next []*entry) bool {
	return len(c) == 1 && c[0].New == "" && len(next) > 0 && slices.ContainsFunc(next[0].change, func(ch changeset.Change) bool { return ch.Old == "" && ch.New == c[0].Old })
}

// recognizeUndone replaces entries from k on that together undo or redo an agent's edit with
// one entry that does the same at the place of the edit.
func (l *log) recognizeUndone(k int) {
	for end := k + 1; l.agents > 0 && end <= len(l.entries); end++ {
		if i, of, exact := l.undoAt(end); len(exact) > 0 {
			of.undone = !slices.Equal(exact, of.change)
			l.replace(stretch{from: i, to: end}, &entry{change: exact})
			end = i + 1
		}
	}
}

// undoAt returns i such that the entries from i to boundary end undo or redo an agent's edit,
// that edit, and what they do at its place; exact is empty if there are none. The entries
// must not be an agent's, and no boundary between them may be held.
func (l *log) undoAt(end int) (i int, of *entry, exact changeset.Changeset) {
	delta, first := 0, max(0, end-maxPieces-maxNested)
	for i := end - 1; i >= max(0, end-maxPieces) && !l.entries[i].isAgents() && (i == end-1 || !l.entries[i].end.held()); i-- {
		delta += l.entries[i].change.Delta()
		if !slices.ContainsFunc(l.entries[first:i], func(e *entry) bool {
			return e.isAgents() && max(delta, -delta) == max(e.change.Delta(), -e.change.Delta())
		}) {
			continue // a cheap check, which rules out nearly all typing
		}
		c := fold(l.entries[i:end])
		done, undone := undoable(l.entries[first:], i-first)
		if e := last(done); e.isAgents() && hasEffect(c, e.change.Invert(), l.textAt(i)) {
			return i, e, e.change.Invert()
		}
		if e := last(undone); e.isAgents() && !isMove(c, l.entries[end:]) && hasEffect(c, e.change, l.textAt(i)) {
			return i, e, e.change
		}
	}
	return 0, nil, nil
}

// hasEffect reports whether c, a change of t, does what exact does. Among equal lines an editor
// may report its undo and redo at another place, or as all lines from the first to the last that
// differ, and then the places after it would be wrong. A letter or two may be a coincidence.
func hasEffect(c, exact changeset.Changeset, t text.Text) bool {
	return c.Delta() == exact.Delta() && (slices.Equal(exact, c) || letters(exact) >= minReverted && !doTheSame(c, nil, t) && doTheSame(c, exact, t))
}

// letters returns how many characters c takes out and puts in.
func letters(c changeset.Changeset) int {
	return lists.Sum(c, func(ch changeset.Change) int { return utf8.RuneCountInString(ch.Old) + utf8.RuneCountInString(ch.New) })
}

// doTheSame reports whether a and b turn t into the same text. It compares only the text
// from the first of the changes to the last.
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
	return a.Delta() == b.Delta() && apply(a, t).Slice(from, end) == apply(b, t).Slice(from, end)
}

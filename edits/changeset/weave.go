package changeset

import "github.com/patchls/patchls/edits"

// weaver composes two lots of changes, in one pass over the text between them. It
// writes changes of the text before both. Changes may touch in all three.
type weaver struct {
	first Changeset // what was not entered yet
	pos   int       // in the text between
	shift int       // from the text before to the text between, behind what was entered
	left  string    // of the new text that was entered: what pos is not behind
	pure  bool      // whether left took nothing's place

	// The change that is being written: what goes from at of the text before, and
	// what comes.
	at       int
	old, new []string
	loose    bool

	out Changeset
}

// next adds a change of the second lot: ch is of the text between, and gone has
// what it takes out, which is from from to to there and is in the text before.
func (w *weaver) next(ch edits.Edit, loose bool, gone func(from, to int) string) {
	w.pass(ch.Start)
	if ch.Start == ch.End {
		w.insert(ch.New)
		return
	}
	pure := w.cut(ch.End, gone)
	w.loose = w.loose || loose || pure && len(w.old) > 0
	if loose {
		w.enterGone()
	}
	w.put(ch.New)
}

// rest goes on to the end and returns the result, neither joined nor trimmed.
func (w *weaver) rest() Changeset {
	for w.enter(); w.left != "" || len(w.first) > 0; w.enter() {
		if w.left != "" {
			w.pass(w.pos + len(w.left))
		} else {
			w.pass(w.first[0].At + w.shift)
		}
	}
	w.flush()
	return w.out
}

// pass keeps what is before offset to of the text between.
func (w *weaver) pass(to int) {
	for w.pos < to {
		w.enter()
		n := w.ahead(to)
		if w.left != "" {
			if w.pure && len(w.old) > 0 {
				w.flush()
			}
			w.put(w.left[:n])
			w.left = w.left[n:]
		} else {
			w.flush()
			w.at += n
		}
		w.pos += n
	}
}

// cut takes out what is before offset to, all in one change, and reports whether
// some of it had been inserted in nothing's place.
func (w *weaver) cut(to int, gone func(from, to int) string) (pure bool) {
	w.enter()
	if w.left == "" && len(w.new) > 0 {
		w.flush()
	}
	for w.pos < to {
		for w.left == "" && w.due() {
			w.take()
		}
		n := w.ahead(to)
		if w.left != "" {
			pure = pure || w.pure
			w.left = w.left[n:]
		} else {
			w.old = append(w.old, gone(w.pos, w.pos+n))
		}
		w.pos += n
	}
	return pure
}

// ahead returns how many bytes on the way to offset to are of one kind.
func (w *weaver) ahead(to int) int {
	n := to - w.pos
	if w.left != "" {
		return min(n, len(w.left))
	}
	if len(w.first) > 0 {
		n = min(n, w.first[0].At+w.shift-w.pos)
	}
	return n
}

// insert puts s at pos. Where first took something out there, it is a loose part
// of that; else it is apart from what is before.
func (w *weaver) insert(s string) {
	switch {
	case w.left != "":
	case w.due() && w.first[0].loose:
		w.flush()
		w.take()
	case w.due() && w.first[0].New == "":
		w.flush()
		w.enterGone()
		w.loose = true
	case len(w.old) > 0 && !w.loose:
		w.flush()
	}
	w.put(s)
}

// due reports whether the next change of first is at pos.
func (w *weaver) due() bool { return len(w.first) > 0 && w.first[0].At+w.shift == w.pos }

// enter takes in the changes of first that are at pos, apart from what is before
// if both are not of one kind.
func (w *weaver) enter() {
	for w.left == "" && w.due() {
		insertions := w.first[0].Old == "" && len(w.old) == 0
		deletions := w.first[0].New == "" && len(w.new) == 0
		if !insertions && !deletions {
			w.flush()
		}
		w.take()
	}
}

// enterGone takes in what first took out at pos and put nothing for.
func (w *weaver) enterGone() {
	for w.left == "" && w.due() && w.first[0].New == "" {
		w.take()
	}
}

// take takes in the next change of first.
func (w *weaver) take() {
	ch := w.first[0]
	if ch.Old != "" {
		w.old = append(w.old, ch.Old)
	}
	w.left, w.pure, w.loose = ch.New, ch.Old == "", w.loose || ch.loose
	w.shift, w.first = w.shift+ch.Delta(), w.first[1:]
}

func (w *weaver) put(s string) {
	if s != "" {
		w.new = append(w.new, s)
	}
}

// flush ends the change.
func (w *weaver) flush() {
	if len(w.old)+len(w.new) > 0 {
		ch := Change{w.at, concat(w.old), concat(w.new), w.loose && len(w.new) > 0}
		w.out = append(w.out, ch)
		w.at = ch.End()
	}
	w.old, w.new, w.loose = w.old[:0], w.new[:0], false
}

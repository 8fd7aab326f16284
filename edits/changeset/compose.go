package changeset

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
)

// Then returns what c and after it next, which is of the text after c, do
// together. What next takes back vanishes, and each change is trimmed to what
// differs, in whole characters. The cost is that of the changes, whatever the
// text's size.
func (c Changeset) Then(next Changeset) Changeset {
	if len(next) == 1 {
		if out, ok := c.with(next[0]); ok {
			return out
		}
	}
	return c.weave(next).joined()
}

// with is Then of a change that is apart from all of c, which is as Then has made it: so
// is each step of an edit in many places, and nothing is there to be woven. It is not ok
// where that cannot be told at a glance.
func (c Changeset) with(ch Change) (out Changeset, ok bool) {
	i, shift := 0, 0
	for i < len(c) && c[i].At+shift+len(c[i].New) < ch.At {
		shift += c[i].Delta()
		i++
	}
	if i < len(c) && c[i].At+shift <= ch.End() {
		return nil, false
	}
	for k := range c {
		if c[k].loose || !c[k].isTrimmed() || k > 0 && c[k].At <= c[k-1].End() {
			return nil, false
		}
	}
	out = append(make(Changeset, 0, len(c)+1), c[:i]...)
	p, q := diff.CommonEnds(ch.Old, ch.New)
	if ch = (Change{ch.At - shift + p, ch.Old[p : len(ch.Old)-q], ch.New[p : len(ch.New)-q], false}); ch.Old != "" || ch.New != "" {
		out = append(out, ch)
	}
	return append(out, c[i:]...), true
}

// isTrimmed reports whether both ends of the change differ in their bytes, which those
// of a trimmed one need not: they may be of two characters that begin alike.
func (c Change) isTrimmed() bool {
	if c.Old == "" || c.New == "" {
		return c.Old != c.New
	}
	return c.Old[0] != c.New[0] && c.Old[len(c.Old)-1] != c.New[len(c.New)-1]
}

// ThenApart is Then, but remembers at which points there were insertions: one that
// is put beside something, or where something was taken out before, still meets
// whatever inserts at the same point, which the replacement that Then makes of both
// does not. Changes of the result may touch. Both changesets may have come out of
// ThenApart or [Carried.Over] themselves; such a changeset may be inverted, carried
// and composed like any other, but only after Then is it fit for Edits.
func (c Changeset) ThenApart(next Changeset) Changeset {
	return slices.DeleteFunc(c.weave(next), func(ch Change) bool { return ch.Old == ch.New })
}

// weave composes without trimming.
func (c Changeset) weave(next Changeset) Changeset {
	w := weaver{first: c}
	for _, ch := range next {
		gone := func(from, to int) string { return ch.Old[from-ch.At : to-ch.At] }
		w.next(edits.Edit{Start: ch.At, End: ch.End(), New: ch.New}, ch.loose, gone)
	}
	return w.rest()
}

func concat(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, "")
}

// joined returns c with touching changes made into one, and trimmed.
func (c Changeset) joined() Changeset {
	out := make(Changeset, 0, len(c))
	var was, is []string
	for len(c) > 0 {
		n := 1
		for n < len(c) && c[n].At == c[n-1].End() {
			n++
		}
		ch := Change{At: c[0].At, Old: c[0].Old, New: c[0].New}
		if n > 1 {
			was, is = was[:0], is[:0]
			for _, part := range c[:n] {
				was, is = append(was, part.Old), append(is, part.New)
			}
			ch.Old, ch.New = concat(was), concat(is)
		}
		out, c = append(out, ch), c[n:]
	}
	return out.trimmed()
}

// trimmed returns c, whose array it uses, without what does not change.
func (c Changeset) trimmed() Changeset {
	out := c[:0]
	for _, ch := range c {
		p, q := diff.CommonEnds(ch.Old, ch.New)
		ch = Change{ch.At + p, ch.Old[p : len(ch.Old)-q], ch.New[p : len(ch.New)-q], false}
		if ch.Old != "" || ch.New != "" {
			out = append(out, ch)
		}
	}
	return out
}

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

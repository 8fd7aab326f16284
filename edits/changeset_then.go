package edits

import "strings"

// Then returns what c and after it next, which is of the text after c, do
// together. What next takes back vanishes, and each change is trimmed to what
// differs, in whole characters. The cost is that of the changes, whatever the
// text's size.
func (c Changeset) Then(next Changeset) Changeset { return c.weave(next).joined() }

// ThenApart is Then, but an insertion stays apart from what is taken out beside it
// afterwards, as two changes that touch: it still meets whatever inserts at the same
// point, which a replacement does not. Both changesets may have come out of
// ThenApart or [Carried.Over] themselves; such a changeset may be inverted, carried
// and composed like any other, but only after Then is it fit for Edits.
func (c Changeset) ThenApart(next Changeset) Changeset { return c.weave(next).trimmed() }

// weave composes without trimming. What next inserts goes behind what c took out
// at the same point, and into the place of it.
func (c Changeset) weave(next Changeset) Changeset {
	w := weaver{first: c}
	for i, ch := range next {
		w.pass(ch.At, "")
		if ch.Old != "" {
			w.pass(ch.End(), ch.Old)
		} else if i > 0 && next[i-1].End() == ch.At && !w.entered {
			w.flush()
		}
		w.put(ch.New)
	}
	for w.left != "" || len(w.first) > 0 {
		to := w.pos + len(w.left)
		if w.left == "" {
			to = w.first[0].At + w.shift
		}
		w.pass(to, "")
	}
	w.flush()
	return w.out
}

// weaver goes over the text between two changesets, and writes changes of the text
// before both.
type weaver struct {
	first Changeset // what was not entered yet
	pos   int       // in the text between
	shift int       // from the text before to the text between, behind what was entered
	left  string    // of the new text that was entered: what pos is not behind
	pure  bool      // whether left was inserted in no one's place

	entered bool // whether first took something out right before pos

	at       int // in the text before
	old, new []string
	out      Changeset
}

// enter takes in what first took out at pos.
func (w *weaver) enter() {
	for w.left == "" && len(w.first) > 0 && w.first[0].At+w.shift == w.pos {
		ch := w.first[0]
		w.take(ch.Old)
		w.entered = w.entered || ch.Old != ""
		w.left, w.pure, w.shift, w.first = ch.New, ch.Old == "", w.shift+ch.Delta(), w.first[1:]
	}
}

// pass goes on to offset to of the text between, whose next bytes are gone, or
// are kept if gone is "".
func (w *weaver) pass(to int, gone string) {
	from := w.pos
	for w.pos < to {
		w.enter()
		n := to - w.pos
		switch {
		case w.left != "":
			n = min(n, len(w.left))
			if gone == "" {
				if w.pure && len(w.old) > 0 {
					w.flush()
				}
				w.put(w.left[:n])
			}
			w.left = w.left[n:]
		case len(w.first) > 0:
			n = min(n, w.first[0].At+w.shift-w.pos)
			fallthrough
		default:
			if gone == "" {
				w.flush()
				w.at += n
			} else {
				w.take(gone[w.pos-from : w.pos-from+n])
			}
		}
		w.pos += n
		w.entered = false
	}
	w.enter()
}

// take adds what is taken out. It begins a change of its own behind what was put.
func (w *weaver) take(s string) {
	if len(w.new) > 0 {
		w.flush()
	}
	if s != "" {
		w.old = append(w.old, s)
	}
}

func (w *weaver) put(s string) {
	if s != "" {
		w.new = append(w.new, s)
	}
}

// flush ends a change.
func (w *weaver) flush() {
	if len(w.old)+len(w.new) == 0 {
		return
	}
	ch := Change{w.at, concat(w.old), concat(w.new)}
	w.out = append(w.out, ch)
	w.at = ch.End()
	w.old, w.new = w.old[:0], w.new[:0]
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
		ch := c[0]
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
		p, q := commonEnds(ch.Old, ch.New)
		ch = Change{ch.At + p, ch.Old[p : len(ch.Old)-q], ch.New[p : len(ch.New)-q]}
		if ch.Old != "" || ch.New != "" {
			out = append(out, ch)
		}
	}
	return out
}

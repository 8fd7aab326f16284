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

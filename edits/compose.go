package edits

import "github.com/patchls/patchls/edits/text"

// Then returns the edits of t that do what es, which are of t, and after them
// next, which are of es.Apply(t), do.
func (es Edits) Then(t text.Text, next Edits) Edits {
	switch {
	case len(es) == 0:
		return next
	case len(next) == 0:
		return es
	}
	w := weaver{first: es.On(t)}
	for _, e := range next {
		w.next(e, false, func(from, to int) string { return t.Slice(from-w.shift, to-w.shift) })
	}
	return w.rest().joined().Edits()
}

package edits

import "strings"

// joined returns what the edits do to s as one, with no common ends.
func (es Edits) joined(s string) Edit {
	first, last := es[0], es[len(es)-1]
	if len(es) == 1 {
		return first
	}
	var b strings.Builder
	b.Grow(es.Delta() + last.End - first.Start)
	at := first.Start
	for _, e := range es {
		b.WriteString(s[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	put := b.String()
	p, q := commonEnds(s[first.Start:last.End], put)
	return Edit{first.Start + p, last.End - q, put[p : len(put)-q]}
}

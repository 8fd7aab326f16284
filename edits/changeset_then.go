package edits

import "strings"

// Then returns what c and after it next, which is of the text after c, do
// together. What next takes back vanishes, and each change is trimmed to what
// differs, in whole characters. The cost is that of the changes, whatever the
// text's size.
//
// Touching changes are as welcome as others, and come out joined.
func (c Changeset) Then(next Changeset) Changeset {
	k := composition{first: c, next: next}
	for len(k.first)+len(k.next) > 0 {
		k.cluster()
	}
	return k.out
}

// composition goes over two changesets at once, in the coordinates of the text in
// between.
type composition struct {
	first, next Changeset // what is left of both
	shift       int       // by how much the text in between was made longer so far
	out         Changeset
}

// cluster composes the next changes of both that overlap or touch.
func (k *composition) cluster() {
	from, to := k.start(), k.start()
	a, b := 0, 0     // how many of first and of next are in it
	shift := k.shift // behind the a changes of first
	var mid strings.Builder
	for {
		var at int
		var s string
		switch {
		case a < len(k.first) && k.first[a].At+shift <= to:
			at, s = k.first[a].At+shift, k.first[a].New
			shift += k.first[a].Delta()
			a++
		case b < len(k.next) && k.next[b].At <= to:
			at, s = k.next[b].At, k.next[b].Old
			b++
		default:
			k.put(from, mid.String(), a, b)
			k.first, k.next, k.shift = k.first[a:], k.next[b:], shift
			return
		}
		if at+len(s) > to {
			mid.WriteString(s[to-at:])
			to = at + len(s)
		}
	}
}

// start returns where the next change of either is.
func (k *composition) start() int {
	switch {
	case len(k.next) == 0:
		return k.first[0].At + k.shift
	case len(k.first) == 0:
		return k.next[0].At
	}
	return min(k.first[0].At+k.shift, k.next[0].At)
}

// put adds what a changes of first and b of next make of mid, which stands at
// from of the text in between.
func (k *composition) put(from int, mid string, a, b int) {
	var was, is strings.Builder
	at, shift := 0, k.shift-from
	for _, ch := range k.first[:a] {
		was.WriteString(mid[at : ch.At+shift])
		was.WriteString(ch.Old)
		at = ch.At + shift + len(ch.New)
		shift += ch.Delta()
	}
	was.WriteString(mid[at:])
	at = 0
	for _, ch := range k.next[:b] {
		is.WriteString(mid[at : ch.At-from])
		is.WriteString(ch.New)
		at = ch.End() - from
	}
	is.WriteString(mid[at:])
	ch := Change{from - k.shift, was.String(), is.String()}
	p, q := commonEnds(ch.Old, ch.New)
	if p+q < max(len(ch.Old), len(ch.New)) {
		k.out = append(k.out, Change{ch.At + p, ch.Old[p : len(ch.Old)-q], ch.New[p : len(ch.New)-q]})
	}
}

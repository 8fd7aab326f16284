package text

import (
	"fmt"
	"unicode/utf8"
)

// sound checks what must hold of the buffer's tree, and its bytes if all says so.
func sound(b *Buffer, s string, all bool) error {
	b.take()
	t := &b.tree
	if t.root.sum.bytes != len(s) {
		return fmt.Errorf("%d bytes, want %d", t.root.sum.bytes, len(s))
	}
	if !all {
		return nil
	}
	w := &walker{tree: t, want: s}
	if err := w.node(t.root, true); err != nil {
		return err
	}
	pinned := 0
	for _, o := range t.origins {
		pinned += len(o)
	}
	if w.at != len(s) || w.aliased != t.aliased || pinned != t.pinned {
		return fmt.Errorf("the leaves hold %d of %d bytes, %d of an original, said to be %d; %d pinned, said to be %d",
			w.at, len(s), w.aliased, t.aliased, pinned, t.pinned)
	}
	if b.wasteful() {
		return fmt.Errorf("%d bytes of an original are kept for %d", pinned, w.aliased)
	}
	l := b.cur.line
	if !l.known {
		return nil
	}
	start, _ := measure(s[:l.start.bytes])
	end, _ := measure(s[:l.end.bytes])
	if start != l.start || end != l.end || start.lines != l.number || end.lines != l.number ||
		(start.bytes > 0 && s[start.bytes-1] != '\n') || (end.bytes < len(s) && s[end.bytes] != '\n') {
		return fmt.Errorf("line %d is said to be from %v to %v, but those are %v and %v", l.number, l.start, l.end, start, end)
	}
	return nil
}

type walker struct {
	tree    *tree
	want    string
	at      int
	aliased int
}

func (w *walker) node(k kid, root bool) error {
	heights := map[int]bool{}
	if err := w.down(k, root, 0, heights); err != nil {
		return err
	}
	if len(heights) > 1 {
		return fmt.Errorf("twigs are at the heights %v", heights)
	}
	return nil
}

func (w *walker) down(k kid, root bool, depth int, heights map[int]bool) error {
	n, least, most := k.size()
	if root {
		least = 1
		if k.branch != nil {
			least = 2
		}
	}
	if n < least || n > most {
		return fmt.Errorf("a node at %d has %d children", w.at, n)
	}
	var total sum
	if k.twig != nil {
		heights[depth] = true
		for i := range n {
			if err := w.leaf(k.twig, i, root && n == 1); err != nil {
				return err
			}
			total = total.plus(k.twig.sum(i))
		}
		for i := n; i < maxTwig; i++ {
			if k.twig.p[i] != nil {
				return fmt.Errorf("a leaf that is gone is kept")
			}
		}
	} else {
		for i := range n {
			if err := w.down(k.branch.kids[i], false, depth+1, heights); err != nil {
				return err
			}
			total = total.plus(k.branch.kids[i].sum)
		}
	}
	if total != k.sum {
		return fmt.Errorf("a node before %d has %v, but its children %v", w.at, k.sum, total)
	}
	return nil
}

func (w *walker) leaf(t *twig, i int, only bool) error {
	s := t.text(i)
	if len(s) > maxLeaf || (len(s) < minLeaf && !only) {
		return fmt.Errorf("a leaf at %d has %d bytes", w.at, len(s))
	}
	if w.at+len(s) > len(w.want) || w.want[w.at:w.at+len(s)] != s {
		return fmt.Errorf("at %d is %.100q, want %.100q", w.at, s, w.want[min(w.at, len(w.want)):])
	}
	if m, valid := measure(s); m != t.sum(i) || valid == t.bad.has(i) {
		return fmt.Errorf("a leaf at %d counts %v, bad %v, but has %v, %v", w.at, t.sum(i), t.bad.has(i), m, !valid)
	}
	if runes, _ := countAny(s); runes != int(t.runes[i]) {
		return fmt.Errorf("a leaf at %d counts %d runes, but has %d", w.at, t.runes[i], runes)
	}
	w.at += len(s)
	if w.at < len(w.want) {
		if got := modelFloor(w.want[max(0, w.at-4):], w.at-max(0, w.at-4)); got != w.at-max(0, w.at-4) && utf8.ValidString(s) {
			return fmt.Errorf("a code point is cut at %d", w.at)
		}
		if straddles(w.want[:w.at], w.want[w.at:]) {
			return fmt.Errorf("a code point is cut at %d", w.at)
		}
	}
	if !t.alias.has(i) {
		return nil
	}
	if t.own.has(i) {
		return fmt.Errorf("a leaf at %d is its own and an original's", w.at)
	}
	w.aliased += len(s)
	for _, o := range w.tree.origins {
		if offsetIn(o, t.p[i]) >= 0 {
			return nil
		}
	}
	return fmt.Errorf("a leaf at %d is in no original", w.at)
}

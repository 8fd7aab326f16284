package text

import (
	"fmt"
	"unicode/utf8"
)

// sound checks what must hold of the buffer's tree, and its bytes if all says so.
func sound(b *Buffer, s string, all bool) error {
	t := b.current()
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
	if w.at != len(s) || w.borrowed != t.borrowed {
		return fmt.Errorf("the chunks hold %d of %d bytes, %d of the origin, said to be %d", w.at, len(s), w.borrowed, t.borrowed)
	}
	if b.isWasteful() {
		return fmt.Errorf("%d bytes of the origin are kept for %d", len(t.origin), w.borrowed)
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
	tree     *tree
	want     string
	at       int
	borrowed int
}

func (w *walker) node(k node, root bool) error {
	heights := map[int]bool{}
	if err := w.down(k, root, 0, heights); err != nil {
		return err
	}
	if len(heights) > 1 {
		return fmt.Errorf("leaves are at the heights %v", heights)
	}
	return nil
}

func (w *walker) down(k node, root bool, depth int, heights map[int]bool) error {
	n, least := k.size()
	if root {
		least = 1
		if k.branch != nil {
			least = 2
		}
	}
	if n < least {
		return fmt.Errorf("a node at %d has %d children", w.at, n)
	}
	var total summary
	if k.leaf != nil {
		heights[depth] = true
		for i := range n {
			if err := w.chunk(k.leaf, i, root && n == 1); err != nil {
				return err
			}
			total = total.plus(k.leaf.chunks[i].sum())
		}
		for i := n; i < maxLeaf; i++ {
			if k.leaf.chunks[i].p != nil {
				return fmt.Errorf("a chunk that is gone is kept")
			}
		}
	} else {
		for i := range n {
			if err := w.down(k.branch.children[i], false, depth+1, heights); err != nil {
				return err
			}
			total = total.plus(k.branch.children[i].sum)
		}
	}
	if total != k.sum {
		return fmt.Errorf("a node before %d has %v, but its children %v", w.at, k.sum, total)
	}
	return nil
}

func (w *walker) chunk(l *leaf, i int, only bool) error {
	k := &l.chunks[i]
	s := k.text()
	if len(s) > maxChunk || (len(s) < minChunk && !only) {
		return fmt.Errorf("a chunk at %d has %d bytes", w.at, len(s))
	}
	if w.at+len(s) > len(w.want) || w.want[w.at:w.at+len(s)] != s {
		return fmt.Errorf("at %d is %.100q, want %.100q", w.at, s, w.want[min(w.at, len(w.want)):])
	}
	if m, valid := measure(s); m != k.sum() || valid == k.invalid {
		return fmt.Errorf("a chunk at %d counts %v, bad %v, but has %v, %v", w.at, k.sum(), k.invalid, m, !valid)
	}
	if runes := utf8.RuneCountInString(s); runes != int(k.runes) {
		return fmt.Errorf("a chunk at %d counts %d runes, but has %d", w.at, k.runes, runes)
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
	if !w.tree.borrows(k) {
		return nil
	}
	if k.room > 0 {
		return fmt.Errorf("a chunk at %d may be written and is the origin's", w.at)
	}
	w.borrowed += len(s)
	return nil
}

package text

import "strings"

// LineHashes returns the hashes of the lines of t. The first call on a text costs
// a pass over it; after edits it costs what they have touched, and a little for
// each 16 KB. A text of which nobody asks for them has none.
func (t Text) LineHashes() *LineHashes {
	if t.d == nil {
		return &LineHashes{}
	}
	if l := t.d.lines.Load(); l != nil {
		return l
	}
	g := lineGatherer{t: t, tree: t.d.asTree()}
	g.node(&g.tree.root)
	if g.begin < t.Len() && (g.begin > 0 || t.Len() > t.bom()) {
		g.line(t.Slice(max(g.begin, g.bom()), t.Len()))
	}
	t.d.lines.Store(&g.all)
	return &g.all
}

// lineGatherer gathers the line hashes of the twigs, and makes those of the lines
// that are in more than one.
type lineGatherer struct {
	t     Text
	tree  *tree
	all   LineHashes
	seams []LineHash // room for lines between twigs
	at    int        // how far it is
	begin int        // where the line begins that goes on there
	last  *twig      // the twig before, if the line begins in it
}

func (g *lineGatherer) bom() int {
	if g.begin == 0 {
		return g.t.bom()
	}
	return 0
}

func (g *lineGatherer) node(k *kid) {
	if b := k.branch; b != nil {
		for i := range b.n {
			g.node(&b.kids[i])
		}
		return
	}
	l := k.twig.lineHashes()
	if l.head < 0 {
		g.at, g.last = g.at+k.sum.bytes, nil
		return
	}
	g.line(g.seam(k.twig, l.head-1))
	g.at += k.sum.bytes
	g.begin, g.last = g.at-l.tail, k.twig
	g.all.addOf(l)
}

// seam returns the line that ends in w after its first n bytes, without its end.
func (g *lineGatherer) seam(w *twig, n int) string {
	if tail := g.at - g.begin; g.last != nil && n <= int(w.bytes[0]) {
		if s := g.last.text(g.last.n - 1); tail <= len(s) {
			return strings.TrimSuffix(s[len(s)-tail:]+w.text(0)[:n], "\r")
		}
	}
	return strings.TrimSuffix(g.t.Slice(g.begin+g.bom(), g.at+n), "\r")
}

// line adds the hash of a line.
func (g *lineGatherer) line(s string) {
	if len(g.seams) == cap(g.seams) {
		g.seams = make([]LineHash, 0, 256)
	}
	n := len(g.seams)
	g.seams = append(g.seams, HashLine(s))
	g.all.add(g.seams[n : n+1 : n+1])
}

// addOf is add for the hashes of a twig.
func (l *LineHashes) addOf(t *twigLines) {
	if len(t.hashes) > 0 {
		l.parts = append(l.parts, lineHashPart{l.n, t.hashes})
		l.n += len(t.hashes)
		l.all |= t.traits
	}
}

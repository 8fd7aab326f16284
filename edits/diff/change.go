package diff

import (
	"strings"
)

const (
	// maxTokenBytes is the length up to which text is taken apart into tokens.
	maxTokenBytes = 1 << 10
	// alikePercent is the share of the characters, blanks apart, that has to
	// stay if lines are to be seen as a new version of more or fewer others.
	alikePercent = 66
)

// changeLine makes old, which is at offset at and has no line end, into want.
func (r *rewriter) changeLine(at int, old, want string) {
	r.change(at, old, want, func(at int, old, want string) bool {
		return r.changeTokens(at, old, want, 0) || r.changePhrases(at, old, want)
	})
}

// changeLines makes old, which is at offset at, into want; one has more lines
// than the other. Tokens decide only if that is the same text in other lines:
// of unrelated lines they would keep no more than brackets and commas.
func (r *rewriter) changeLines(at int, old, want string) {
	r.change(at, old, want, func(at int, old, want string) bool {
		return r.changeTokens(at, old, want, alikePercent)
	})
}

// change makes old, which is at offset at, into want. What is between the common
// ends, with the whole of a token that they cut, is left to inner; if that
// reports false, it becomes one edit.
func (r *rewriter) change(at int, old, want string, inner func(at int, old, want string) bool) {
	p, q := CommonEnds(old, want)
	if p+q < min(len(old), len(want)) {
		p0, q0 := max(tokenTail(old, p), tokenTail(want, p)), max(tokenHead(old, len(old)-q), tokenHead(want, len(want)-q))
		p0, q0 = p-p0, q-q0
		if inner(at+p0, old[p0:len(old)-q0], want[p0:len(want)-q0]) {
			return
		}
	}
	r.edit(at+p, at+len(old)-q, want[p:len(want)-q])
}

// changeTokens makes old into want by their tokens. It reports false, and does
// nothing, if that costs too much or too few characters would stay, in percent
// of the shorter text.
func (r *rewriter) changeTokens(at int, old, want string, percent int) bool {
	if max(len(old), len(want)) > maxTokenBytes || r.work == 0 {
		return false
	}
	a, b := tokens(r.cuts[0][:0], old), tokens(r.cuts[1][:0], want)
	r.cuts = [2][]int{a, b}
	match := Unmatched(r.match, len(a)-1)
	r.match = match
	stay := 0
	if !r.heaviest(len(a)-1, len(b)-1, func(i int, ws []int32) {
		x := old[a[i]:a[i+1]]
		for j := range ws {
			ws[j] = 0
			if n := b[j+1] - b[j]; n == len(x) && want[b[j]] == x[0] && want[b[j]:b[j+1]] == x {
				ws[j] = int32(n)
			}
		}
	}, func(i, j int) {
		match[i] = int32(j)
		stay += inked(old[a[i]:a[i+1]])
	}) {
		return false
	}
	if percent > 0 && 100*stay < percent*min(inked(old), inked(want)) {
		return false
	}
	for g := range gaps(match, box{0, len(a) - 1, 0, len(b) - 1}) {
		x, y := old[a[g.a0]:a[g.a1]], want[b[g.b0]:b[g.b1]]
		p, q := CommonEnds(x, y)
		r.edit(at+a[g.a0]+p, at+a[g.a1]-q, y[p:len(y)-q])
	}
	return true
}

// changePhrases makes old into want, which are too long for tokens, by their
// phrases, and what is between those by its tokens. It reports false, and does
// nothing, if they are too short for it to be worth while.
func (r *rewriter) changePhrases(at int, old, want string) bool {
	if r.work == 0 && max(len(old), len(want)) <= maxTokenBytes {
		return false
	}
	thinned := thinning(max(len(old), len(want)))
	a, b := phrases(old, thinned), phrases(want, thinned)
	names := make(numbers, max(len(a), len(b)))
	x, y := names.ofPieces(old, a), names.ofPieces(want, b)
	al := newAligner(&r.weigher, x, y, len(names), func(i int, in box, ws []int32) {
		for k := range ws {
			ws[k] = 0
			if x[i] == y[in.b0+k] {
				ws[k] = int32(a[i+1] - a[i])
			}
		}
	})
	all := box{0, len(x), 0, len(y)}
	al.align(all, 0)
	byTokens := func(at int, old, want string) bool { return r.changeTokens(at, old, want, 0) }
	for g := range gaps(al.match, all) {
		r.change(at+a[g.a0], old[a[g.a0]:a[g.a1]], want[b[g.b0]:b[g.b1]], byTokens)
		if i, j := g.a1, g.b1; i < len(x) && old[a[i]:a[i+1]] != want[b[j]:b[j+1]] {
			r.change(at+a[i], old[a[i]:a[i+1]], want[b[j]:b[j+1]], byTokens)
		}
	}
	return true
}

// inked returns how many bytes of s are not blank.
func inked(s string) int {
	n := len(s)
	for i := range len(s) {
		if strings.IndexByte(" \t\r\n", s[i]) >= 0 {
			n--
		}
	}
	return n
}

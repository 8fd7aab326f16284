package history_test

import (
	"fmt"
	"iter"
	"slices"
	"unicode"
)

// model is a naive history: every character ever seen knows which op inserted it and which
// ops deleted it, and an undone op counts as not done. All characters differ, so that a
// text shows which of them it contains.
type model struct {
	cells []*cell // in the order of the text; those that are gone are among them
	ops   []op
	next  rune

	// orders are texts that existed: characters that occurred in one of them keep their
	// order. Characters that never occurred in one text may be in any order.
	orders [][]rune
}

// op is what the user or an agent changed at once.
type op struct {
	id     string // "" for the user
	hunk   int    // of an agent's edit, each of whose splices is an op
	undone bool
}

type cell struct {
	r    rune
	by   int   // the op that put it there, -1 for the text as first seen
	gone []int // the ops that took it away

	// was is the cell that op by brought back as this one, and took the op that had
	// deleted it. Within one run of the user that is no change at all.
	was  *cell
	took int
}

func newModel(n int) *model {
	m := &model{}
	for range n {
		m.cells = append(m.cells, &cell{r: m.fresh(), by: -1})
	}
	m.remember()
	return m
}

// fresh returns a character that was in no text yet, of one to four bytes.
func (m *model) fresh() rune {
	m.next++
	return []rune{' ', 0x100, 0x4E00, 0x1F300}[m.next%4] + m.next
}

func (m *model) live(o int) bool { return o < 0 || !m.ops[o].undone }

// oneRun reports whether x and y are ops of the user with no edit between them that is not undone.
func (m *model) oneRun(x, y int) bool {
	if min(x, y) < 0 {
		return false
	}
	for o := min(x, y); o <= max(x, y); o++ {
		if m.ops[o].id != "" && !m.ops[o].undone {
			return false
		}
	}
	return m.ops[x].id == "" && m.ops[y].id == ""
}

// there reports whether a cell is in the text after the first n ops, without the undone
// ones and as if op but had not deleted it.
func (m *model) there(c *cell, n, but int) bool {
	if !m.live(c.by) || c.by >= n {
		return false
	}
	if c.was != nil && m.oneRun(c.by, c.took) && !m.there(c.was, n, c.took) {
		return false
	}
	return !slices.ContainsFunc(c.gone, func(o int) bool { return o != but && o < n && m.live(o) })
}

// visible returns the cells of the text now.
func (m *model) visible() []*cell {
	var out []*cell
	for _, c := range m.cells {
		if m.there(c, len(m.ops), -1) {
			out = append(out, c)
		}
	}
	return out
}

func runes(cells []*cell) []rune {
	out := make([]rune, len(cells))
	for i, c := range cells {
		out[i] = c.r
	}
	return out
}

// splice replaces the characters [start,end) of a text by others.
type splice struct {
	start, end int
	put        []rune
}

// do adds an op that makes the splices, which are sorted and do not touch.
func (m *model) do(splices []splice) { m.one(op{}, splices) }

// edit is do for an agent's edit. hunks has the hunk that each splice belongs to.
func (m *model) edit(id string, splices []splice, hunks []int) {
	if len(splices) == 0 {
		m.one(op{id: id}, nil)
	}
	for i, s := range slices.Backward(splices) {
		m.one(op{id: id, hunk: hunks[i]}, []splice{s})
	}
}

func (m *model) one(as op, splices []splice) {
	vis := m.visible()
	m.ops = append(m.ops, as)
	o := len(m.ops) - 1
	for _, s := range slices.Backward(splices) {
		for _, c := range vis[s.start:s.end] {
			c.gone = append(c.gone, o)
		}
		if s.start < s.end && len(s.put) > 0 {
			m.inPlaceOf(runes(vis[s.start:s.end]), s.put)
		}
		at := m.place(vis, s, o)
		for i, r := range s.put {
			m.cells = slices.Insert(m.cells, at+i, &cell{r: r, by: o})
		}
	}
	m.remember()
}

// place returns the index in cells for what a splice inserts: behind what the splice, or
// its run, deleted there; otherwise anywhere in the gap.
func (m *model) place(vis []*cell, s splice, o int) int {
	if s.start < s.end {
		return slices.Index(m.cells, vis[s.end-1]) + 1
	}
	at := 0
	if s.start > 0 {
		at = slices.Index(m.cells, vis[s.start-1]) + 1
	}
	for i := at; i < len(m.cells) && (s.start == len(vis) || m.cells[i] != vis[s.start]); i++ {
		if slices.ContainsFunc(m.cells[i].gone, func(x int) bool { return m.oneRun(x, o) }) {
			at = i + 1
		}
	}
	return at
}

// takeBack adds an op of the user that reverts the last op, or the edit that it is part of.
func (m *model) takeBack() {
	last := len(m.ops) - 1
	in := func(x int) bool { return x == last || x >= 0 && m.isOf(x, m.ops[last].id, 0) }
	m.ops = append(m.ops, op{})
	o := last + 1
	var cells []*cell
	for _, c := range m.cells {
		cells = append(cells, c)
		if in(c.by) {
			c.gone = append(c.gone, o)
		} else if i := slices.IndexFunc(c.gone, in); i >= 0 {
			cells = append(cells, &cell{r: c.r, by: o, was: c, took: c.gone[i]})
		}
	}
	m.cells = cells
	m.remember()
}

// undo takes an edit out, or a hunk of it; 0 is all of them.
func (m *model) undo(id string, hunk int) {
	for o := range m.ops {
		if m.isOf(o, id, hunk) {
			m.ops[o].undone = true
		}
	}
}

func (m *model) isOf(o int, id string, hunk int) bool {
	return id != "" && m.ops[o].id == id && (hunk == 0 || m.ops[o].hunk == hunk)
}

// left returns the hunks of an edit that were not undone.
func (m *model) left(id string) []int {
	var hunks []int
	for _, o := range m.ops {
		if o.id == id && !o.undone {
			hunks = append(hunks, o.hunk)
		}
	}
	return hunks
}

// remember keeps the order of the text now.
func (m *model) remember() { m.orders = append(m.orders, runes(m.visible())) }

// inPlaceOf records that put replaced old: in each order that has all of old, put has the
// same neighbors before and behind.
func (m *model) inPlaceOf(old, put []rune) {
	for _, order := range m.orders {
		first, last, n := -1, -1, 0
		for i, r := range order {
			if slices.Contains(old, r) {
				if n == 0 {
					first = i
				}
				last = i
				n++
			}
		}
		if n == len(old) && len(m.orders) < 500 {
			m.orders = append(m.orders, slices.Concat(order[:first], put, order[last+1:]))
		}
	}
}

// adopt takes over the order of a text if it is a possible one. It returns how the text is
// not possible; "" if it is.
func (m *model) adopt(got []rune) string {
	want := runes(m.visible())
	x, y := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(x, y) {
		return fmt.Sprintf("is %q, want %q", string(got), string(want))
	}
	m.orders = append(m.orders, got)
	if slices.Equal(got, want) {
		return ""
	}
	behind := map[rune]map[rune]bool{} // the characters that must come before a character
	for _, c := range m.cells {
		behind[c.r] = map[rune]bool{}
	}
	for _, order := range m.orders {
		for i := 1; i < len(order); i++ {
			behind[order[i]][order[i-1]] = true
		}
	}
	var sorted []*cell
	for rest := m.cells; len(rest) > 0; {
		i := slices.IndexFunc(rest, func(c *cell) bool { return len(behind[c.r]) == 0 })
		if i < 0 {
			return fmt.Sprintf("is %q, which no order of all characters gives: %q", string(got), m.orders)
		}
		r := rest[i].r
		for _, before := range behind {
			delete(before, r)
		}
		var others []*cell
		for _, c := range rest {
			if c.r == r {
				sorted = append(sorted, c)
			} else {
				others = append(others, c)
			}
		}
		rest = others
	}
	m.cells = sorted
	return ""
}

// overlapped reports whether a later op changed something that an edit, or a hunk of it,
// changed, or right next to it.
func (m *model) overlapped(id string, hunk int) bool {
	last := len(m.ops) - 1
	for !m.isOf(last, id, 0) {
		last--
	}
	for e := range m.ops {
		if m.isOf(e, id, hunk) && (m.overlappedSince(e, last+1) || m.grown(e)) {
			return true
		}
	}
	return false
}

// words returns the characters of the words in which op e changed something, as of the end
// of the edit that e belongs to.
func (m *model) words(e int) map[*cell]bool {
	after := e + 1
	for after < len(m.ops) && m.isOf(after, m.ops[e].id, 0) {
		after++
	}
	in := map[*cell]bool{}
	spread := func(cells iter.Seq2[int, *cell]) {
		inside := false
		for _, c := range cells {
			there := m.there(c, after, -1)
			switch mine := c.by == e || slices.Contains(c.gone, e); {
			case mine:
				inside = inside || isLetter(c.r)
			case there && !isLetter(c.r):
				inside = false
			}
			if inside && there {
				in[c] = true
			}
		}
	}
	spread(slices.All(m.cells))
	spread(slices.Backward(m.cells))
	return in
}

// grown reports whether a word in which op e changed something has letters now, with e or without it, that it had not.
func (m *model) grown(e int) bool {
	words := m.words(e)
	for _, with := range []bool{true, false} {
		ours, others := false, false // in the present word
		for _, c := range m.cells {
			if !m.there(c, len(m.ops), e) || with && slices.Contains(c.gone, e) || !with && c.by == e {
				continue
			}
			mine := c.by == e || words[c] || slices.Contains(c.gone, e)
			ours, others = isLetter(c.r) && (ours || mine), isLetter(c.r) && (others || !mine)
			if ours && others {
				return true
			}
		}
	}
	return false
}

// isLetter reports whether a character of [model.fresh] belongs to a word.
func isLetter(r rune) bool { return r < 0x300 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

func (m *model) overlappedSince(e, since int) bool {
	words := m.words(e)
	for first := since; first < len(m.ops); {
		last := first
		for last+1 < len(m.ops) && (m.oneRun(first, last+1) || m.ops[last+1].undone) {
			last++
		}
		if !m.ops[first].undone && m.touches(e, first, last, words) {
			return true
		}
		first = last + 1
	}
	return false
}

// touches reports whether ops first to last and op e both changed something between two
// characters that ops first to last left alone. words are those that e changed.
func (m *model) touches(e, first, last int, words map[*cell]bool) bool {
	in := func(o int) bool { return first <= o && o <= last && m.live(o) }
	byE, byThem, left := false, false, false
	for _, c := range m.cells {
		if m.there(c, first, -1) && m.there(c, last+1, -1) && !slices.ContainsFunc(c.gone, in) {
			mine := c.by == e || words[c]
			if byThem && (byE || left && mine) {
				return true
			}
			byE, byThem, left = false, false, mine
			continue
		}
		byE = byE || c.by == e || slices.Contains(c.gone, e) || words[c]
		byThem = byThem || in(c.by) || slices.ContainsFunc(c.gone, in)
	}
	return byThem && byE
}

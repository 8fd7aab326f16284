package place

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/patch"
)

// placeOracle finds what texts hunks may produce on a text of a few lines, by trying every
// possibility. It is slow and simple.
type placeOracle struct {
	hunks []patch.Hunk
	text  []oracleLine // before any hunk
}

// oracleText is the lines of a text, and for each hunk placed in it the range of lines it changes.
type oracleText struct {
	lines []oracleLine
	cores map[int][2]int
}

// oracleLine is a line of a text and its origin: its number in the original text, or a
// negative number for a line that a hunk added. seam is the number, from 1, of the last
// hunk that deleted something just above the line.
type oracleLine struct {
	text string
	of   int
	seam int
}

// oracleStep is hunks, by their numbers from 0, that are placed together in one text.
type oracleStep []int

// placesIn returns the lines at which a hunk matches exactly. It may not match what a later hunk made,
// except with its context if it matches nowhere else, neither in this nor in the original text.
func (o placeOracle) placesIn(lines []oracleLine, k int) []int {
	own := func(at int) bool { return !o.standsOnLater(lines, k, at) }
	places := slices.DeleteFunc(o.standsAt(lines, k), func(at int) bool { return o.takesLater(lines, k, at) })
	if slices.ContainsFunc(places, own) || len(o.standsAt(o.text, k)) > 0 {
		return slices.DeleteFunc(places, func(at int) bool { return !own(at) })
	}
	return places
}

// standsAt returns the lines at which a hunk stands.
func (o placeOracle) standsAt(lines []oracleLine, k int) (places []int) {
	old := o.hunks[k].Old()
	for at := 0; at+len(old) <= len(lines); at++ {
		if slices.EqualFunc(lines[at:at+len(old)], old, func(l oracleLine, s string) bool { return l.text == s }) {
			places = append(places, at)
		}
	}
	return places
}

// standsOnLater reports whether hunk k stands on what a later one has made.
func (o placeOracle) standsOnLater(lines []oracleLine, k, at int) bool {
	for i, l := range lines[at : at+len(o.hunks[k].Old())] {
		if l.of < -1-k || i > 0 && l.seam > k+1 {
			return true
		}
	}
	return false
}

// takesLater reports whether hunk k takes out what a later one has added.
func (o placeOracle) takesLater(lines []oracleLine, k, at int) bool {
	for _, c := range o.changes(k, at) {
		if slices.ContainsFunc(lines[c.from:c.to], func(l oracleLine) bool { return l.of < -1-k }) {
			return true
		}
	}
	return false
}

// oracleChange is that the lines [from,to) become others.
type oracleChange struct {
	from, to int
	lines    []oracleLine
	by       int // the number of the hunk
}

// changes returns what hunk k changes at a line.
func (o placeOracle) changes(k, at int) (out []oracleChange) {
	open := false
	for _, l := range o.hunks[k].Lines {
		if l.Kind == patch.KeptLine {
			at, open = at+1, false
			continue
		}
		if !open {
			out, open = append(out, oracleChange{from: at, to: at, by: k}), true
		}
		c := &out[len(out)-1]
		if l.Kind == patch.DeletedLine {
			at++
			c.to++
		} else {
			c.lines = append(c.lines, oracleLine{text: l.Text, of: -1 - k})
		}
	}
	return out
}

// meet reports whether two changes change one line, or one adds inside of what the
// other takes out.
func meet(a, b oracleChange) bool {
	return a.from < b.to && b.from < a.to || a.from == a.to && b.from < a.from && a.from < b.to || b.from == b.to && a.from < b.from && b.from < a.to
}

// together yields the text that results from placing the hunks of a step in t, once for
// each way in which they fit. With inOrder, only the ways that isInOrder accepts count.
func (o placeOracle) together(t oracleText, step oracleStep, inOrder bool, yield func(oracleText)) {
	var all []oracleChange
	var at []int
	var try func(i int)
	try = func(i int) {
		if i == len(step) {
			if !inOrder || o.isInOrder(t, step, all) {
				yield(t.after(o.apply(t.lines, all), all))
			}
			return
		}
		k := step[i]
	places:
		for _, place := range o.placesIn(t.lines, k) {
			own := o.changes(k, place)
			for j := range all {
				for _, c := range own {
					if meet(all[j], c) {
						continue places
					}
				}
			}
			for j, other := range at { // a hunk that is sent twice is not placed twice at the same lines
				if other == place && slices.Equal(o.hunks[step[j]].Lines, o.hunks[k].Lines) {
					continue places
				}
			}
			n := len(all)
			all, at = append(all, own...), append(at, place)
			try(i + 1)
			all, at = all[:n], at[:i]
		}
	}
	try(0)
}

// coresWith returns the ranges of the hunks placed so far, including those that make changes.
func (t oracleText) coresWith(changes []oracleChange) map[int][2]int {
	cores := maps.Clone(t.cores)
	for _, c := range changes {
		core, ok := cores[c.by]
		if !ok {
			core = [2]int{c.from, c.to}
		}
		cores[c.by] = [2]int{core[0], c.to}
	}
	return cores
}

// isInOrder reports whether each hunk of the step that has several places lies between the
// nearest placed hunks before and after it in the patch. An unplaced hunk counts as placed
// if it has exactly one place and no equal hunk is placed.
func (o placeOracle) isInOrder(t oracleText, step oracleStep, changes []oracleChange) bool {
	cores := t.coresWith(changes)
	for k := range o.hunks {
		like := func(j int) bool { return slices.Equal(o.hunks[j].Lines, o.hunks[k].Lines) }
		if _, placed := cores[k]; placed || slices.ContainsFunc(slices.Collect(maps.Keys(cores)), like) {
			continue
		}
		if places := o.placesIn(t.lines, k); len(places) == 1 {
			all := o.changes(k, places[0])
			cores[k] = [2]int{all[0].from, all[len(all)-1].to}
		}
	}
	for _, k := range step {
		if len(o.placesIn(t.lines, k)) < 2 {
			continue
		}
		j := k - 1
		for ; j >= 0; j-- {
			if core, is := cores[j]; is {
				if core[1] > cores[k][0] {
					return false
				}
				break
			}
		}
		for j = k + 1; j < len(o.hunks); j++ {
			if core, is := cores[j]; is {
				if core[0] < cores[k][1] {
					return false
				}
				break
			}
		}
	}
	return true
}

// after returns t after changes, with lines as its new lines.
func (t oracleText) after(lines []oracleLine, changes []oracleChange) oracleText {
	out := oracleText{lines: lines, cores: t.coresWith(changes)}
	for k, core := range out.cores {
		moved := core
		for _, c := range changes {
			grows := len(c.lines) - (c.to - c.from)
			if c.from < core[0] {
				moved[0] += grows
			}
			if c.from < core[1] || c.from == core[1] && c.to == c.from {
				moved[1] += grows
			}
		}
		out.cores[k] = moved
	}
	return out
}

// apply makes changes that do not meet.
func (o placeOracle) apply(lines []oracleLine, changes []oracleChange) []oracleLine {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b oracleChange) int {
		return cmp.Or(a.from-b.from, min(1, a.to-a.from)-min(1, b.to-b.from)) // an insertion at a line goes above the line
	})
	var out []oracleLine
	at, seam := 0, 0
	put := func(lines []oracleLine) {
		for _, l := range lines {
			l.seam = max(l.seam, seam)
			out, seam = append(out, l), 0
		}
	}
	for _, c := range changes {
		put(lines[at:c.from])
		if c.from < c.to {
			seam = max(seam, lines[c.from].seam)
		}
		put(c.lines)
		if at = c.to; c.from < c.to && len(c.lines) == 0 {
			seam = max(seam, c.by+1)
		}
	}
	put(lines[at:])
	return out
}

// results returns what steps, one after the other, may come to.
func (o placeOracle) results(t oracleText, steps []oracleStep, inOrder bool) [][]oracleLine {
	if len(steps) == 0 {
		return [][]oracleLine{t.lines}
	}
	var out [][]oracleLine
	o.together(t, steps[0], inOrder, func(after oracleText) {
		out = append(out, o.results(after, steps[1:], inOrder)...)
	})
	return out
}

// areApart reports whether hunks produce the same texts however they are split into steps
// and in whatever order they are placed. ways are the texts of a single step.
func (o placeOracle) areApart(t oracleText, hunks oracleStep, ways [][]oracleLine) bool {
	for _, steps := range o.schemes(hunks) {
		others := o.results(t, steps, false)
		if len(others) == 0 || !within(others, ways) || !within(ways, others) {
			return false
		}
	}
	return true
}

// isTold reports whether, for some split into steps, got is the only text that the hunks
// produce in order.
func (o placeOracle) isTold(t oracleText, hunks oracleStep, got string) bool {
	return slices.ContainsFunc(o.schemes(hunks), func(steps []oracleStep) bool {
		can := texts(o.results(t, steps, true))
		return len(can) == 1 && can[0] == got
	})
}

// within reports whether all of some ways are among others.
func within(some, others [][]oracleLine) bool {
	for _, way := range some {
		if !slices.ContainsFunc(others, func(other []oracleLine) bool { return slices.Equal(way, other) }) {
			return false
		}
	}
	return true
}

// schemes returns all ways to place n hunks in steps, that in one step first.
func (o placeOracle) schemes(pending oracleStep) [][]oracleStep {
	if len(pending) == 0 {
		return [][]oracleStep{nil}
	}
	var out [][]oracleStep
	for mask := 1<<len(pending) - 1; mask > 0; mask-- {
		var step, rest oracleStep
		for i, k := range pending {
			if mask>>i&1 == 1 {
				step = append(step, k)
			} else {
				rest = append(rest, k)
			}
		}
		for _, more := range o.schemes(rest) {
			out = append(out, append([]oracleStep{step}, more...))
		}
	}
	return out
}

// linesOf returns the lines of a text.
func linesOf(lines []string) []oracleLine {
	out := make([]oracleLine, len(lines))
	for i, l := range lines {
		out[i] = oracleLine{text: l, of: i}
	}
	return out
}

// texts returns the different texts that ways come to.
func texts(ways [][]oracleLine) []string {
	var out []string
	for _, way := range ways {
		var b strings.Builder
		for _, l := range way {
			b.WriteString(l.text + "\n")
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

package command

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// lineFinder finds, in one scan of a text, all places of several lists of lines:
// an automaton (Aho and Corasick) whose letters are lines. Its cost is that of
// the text and of the lists, whatever they are made of. It is for what is too
// much for a [lineSearch].
type lineFinder struct {
	fold  match.Fold
	exact bool
	lines map[string]int32 // by key: the number of the line
	next  map[uint64]int32 // from a state and a line to a state
	fail  []int32          // by state: the longest proper end of it that is a state
	ends  [][]int32        // by state: the lists that end there
	up    []int32          // by state: the next one along fail that has ends
}

// maxLinePlaces bounds the places that are kept of one list, and all in all. Equal lists
// share theirs; maxOwnPlaces bounds what hunks with equal lists have by themselves.
const (
	maxLinePlaces = 1 << 16
	maxAllPlaces  = 1 << 21
	maxOwnPlaces  = 1 << 24
)

// findLines returns for each list the lines of t, from 0, at which it stands
// under a fold, or, if exact, byte for byte: the first maxLinePlaces, if there are so
// many. An empty list has no place. It is nil if there are too many places in all.
func findLines(t text.Text, lists [][]string, f match.Fold, exact bool) [][]int32 {
	return new(seenLines).findLines(t, lists, f, exact)
}

// findLines is findLines for one who asks again.
func (seen *seenLines) findLines(t text.Text, lists [][]string, f match.Fold, exact bool) [][]int32 {
	if seen == nil {
		seen = new(seenLines)
	}
	lists, number := distinct(lists)
	places, ok := seen.findByHash(t, lists, f, exact)
	if !ok {
		places = findByAutomaton(t, lists, f, exact)
	}
	if places == nil {
		return nil
	}
	all := make([][]int32, len(number))
	for i, n := range number {
		all[i] = places[n]
	}
	return all
}

// distinct returns the lists without those that are equal to one before them, and for
// each of all lists the number of its equal there.
func distinct(lists [][]string) (out [][]string, number []int) {
	seed := maphash.MakeSeed()
	byHash := make(map[uint64]int, len(lists)) // of lists with one hash, the last
	out, number = make([][]string, 0, len(lists)), make([]int, len(lists))
	for i, list := range lists {
		hash := uint64(len(list))
		for _, line := range list {
			hash = bits.RotateLeft64(hash, 1) ^ maphash.String(seed, line)
		}
		n, ok := byHash[hash]
		if !ok || !slices.Equal(out[n], list) {
			n = len(out)
			byHash[hash], out = n, append(out, list)
		}
		number[i] = n
	}
	return out, number
}

// findByAutomaton is [findLines] by a [lineFinder].
func findByAutomaton(t text.Text, lists [][]string, f match.Fold, exact bool) [][]int32 {
	lf := lineFinder{fold: f, exact: exact, lines: make(map[string]int32, len(lists)), next: map[uint64]int32{}, fail: []int32{0}, ends: [][]int32{nil}}
	for i, list := range lists {
		if len(list) > 0 {
			lf.add(list, int32(i))
		}
	}
	lf.link()
	return lf.scan(t, lists)
}

// key returns what two lines have in common if they are equal under the fold.
func (lf *lineFinder) key(line string) string {
	if lf.exact {
		return line
	}
	return lf.fold.Line(line)
}

func (lf *lineFinder) add(list []string, number int32) {
	state := int32(0)
	for _, line := range list {
		key := lf.key(line)
		id, ok := lf.lines[key]
		if !ok {
			id = int32(len(lf.lines))
			lf.lines[key] = id
		}
		edge := uint64(state)<<32 | uint64(id)
		to, ok := lf.next[edge]
		if !ok {
			to = int32(len(lf.fail))
			lf.next[edge] = to
			lf.fail = append(lf.fail, 0)
			lf.ends = append(lf.ends, nil)
		}
		state = to
	}
	lf.ends[state] = append(lf.ends[state], number)
}

// link sets fail and up, shorter states first.
func (lf *lineFinder) link() {
	type edge struct{ from, line, to int32 }
	byFrom := make([][]edge, len(lf.fail))
	for e, to := range lf.next {
		from := int32(e >> 32)
		byFrom[from] = append(byFrom[from], edge{from, int32(uint32(e)), to})
	}
	lf.up = make([]int32, len(lf.fail))
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		for _, e := range byFrom[queue[0]] {
			queue = append(queue, e.to)
			if e.from == 0 {
				continue
			}
			f := lf.step(lf.fail[e.from], e.line)
			lf.fail[e.to] = f
			if lf.up[e.to] = lf.up[f]; len(lf.ends[f]) > 0 {
				lf.up[e.to] = f
			}
		}
	}
}

// step returns the state after a line.
func (lf *lineFinder) step(state, line int32) int32 {
	for {
		if to, ok := lf.next[uint64(state)<<32|uint64(uint32(line))]; ok {
			return to
		}
		if state == 0 {
			return 0
		}
		state = lf.fail[state]
	}
}

func (lf *lineFinder) scan(t text.Text, lists [][]string) [][]int32 {
	places := make([][]int32, len(lists))
	all, state, i := 0, int32(0), int32(-1)
	for line := range contents(t) {
		i++
		id, ok := lf.lines[lf.key(line)]
		if !ok {
			state = 0
			continue
		}
		state = lf.step(state, id)
		at := state
		if len(lf.ends[at]) == 0 {
			at = lf.up[at]
		}
		for ; at != 0; at = lf.up[at] {
			for _, list := range lf.ends[at] {
				if len(places[list]) < maxLinePlaces {
					if all == maxAllPlaces {
						return nil
					}
					places[list] = append(places[list], i+1-int32(len(lists[list])))
					all++
				}
			}
		}
	}
	return places
}

// contents yields the lines of t without their line ends.
func contents(t text.Text) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var open strings.Builder // a line that began in a run before
		at := 0
		for run := range t.Runs() {
			if at == 0 {
				at, run = len(run), strings.TrimPrefix(run, text.BOM)
			}
			for run != "" {
				line := diff.FirstLine(run)
				run = run[len(line):]
				if open.Len() > 0 || !diff.EndsLine(line) {
					open.WriteString(line)
					if !diff.EndsLine(line) {
						break
					}
					line = open.String()
					open.Reset()
				}
				if !yield(line[:len(line)-len(text.Terminator(line))]) {
					return
				}
			}
		}
		if open.Len() > 0 {
			yield(open.String())
		}
	}
}

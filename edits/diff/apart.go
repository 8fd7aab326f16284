package diff

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits/text"
)

// Most new versions of a long text differ from it in few places. Those are found
// without numbering all lines: from a change on, lines are looked up only until both
// sides run equal again, and what is equal is passed over as bytes.

const (
	// minApart is the length in bytes from which the short way is worth while: to
	// number the lines of less takes no time that anybody feels.
	minApart = 1 << 14
	// minRun is how many bytes are to be equal where both sides run equal again:
	// more than is there twice by chance.
	minRun = 1 << 9
	// nearLines are looked through after a change, then more, and farLines at most.
	nearLines, moreLines, farLines = 1 << 4, 1 << 3, 1 << 10
	// windowBytes bounds what is looked through, for each line that may be.
	windowBytes = 1 << 7
)

// apart finds the places where two texts differ, if these are apart.
type apart struct {
	old, want string
	left      int            // bytes that may still be looked through
	at        map[uint64]int // reused: where in want the first line with this hash begins
}

// placesApart returns the places where old and want differ, as offsets, old and want
// having neither their first nor their last line in common. It reports false if they
// do not run equal again soon after each change, or if that leaves a line to go from
// one place and to come in another. So where it reports true, no other choice of the
// lines that stay could keep more of them.
func placesApart(old, want string) ([]box, bool) {
	if min(len(old), len(want)) < minApart {
		return nil, false
	}
	// Half of the text: to number all of it does not take much more.
	ap := apart{old: old, want: want, left: (len(old) + len(want)) / 2, at: map[uint64]int{}}
	var places []box
	for i, j := 0, 0; i < len(old) || j < len(want); {
		x, ok := ap.place(i, j)
		if !ok {
			return nil, false
		}
		p, q := equalHead(old[x.a1:], want[x.b1:])
		i, j = x.a1+p, x.b1+q
		a, b := cutEqualTail(old[x.a0:x.a1], want[x.b0:x.b1])
		places = append(places, box{x.a0, x.a0 + len(a), x.b0, x.b0 + len(b)})
	}
	return places, !moves(old, want, places)
}

// place returns the place that begins at offset i of old and j of want.
func (ap *apart) place(i, j int) (box, bool) {
	rest := box{i, len(ap.old), j, len(ap.want)}
	if i == rest.a1 || j == rest.b1 {
		return rest, true
	}
	for n := nearLines; n <= farLines && ap.left > 0; n *= moreLines {
		clear(ap.at)
		var oldEnds, newEnds bool
		for at, hash := range ap.lines(ap.want, j, n, &newEnds) {
			if _, ok := ap.at[hash]; !ok {
				ap.at[hash] = at
			}
		}
		for from, hash := range ap.lines(ap.old, i, n, &oldEnds) {
			at, ok := ap.at[hash]
			if !ok {
				continue
			}
			// The last line that is compared may be cut off, and not count.
			const most = 2 * minRun
			p, _ := equalHead(ap.old[from:min(len(ap.old), from+most)], ap.want[at:min(len(ap.want), at+most)])
			if p >= minRun {
				return box{i, from, j, at}, true
			}
		}
		if oldEnds || newEnds {
			return rest, true
		}
	}
	return box{}, false
}

// lines yields where up to n lines of s from offset i on begin, and the hashes of their
// cores. It says whether there are no more.
func (ap *apart) lines(s string, i, n int, end *bool) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		from, to := i, min(len(s), i+n*windowBytes)
		at := from
		defer func() { ap.left -= at - from }()
		for ; n > 0; n-- {
			core, next := lineCore(s[:to], at)
			if next == at || next == to && to < len(s) || !yield(at, hashOf(core)) {
				break // the line may go on
			}
			at = next
		}
		*end = at == len(s)
	}
}

// moves reports whether a line goes from one place and comes in another. Lines
// without a letter or a digit do not count, for all texts are full of them. Much
// text in the places counts as if it did.
func moves(old, want string, places []box) bool {
	if len(places) == 1 {
		return false
	}
	size := 0
	for _, x := range places {
		size += x.a1 - x.a0 + x.b1 - x.b0
	}
	if size > (len(old)+len(want))/4 {
		return true
	}
	here, before := map[uint64]int{}, map[uint64]bool{} // how many more come than go; whether they come
	count := func(lines string, n int) {
		for i := 0; i < len(lines); {
			core, next := lineCore(lines, i)
			if strings.ContainsFunc(core, isWord) {
				here[hashOf(core)] += n
			}
			i = next
		}
	}
	for _, x := range places {
		clear(here)
		count(old[x.a0:x.a1], -1)
		count(want[x.b0:x.b1], 1)
		for hash, n := range here {
			if n == 0 {
				continue
			}
			if come, ok := before[hash]; ok && come != (n > 0) {
				return true
			}
			before[hash] = n > 0
		}
	}
	return false
}

func isWord(r rune) bool { return r >= utf8.RuneSelf || classes[r] == word }

// lineCore returns the line at offset i of s without its line end and the blanks
// around it, and where the next one begins.
func lineCore(s string, i int) (core string, next int) {
	line := FirstLine(s[i:])
	_, core, _ = CutBlanks(line[:len(line)-len(text.Terminator(line))])
	return core, i + len(line)
}

package nearest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/diff"
)

const (
	// maxShifts bounds the places at which a fragment may begin, and end, in a window.
	maxShifts = 4
	// minFragmentSlack is how many bytes around a window are looked at in any case.
	minFragmentSlack = 12
)

// fragment returns the stretch of the text, about w and within [from,to), that is nearest
// to old, which is a part of a line. Each gram that old has once says where in the text it
// begins and ends, if it is unchanged up to there; of what most say the best is taken.
func (s *search) fragment(g *grams, w window, from, to int) region {
	before, core, _ := diff.CutBlanks(s.old)
	at := map[uint32]int{} // in core, of the grams that old has once
	for i := 0; i+g.size <= min(len(s.old), maxGramBytes); i++ {
		gram := g.at(s.old, i)
		if n, known := g.number[gram]; known && g.need[n] == 1 {
			at[gram] = i - len(before)
		}
	}
	count := map[int]int{w.from: 0} // by where old begins: how many grams say so
	slack := len(core)/4 + minFragmentSlack
	for i := max(from, w.from-slack); i+g.size <= min(to, w.to+slack); i++ {
		if k, once := at[g.at(s.s, i)]; once {
			count[i-k]++
		}
	}
	begins := slices.SortedFunc(maps.Keys(count), func(a, b int) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	begins = begins[:min(len(begins), maxShifts)]
	var best region
	for _, begin := range begins {
		for _, other := range begins {
			start, end := max(from, begin), min(to, other+len(core))
			if start >= min(end, w.to) || end <= w.from {
				continue
			}
			r := s.snap(runeStart(s.s, start), runeEnd(s.s, end))
			s.work -= r.end - r.start + len(s.old)
			if r.similarity = s.alike.of(s.old, s.s[r.start:r.end]); r.similarity > best.similarity {
				best = r
			}
		}
	}
	return best
}

// snap returns [start,end) with the blanks around it that belong to it: those of the line
// where old has blanks there too, none otherwise.
func (s *search) snap(start, end int) region {
	inner := strings.Trim(s.s[start:end], " \t\r\n")
	if inner == "" {
		return region{start: start, end: start}
	}
	start += strings.Index(s.s[start:end], inner)
	end = start + len(inner)
	if diff.IsBlank(s.old[0]) {
		for start > 0 && diff.IsBlank(s.s[start-1]) {
			start--
		}
	}
	if diff.IsBlank(s.old[len(s.old)-1]) {
		for end < len(s.s) && diff.IsBlank(s.s[end]) {
			end++
		}
	}
	return region{start: start, end: end}
}

package edits

import (
	"cmp"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// lineSearch finds all places of several lists of lines by the hashes of lines
// that a text keeps: one pass over those for a rare line of each list, a look
// at the hashes around where it is, and at the lines themselves where all agree.
type lineSearch struct {
	lineFinder // for its keys
	t          text.Text
	lists      [][]string
	hashes     *text.LineHashes
	want       [][]text.LineHash // by list, without traits
	places     [][]int32
	all, work  int
	folded     map[int]text.LineHash // of lines that are not ASCII, if they have to be

	anchors map[text.LineHash][]listLine
	some    []uint64 // bit set of the hashes of anchors: most looks end here
}

// listLine is a line of a list.
type listLine struct{ list, line int32 }

// maxFoldedShare is how many lines, one in so many, may have to be folded one by one.
const maxFoldedShare = 16

// foldedLines are the hashes of lines that are not ASCII, under a fold that looks
// at characters. Such folds differ in blanks alone, which hashes pass over.
type foldedLines struct {
	t    text.Text
	hash map[int]text.LineHash // by line
}

// findByHash is [findLines], but gives up where the text or the lists are such that
// the other way is faster.
func (seen *foldedLines) findByHash(t text.Text, lists [][]string, f fold, exact bool) ([][]int32, bool) {
	s := lineSearch{lineFinder: lineFinder{fold: f, exact: exact}, t: t, lists: lists, hashes: t.LineHashes()}
	if f.unicode && !exact && s.hashes.Any(text.NonASCII) {
		s.folded = seen.of(t)
	}
	s.places = make([][]int32, len(lists))
	s.anchor()
	ok := true
	s.hashes.Parts(func(first int, hashes []text.LineHash) bool {
		ok = s.part(first, hashes)
		return ok
	})
	return s.places, ok
}

// of returns the hashes of t, as far as they are known.
func (seen *foldedLines) of(t text.Text) map[int]text.LineHash {
	if seen.t != t || seen.hash == nil {
		seen.t, seen.hash = t, map[int]text.LineHash{}
	}
	return seen.hash
}

// core returns the hash of the key of line i, whose own hash is h. Only the keys of
// lines that are not ASCII have other characters than those.
func (s *lineSearch) core(i int, h text.LineHash) text.LineHash {
	if s.folded == nil || h&text.NonASCII == 0 {
		return h.Core()
	}
	hash, ok := s.folded[i]
	if !ok {
		hash = text.HashLine(s.key(lineAt(Source{Text: s.t}, i))).Core()
		s.folded[i] = hash
	}
	return hash
}

// anchor chooses the line by which each list is found: the longest of those that
// are least often in the lists, since what many of them have is common in the text.
func (s *lineSearch) anchor() {
	s.want = make([][]text.LineHash, len(s.lists))
	often := map[text.LineHash]int32{}
	for i, list := range s.lists {
		s.want[i] = make([]text.LineHash, len(list))
		for k, line := range list {
			h := text.HashLine(s.key(line)).Core()
			s.want[i][k] = h
			often[h]++
		}
	}
	s.anchors = make(map[text.LineHash][]listLine, len(s.lists))
	size := 1 << 6
	for size < len(s.lists) {
		size *= 2
	}
	s.some = make([]uint64, size)
	for i, list := range s.lists {
		if len(list) == 0 {
			continue
		}
		best := 0
		for k, h := range s.want[i] {
			if c := cmp.Compare(often[h], often[s.want[i][best]]); c < 0 || c == 0 && len(list[k]) > len(list[best]) {
				best = k
			}
		}
		h := s.want[i][best]
		s.anchors[h] = append(s.anchors[h], listLine{int32(i), int32(best)})
		word, bit := s.bit(h)
		s.some[word] |= bit
	}
}

func (s *lineSearch) bit(h text.LineHash) (word int, bit uint64) {
	return int(h>>14) & (len(s.some) - 1), 1 << (h >> 8 & 63)
}

// part looks for anchors among the hashes of the lines from first on. It reports
// whether to go on.
func (s *lineSearch) part(first int, hashes []text.LineHash) bool {
	for i, h := range hashes {
		if s.folded != nil {
			h = s.core(first+i, h)
		}
		if word, bit := s.bit(h); s.some[word]&bit == 0 {
			continue
		}
		for _, a := range s.anchors[h.Core()] {
			s.try(a, first, i, hashes)
		}
		if len(s.folded) > s.hashes.Len()/maxFoldedShare+maxFoldedShare {
			return false
		}
		if s.all > maxAllPlaces || s.work > 1<<16+8*(first+i) {
			return false
		}
	}
	return true
}

// try notes the place that a list has if its line is line i of the part.
func (s *lineSearch) try(a listLine, first, i int, hashes []text.LineHash) {
	want := s.want[a.list]
	at := first + i - int(a.line)
	if at < 0 || at+len(want) > s.hashes.Len() || len(s.places[a.list]) >= maxLinePlaces {
		return
	}
	for k, w := range want {
		s.work++
		var h text.LineHash
		if j := at + k - first; j >= 0 && j < len(hashes) {
			h = hashes[j]
		} else {
			h = s.hashes.At(at + k)
		}
		if s.core(at+k, h) != w {
			return
		}
	}
	s.work += 8 * len(want)
	if s.reads(at, s.lists[a.list]) {
		s.places[a.list] = append(s.places[a.list], int32(at))
		s.all++
	}
}

// reads reports whether the lines from line at on have the keys of lines.
func (s *lineSearch) reads(at int, lines []string) bool {
	there := s.t.Slice(s.t.Line(at).Start, s.t.Line(at+len(lines)-1).End)
	for i, want := range lines {
		line := there
		if i+1 < len(lines) {
			end := strings.IndexByte(there, '\n')
			line, there = strings.TrimSuffix(there[:end], "\r"), there[end+1:]
		}
		if line != want && s.key(line) != s.key(want) {
			return false
		}
	}
	return true
}

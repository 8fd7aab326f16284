package command

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// lineSearch finds all places of several lists of lines by the hashes of lines
// that a text keeps: one pass over those for a rare line of each list, a look
// at the hashes around where it is, and at the lines themselves where all agree.
type lineSearch struct {
	lineFinder // for its keys
	t          text.Text
	lists      [][]string
	total      int // of lines in the lists
	hashes     *text.LineHashes
	want       [][]text.LineHash // by list, without traits
	anchors    []int32           // by list: the line by which it is found
	places     [][]int32
	all, work  int
	sites      *lineSites
	folded     map[int]text.LineHash // of lines that are not ASCII, if they have to be
}

const (
	// maxFoldedShare is how many lines, one in so many, may have to be folded one by one.
	maxFoldedShare = 16
	// fewLines is up to how many lines of lists are all looked for, so that other
	// lists which have some of them need no pass of their own.
	fewLines = 1 << 6
	// fewSites is how many places a known line may have to be preferred to one that
	// has to be looked for.
	fewSites = 1 << 4
	// longAnchor is the length in bytes from which a line is seldom there by chance.
	longAnchor = 1 << 4
)

// findByHash is [findLines], but gives up where the text or the lists are such that
// the other way is faster.
func (seen *seenLines) findByHash(t text.Text, lists [][]string, f match.Fold, exact bool) ([][]int32, bool) {
	seen.of(t)
	s := lineSearch{
		lineFinder: lineFinder{fold: f, exact: exact}, t: t, lists: lists, hashes: t.LineHashes(),
		sites: &seen.plain, places: make([][]int32, len(lists)), anchors: make([]int32, len(lists)),
	}
	if f.Unicode && !exact && s.hashes.Any(text.NonASCII) {
		s.sites, s.folded = &seen.folded, seen.hash
	}
	s.hash()
	if s.anchor(1); !s.look() {
		return nil, false
	}
	if s.total <= fewLines {
		s.anchor(3) // now it is known which lines are rare
	}
	for i := range lists {
		if !s.list(i) {
			return nil, false
		}
	}
	return s.places, true
}

// hash makes the hashes of the lists.
func (s *lineSearch) hash() {
	for _, list := range s.lists {
		s.total += len(list)
	}
	all := make([]text.LineHash, 0, s.total)
	s.want = make([][]text.LineHash, len(s.lists))
	for i, list := range s.lists {
		from := len(all)
		for _, line := range list {
			all = append(all, text.HashLine(s.key(line)).Core())
		}
		s.want[i] = all[from:]
	}
}

// core returns the hash of the key of line i, whose own hash is h. Only the keys of
// lines that are not ASCII have other characters than those.
func (s *lineSearch) core(i int, h text.LineHash) text.LineHash {
	if s.folded == nil || h&text.NonASCII == 0 {
		return h.Core()
	}
	hash, ok := s.folded[i]
	if !ok {
		hash = text.HashLine(s.key(lineAt(source{Source: edits.Source{Text: s.t}}, i))).Core()
		s.folded[i] = hash
	}
	return hash
}

// anchor chooses the line by which each list is found: one that is known to be rare
// in the text; else one of those that are least often in the lists, since what many of
// them have is common in the text. Of these it is a line at an end of the list if that
// is long, since other lists of the same hunk begin and end with it as well; else the
// longest. Known lines that are not rare rank 2, and those that are not known as is
// said.
func (s *lineSearch) anchor(unknown int) {
	often := make([]uint16, 1<<bits.Len(uint(8*s.total))) // by some bits of the hash, so it is sometimes too much
	bucket := func(h text.LineHash) *uint16 { return &often[int(h>>8)&(len(often)-1)] }
	for _, want := range s.want {
		for _, h := range want {
			*bucket(h)++
		}
	}
	for i, want := range s.want {
		var best [4]int
		for k, h := range want {
			size, inner := len(s.lists[i][k]), 1
			if (k == 0 || k == len(want)-1) && size >= longAnchor {
				inner = 0
			}
			rank := [4]int{unknown, max(2, int(*bucket(h))), inner, -size}
			if lines, known := s.sites.of(h); known && len(lines) <= fewSites {
				rank = [4]int{0, len(lines)}
			} else if known {
				rank = [4]int{2, len(lines)}
			}
			if k == 0 || slices.Compare(rank[:], best[:]) < 0 {
				best, s.anchors[i] = rank, int32(k)
			}
			if best[0] == 0 && best[1] <= 1 {
				break // none is better
			}
		}
	}
}

// look looks for the anchors that are not known yet; if there are any, and the lists
// are short, for all their lines that may tell something.
func (s *lineSearch) look() bool {
	anchors := s.unknown(func(list, line int) bool { return int32(line) == s.anchors[list] })
	if len(anchors) == 0 {
		return true
	}
	if s.total <= fewLines {
		anchors = append(anchors, s.unknown(func(list, line int) bool { return isTelling(s.lists[list][line]) })...)
	}
	if s.folded == nil {
		return s.sites.look(s.hashes, anchors, nil)
	}
	return s.sites.look(s.hashes, anchors, func(line int) (text.LineHash, bool) {
		return s.core(line, text.NonASCII), len(s.folded) <= s.hashes.Len()/maxFoldedShare+maxFoldedShare
	})
}

// minTelling is how long a line must be, without the blanks around it, to tell where it is:
// shorter ones are everywhere.
const minTelling = 4

func isTelling(line string) bool { return len(blanksFold.Line(line)) >= minTelling }

// unknown returns the hashes of those of some lines whose places are not known.
func (s *lineSearch) unknown(some func(list, line int) bool) []text.LineHash {
	var out []text.LineHash
	for i, want := range s.want {
		for k, h := range want {
			if !some(i, k) {
				continue
			}
			if _, known := s.sites.of(h); !known {
				out = append(out, h)
			}
		}
	}
	return out
}

// list finds the places of list i, where its anchor is. It reports whether to go on.
func (s *lineSearch) list(i int) bool {
	want := s.want[i]
	if len(want) == 0 {
		return true
	}
	anchors, _ := s.sites.of(want[s.anchors[i]])
	for _, line := range anchors {
		if len(s.places[i]) == maxLinePlaces {
			break
		}
		if at := int(line - s.anchors[i]); s.stands(i, at) {
			s.places[i] = append(s.places[i], int32(at))
			s.all++
		}
		if s.all > maxAllPlaces || s.work > 1<<16+8*s.hashes.Len() {
			return false
		}
	}
	return true
}

// stands reports whether list i stands at line at.
func (s *lineSearch) stands(i, at int) bool {
	want := s.want[i]
	if at < 0 || at+len(want) > s.hashes.Len() {
		return false
	}
	first, part := 0, []text.LineHash(nil)
	for k, w := range want {
		s.work++
		if at+k >= first+len(part) {
			first, part = s.hashes.Part(at + k)
		}
		if s.core(at+k, part[at+k-first]) != w {
			return false
		}
	}
	s.work += 8 * len(want)
	return s.reads(at, s.lists[i])
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

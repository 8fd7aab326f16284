package match

import (
	"cmp"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// MaxPlaces bounds the places that a [Finder] gives of one list of lines, and MaxAllPlaces those of all lists together.
const (
	MaxPlaces    = 1 << 16
	MaxAllPlaces = 1 << 21
)

// looksEvery is how many lines a search compares before it checks again whether its command has ended.
const looksEvery = 1 << 16

// Finder finds where lists of lines stand in a text. One pass over the line hashes that the
// text keeps finds a rare line of each list; then the lines around each place of that line are
// compared. The zero value is ready to use. A Finder is not safe for concurrent use.
type Finder struct {
	t text.Text
	// hashes remembers, by line, the hashes that lines which are not ASCII have under a fold with Unicode; 0 if not known
	// yet. Such folds differ from each other only in blanks, which hashes pass over.
	hashes []text.LineHash
}

// Find returns, for each list, the lines of t, from 0 and in order, at which the list stands under a fold: the first
// MaxPlaces, if there are so many. An empty list has no place. The result is nil if there are more than MaxAllPlaces in all.
// Equal lists share their places, which must not be written. A text of equal lines can take long, so Find returns what it
// has found when w ends; the caller must ask w.
func (f *Finder) Find(t text.Text, sought [][]string, fold Fold, w *edits.Work) [][]int32 {
	if f.t != t {
		*f = Finder{t: t}
	}
	s := search{Finder: f, fold: fold, work: w, cache: t.LineHashes()}
	number := make([]int, len(sought)) // the index of each list in s.lists
	known := make(map[string]int, len(sought))
	for i, list := range sought {
		key := strings.Join(list, "\n")
		n, again := known[key]
		if !again || len(s.lists[n]) != len(list) {
			n = len(s.lists)
			known[key], s.lists = n, append(s.lists, list)
		}
		number[i] = n
	}
	places := s.find()
	if places == nil {
		return nil
	}
	return lists.Map(number, func(n int) []int32 { return places[n] })
}

// search is one call of [Finder.Find].
type search struct {
	*Finder
	fold     Fold
	lists    [][]string
	want     [][]text.LineHash // by list and line, without [text.NonASCII]
	cache    *text.LineHashes
	work     *edits.Work
	compared int  // lines compared since the work was last checked
	over     bool // the work has ended
}

// find returns the places of the lists, nil if there are too many.
func (s *search) find() [][]int32 {
	often := map[text.LineHash]int{}
	for _, list := range s.lists {
		want := make([]text.LineHash, len(list))
		for k, line := range list {
			want[k] = text.HashLine(s.fold.Line(line)).Core()
			often[want[k]]++
		}
		s.want = append(s.want, want)
	}
	rare := make([]int, len(s.lists))
	by := map[text.LineHash][]int{} // the lists, by the hash of their rare line
	var some [1 << 16]bool          // by the high bits of a hash; it rules out most lines
	for i, want := range s.want {
		if len(want) > 0 {
			rare[i] = s.rare(i, often)
			h := want[rare[i]]
			by[h], some[h>>16] = append(by[h], i), true
		}
	}
	places, all := make([][]int32, len(s.lists)), 0
	if len(by) == 0 {
		return places
	}
	for line, h := range s.cache.All {
		if h = s.hash(line, h); !some[h>>16] {
			continue
		}
		for _, i := range by[h.Core()] {
			if len(places[i]) == MaxPlaces {
				continue
			}
			at := line - rare[i]
			stands := s.stands(i, at)
			if s.over {
				return places
			}
			if !stands {
				continue
			}
			places[i] = append(places[i], int32(at))
			if all++; all > MaxAllPlaces {
				return nil
			}
		}
	}
	return places
}

// rare returns which line of a list to find it by: the line that all lists have least often, since
// what many of them have is common in the text, and the longest of such lines.
func (s *search) rare(list int, often map[text.LineHash]int) (best int) {
	want, lines := s.want[list], s.lists[list]
	for k := range want {
		if cmp.Or(cmp.Compare(often[want[k]], often[want[best]]), cmp.Compare(len(lines[best]), len(lines[k]))) < 0 {
			best = k
		}
	}
	return best
}

// hash returns the hash of line i under the fold; h is the hash that the text keeps for it.
func (s *search) hash(i int, h text.LineHash) text.LineHash {
	if !s.fold.Unicode || h&text.NonASCII == 0 {
		return h
	}
	if s.hashes == nil {
		s.hashes = make([]text.LineHash, s.cache.Len())
	}
	if s.hashes[i] == 0 {
		l := s.t.Line(i)
		s.hashes[i] = text.HashLine(s.fold.Line(s.t.Slice(l.Start, l.End))) | text.NonASCII // which is never 0
	}
	return s.hashes[i]
}

// stands reports whether a list stands at line at.
func (s *search) stands(list, at int) bool {
	want := s.want[list]
	if at < 0 || at+len(want) > s.cache.Len() {
		return false
	}
	if s.compared > looksEvery {
		s.compared, s.over = 0, s.work.Over()
	}
	first, part := 0, []text.LineHash(nil)
	for k, w := range want {
		if at+k >= first+len(part) {
			first, part = s.cache.Part(at + k)
		}
		if s.hash(at+k, part[at+k-first]).Core() != w {
			s.compared += k + 1
			return false
		}
	}
	s.compared += len(want)
	there := s.t.Slice(s.t.Line(at).Start, s.t.Line(at+len(want)-1).End)
	for i, line := range s.lists[list] {
		found, below, _ := strings.Cut(there, "\n")
		if there = below; i+1 < len(want) {
			found = strings.TrimSuffix(found, "\r")
		}
		if found != line && s.fold.Line(found) != s.fold.Line(line) {
			return false
		}
	}
	return true
}

package draft

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
)

// How many places errors offer and list where nothing else is said.
const (
	maxCandidates = 3
	MaxMatches    = 100
)

// MostCandidates is how many places that come near an error offers.
func (src Source) MostCandidates() int { return cmp.Or(src.Candidates, maxCandidates) }

// MostMatches is how many places an error lists.
func (src Source) MostMatches() int { return cmp.Or(src.Matches, MaxMatches) }

// Offered returns the candidates that an error offers, and what its message says if
// there are more.
func (src Source) Offered(all []edits.Candidate) ([]edits.Candidate, string) {
	most := src.MostCandidates()
	if len(all) <= most {
		return all, ""
	}
	return all[:most], fmt.Sprintf(" More places come near than max_candidates (%d).", most)
}

// Unlisted is what a message says if not all of n places are listed.
func (src Source) Unlisted(n int) string {
	most := src.MostMatches()
	if n <= most {
		return ""
	}
	return fmt.Sprintf(" These are more than max_matches (%d): the first are listed.", most)
}

// TellApart adds to each match a line of its surroundings that none of the
// others has in the same place, where there is one within three lines.
func TellApart(src Source, places []Region, matches []edits.Match) {
	const far = 3
	if len(places) > 10*src.MostMatches() {
		return
	}
	t := src.Text
	for distance := 1; distance <= far; distance++ {
		for _, side := range []int{-1, 1} {
			seen := map[string]int{}
			at := make([]int, len(places))
			for i, p := range places {
				at[i] = t.LineAt(p.Start) - distance
				if side > 0 {
					at[i] = t.LineAt(max(p.Start, p.End-1)) + distance
				}
				seen[src.LineAt(at[i])]++
			}
			for i := range matches {
				line := src.LineAt(at[i])
				if matches[i].Context == nil && seen[line] == 1 && strings.TrimSpace(line) != "" {
					matches[i].Context = &edits.ContextLine{Line: at[i] + 1, Text: line}
				}
			}
		}
	}
}

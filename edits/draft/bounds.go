package draft

import (
	"fmt"

	"github.com/patchls/patchls/edits"
)

// How many places errors offer and list where nothing else is said.
const (
	maxCandidates = 3
	MaxMatches    = 100
)

// MostCandidates is how many places that come near an error offers.
func (src Source) MostCandidates() int {
	if src.Candidates > 0 {
		return src.Candidates
	}
	return maxCandidates
}

// MostMatches is how many places an error lists.
func (src Source) MostMatches() int {
	if src.Matches > 0 {
		return src.Matches
	}
	return MaxMatches
}

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

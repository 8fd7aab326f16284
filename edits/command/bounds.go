package command

import (
	"fmt"

	"github.com/patchls/patchls/edits"
)

// How many places errors offer and list where nothing else is said.
const (
	maxCandidates = 3
	maxMatches    = 100
)

func (src source) mostCandidates() int {
	if src.Candidates > 0 {
		return src.Candidates
	}
	return maxCandidates
}

func (src source) mostMatches() int {
	if src.Matches > 0 {
		return src.Matches
	}
	return maxMatches
}

// offered returns the candidates that an error offers, and what its message says if
// there are more.
func (src source) offered(all []edits.Candidate) ([]edits.Candidate, string) {
	most := src.mostCandidates()
	if len(all) <= most {
		return all, ""
	}
	return all[:most], fmt.Sprintf(" More places come near than max_candidates (%d).", most)
}

// unlisted is what a message says if not all of n places are listed.
func (src source) unlisted(n int) string {
	most := src.mostMatches()
	if n <= most {
		return ""
	}
	return fmt.Sprintf(" These are more than max_matches (%d): the first are listed.", most)
}

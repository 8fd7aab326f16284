package command

import "github.com/patchls/patchls/edits"

// Candidates is candidates, for the tests outside.
func Candidates(src edits.Source, old string, most int) []edits.Candidate {
	found, _ := source{Source: src}.candidates(old, most)
	return found
}

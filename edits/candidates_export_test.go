package edits

// Candidates is candidates, for the tests outside.
func Candidates(src Source, old string, most int) []Candidate {
	found, _ := source{Source: src}.candidates(old, most)
	return found
}

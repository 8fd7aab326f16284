package edits

// Candidates is candidates, for the tests outside.
func Candidates(src Source, old string, most int) []Candidate { return src.candidates(old, most) }

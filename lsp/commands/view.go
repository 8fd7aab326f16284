package commands

// The most that is shown of a text at a time.
const (
	MaxViewLines      = 2000
	MaxViewCharacters = 100_000 // code points, line ends included
)

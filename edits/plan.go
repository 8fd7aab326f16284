package edits

import (
	"github.com/patchls/patchls/edits/text"
)

// Source is what a command is planned on: a text, and the path by which
// messages call it.
type Source struct {
	Path string
	Text text.Text
	// Candidates and Matches bound how many places an error offers and lists; 0 is 3 and
	// 100.
	Candidates, Matches int
	Work                *Work // what may be done to plan it
}

// Tier names the way in which a place was found (docs/matching.md).
type Tier string

// Anchor is the tier of a place that is told by text around it.
const Anchor Tier = "anchor"

// Exact is the tier of text that is there byte for byte, a line end in a
// command standing for whatever line end the document has.
const Exact Tier = "exact"

// The tiers below Exact, in the order in which they are tried.
const (
	LineEnds      Tier = "line-ends"
	TrailingSpace Tier = "trailing-space"
	Indentation   Tier = "indentation"
	Unicode       Tier = "unicode"
	LineNumbers   Tier = "line-numbers"
	Escapes       Tier = "escapes"
	BlankLines    Tier = "blank-lines"
)

// Plan is what a command comes to on one text.
type Plan struct {
	Edits   Edits
	Hunks   []Hunk   // by place
	Places  int      // of a replacement, the occurrences; several may share a Hunk
	Notes   []string // every leniency that was used
	Message string   // one sentence, as the contract words it
}

// Hunk is one change of a plan in whole lines. StartLine and EndLine are those
// of the new text, from 1 and inclusive; EndLine is StartLine-1 where lines
// were only deleted.
type Hunk struct {
	StartLine int  `json:"start_line"`
	EndLine   int  `json:"end_line"`
	OldLines  int  `json:"old_lines"`
	NewLines  int  `json:"new_lines"`
	Match     Tier `json:"match"`
}

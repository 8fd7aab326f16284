package command

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
)

// longText is the length in bytes from which other capitals are not looked for.
const longText = 1 << 20

// otherCase returns the error for an old text that stands in the text but for its
// capitals, nil if it does not, or the text is long. To the scan for what comes nearest,
// a letter in the other case is another letter.
func (c Replace) otherCase(src draft.Source) *edits.Error {
	if src.Text.Len() > longText {
		return nil
	}
	s := src.Text.String()
	start := strings.Index(lowered(s), lowered(c.Old))
	if start < 0 || c.Old == "" {
		return nil
	}
	end := start + len(c.Old)
	candidate := candidateAt(src, found{Region: draft.Region{Start: start, End: end}})
	candidate.Difference = "case"
	return &edits.Error{
		Kind: edits.NoMatch, Candidates: []edits.Candidate{candidate},
		Message: fmt.Sprintf("Text not found in %s as it was sent, but it stands at %s with other capitals: %q. Send it as it stands.",
			src.Path, edits.LineRange(candidate.StartLine, candidate.EndLine), draft.ExcerptOf(diff.UnixLines(s[start:end]))),
	}
}

// lowered returns s with ASCII's capitals as small letters: of the same length, so that a
// place in it is one in s.
func lowered(s string) string {
	low := []byte(s)
	for i, b := range low {
		if 'A' <= b && b <= 'Z' {
			low[i] = b + 'a' - 'A'
		}
	}
	return string(low)
}

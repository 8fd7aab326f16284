package lines

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// What answers and errors show of a text.
const (
	SnippetAround = 4  // lines on either side of a hunk
	MaxSnippet    = 60 // lines of a hunk
)

// Snippet shows the first hunk in the new text, with the lines around it, numbered.
func Snippet(t text.Text, hunks []edits.Hunk) string {
	if len(hunks) == 0 || t.Lines() == 0 {
		return ""
	}
	h := hunks[0]
	from := max(1, h.StartLine-SnippetAround)
	last := min(t.Lines(), h.EndLine+SnippetAround)
	if most := h.StartLine + MaxSnippet - 1; h.EndLine > most {
		return edits.Numbered(t, from, most) + fmt.Sprintf("\n   ... %d more", last-most)
	}
	return edits.Numbered(t, from, last)
}

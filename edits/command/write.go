package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/text"
)

// Write is the command write. It makes the whole text Content, editing only what
// differs. A leading byte order mark of the text stays.
type Write struct {
	Content string `json:"content" jsonschema:"the whole text"`
}

// Plan returns the edits that make the text Content.
func (c Write) Plan(of edits.Source) (edits.Plan, error) {
	src := draft.Source{Source: of}
	t, want, start := src.Text, strings.TrimPrefix(c.Content, text.BOM), src.Text.BOM()
	p := edits.Plan{Edits: diff.Rewrite(t, start, t.Len(), want)}
	if len(p.Edits) == 0 {
		return edits.Plan{}, src.Unchanged(want != t.Slice(start, t.Len()))
	}
	after := draft.Source{Source: edits.Source{Text: p.Edits.Apply(t)}}
	p.Hunks = diff.Hunks(p.Edits, t, after.Text)
	// Only a new line can stand for text that is left out. So the whole text is checked only if a new line looks like that.
	mayElide := func(h edits.Hunk) bool {
		return slices.ContainsFunc(after.LinesAt(h.StartLine-1, h.NewLines), elision.MayElide)
	}
	if start < t.Len() && slices.ContainsFunc(p.Hunks, mayElide) {
		if err := src.CheckElided(start, t.Len(), want); err != nil {
			return edits.Plan{}, err
		}
	}
	p.Message = edited(src, len(p.Hunks), p.Edits, after.Text)
	return p, nil
}

// edited returns the message of a plan of n edits, which make after.
func edited(src draft.Source, n int, es edits.Edits, after text.Text) string {
	added, removed := diff.LineChanges(es, src.Text, after)
	return fmt.Sprintf("Edited %s: %s, %s added, %d removed.", src.Path, edits.Count(n, "edit"), edits.Count(added, "line"), removed)
}

// NewFile returns the plan that creates the file at path with the given content.
func NewFile(path, content string) edits.Plan {
	n := text.New(content).Lines()
	p := edits.Plan{Message: fmt.Sprintf("Created %s (%s).", path, edits.Count(n, "line"))}
	if content != "" {
		p.Edits = edits.Edits{{New: content}}
		p.Hunks = []edits.Hunk{{StartLine: 1, EndLine: n, NewLines: n, Match: edits.Exact}}
	}
	return p
}

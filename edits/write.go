package edits

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// Write is the command write: the whole text becomes Content, by edits of what
// differs. A leading byte order mark of the text stays.
type Write struct{ Content string }

// Plan returns the edits that make the text Content.
func (c Write) Plan(src Source) (Plan, error) {
	t := src.Text
	start := 0
	if strings.HasPrefix(t.String(), text.BOM) {
		start = len(text.BOM)
	}
	p, err := src.plan([]region{{start: start, end: t.Len(), want: strings.TrimPrefix(c.Content, text.BOM), tier: Exact}})
	if err != nil {
		return Plan{}, err
	}
	p.Hunks = p.Edits.hunks(t)
	added, removed := 0, 0
	for _, h := range p.Hunks {
		added += h.NewLines
		removed += h.OldLines
	}
	p.Message = fmt.Sprintf("Edited %s: %s, %s added, %d removed.", src.Path, Count(len(p.Hunks), "edit"), Count(added, "line"), removed)
	return p, nil
}

// hunks returns a hunk for each run of changed lines.
func (es Edits) hunks(before text.Text) []Hunk {
	after := es.Apply(before)
	var hs []Hunk
	shift := 0
	for i := 0; i < len(es); {
		first := i
		delta := 0
		for ; i < len(es) && (i == first || before.LineAt(es[i].Start) == before.LineAt(es[i-1].End)); i++ {
			delta += len(es[i].New) - (es[i].End - es[i].Start)
		}
		hs = append(hs, hunkOf(before, after, es[first].Start, es[i-1].End, shift, delta, Exact))
		shift += delta
	}
	return hs
}

package apply

import (
	"testing"

	"github.com/patchls/patchls/edits/changeset"
)

func TestVerdicts(t *testing.T) {
	yes, no := statement{applied: true, ofDocument: true}, statement{ofDocument: true}
	heard := statement{applied: true, ofDocument: true, flushed: true} // all that was held back
	absent := evidence{open: true, sighting: changeset.Absent}
	and := func(e evidence, change func(*evidence)) evidence { change(&e); return e }
	exact := and(absent, func(e *evidence) { e.exact = true })
	changed := and(absent, func(e *evidence) { e.changed = true })
	for name, c := range map[string]struct {
		seen evidence
		said statement
		want verdict
	}{
		"a yes for a file that is not opened": {evidence{}, statement{applied: true}, verdictUnopened},
		"a no for a file that is not opened":  {evidence{}, statement{}, verdictRejected},
		"a yes, and it is closed":             {evidence{closed: true}, yes, verdictClosed},
		"a no, and it is closed":              {evidence{closed: true}, no, verdictRejectedAndClosed},
		"the text shows it":                   {and(changed, func(e *evidence) { e.sighting = changeset.Present }), yes, verdictPresent},
		"the user may have done it":           {and(changed, func(e *evidence) { e.sighting, e.doubtful = changeset.Present, true }), yes, verdictDoubtful},
		"it is in the wrong place":            {and(changed, func(e *evidence) { e.misplaced = true }), yes, verdictMisplaced},
		"a yes, and another text":             {and(changed, func(e *evidence) { e.sighting = changeset.Unclear }), yes, verdictUnclear},
		"a no, and another text":              {and(changed, func(e *evidence) { e.sighting = changeset.Unclear }), no, verdictOutdated},
		"a yes for a part":                    {and(changed, func(e *evidence) { e.partial, e.partialForSure = true, true }), heard, verdictUnclear},
		"a no for a part":                     {and(changed, func(e *evidence) { e.partial = true }), no, verdictUnclear},
		"a no for a part, by versions":        {and(changed, func(e *evidence) { e.partial = true }), statement{ofDocument: true, versioned: true}, verdictOutdated},
		"a no of an exact editor for a part":  {and(exact, func(e *evidence) { e.changed, e.partial = true, true }), no, verdictUnclear},
		"a no, and a text of the edit":        {and(exact, func(e *evidence) { e.changed, e.traces = true, true }), no, verdictUnclear},
		"a yes, and it may be held back":      {absent, yes, verdictNotShown},
		"a yes, and nothing is held back":     {absent, heard, verdictIgnored},
		"a yes, while a command is typed":     {absent, statement{applied: true, ofDocument: true, flushed: true, previews: true}, verdictPreviewing},
		"a yes of an exact editor":            {exact, yes, verdictIgnored},
		"a yes for a version that is gone":    {and(exact, func(e *evidence) { e.changed, e.mayDrop = true, true }), yes, verdictDropped},
		"a yes for another change":            {and(exact, func(e *evidence) { e.changed = true }), yes, verdictUnclear},
		"a no, as the user typed":             {changed, no, verdictOutdated},
		"a no, as it was opened again":        {and(absent, func(e *evidence) { e.closed = true }), no, verdictReopened},
		"a no":                                {absent, no, verdictRejected},
	} {
		if got := c.seen.verdict(c.said); got != c.want {
			t.Errorf("%s: verdict %d, want %d", name, got, c.want)
		}
	}
}

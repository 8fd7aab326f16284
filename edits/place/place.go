package place

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/reindent"
	"github.com/patchls/patchls/edits/text"
)

// Options says how hunks find their places.
type Options struct {
	Exact bool // context and deleted lines must be there byte for byte
	First bool // of several places the first one below the hunk before counts
}

// Plan returns the edits of all hunks, which must all have a place. The places
// are sought together: what has one place narrows down the others, and a hunk
// may stand on what the ones before it have made. Hunks that are in place already
// change nothing; if all are, that is AlreadyApplied. Where src.Work ends before, the
// error is why.
func Plan(f patch.File, of edits.Source, how Options) (edits.Plan, error) {
	src := draft.Source{Source: of}
	p := newPlacer(f, src, how, nil)
	p.run()
	if err := src.Work.Err(); err != nil {
		return edits.Plan{}, err
	}
	return p.plan()
}

// newPlacer returns what places the hunks of f, but for those that are left out.
func newPlacer(f patch.File, src draft.Source, how Options, without map[int]*edits.Error) *placer {
	src.Finder = new(match.Finder)
	p := &placer{target: target{before: src.Text, src: src, how: how}}
	hunks := make([]hunk, len(f.Hunks))
	p.hunks = make([]*hunk, 0, len(f.Hunks))
	for i := range hunks {
		if without[i+1] == nil {
			hunks[i].begin(f.Hunks[i], i+1)
			p.hunks = append(p.hunks, &hunks[i])
		}
	}
	p.numbered = sortedByNumber(p.hunks)
	return p
}

// target is a text that hunks are placed in, and what is known of it.
type target struct {
	before text.Text
	src    draft.Source // before, with what is placed so far, while there is more to place
	how    Options
	grown  int // by how many lines hunks are longer than they were sent

	unit, other string                   // levels of indentation, once they are known
	learnt      map[string]*reindent.Map // by what they were learnt from; nil where nothing could be
}

// placer places the hunks of one file.
type placer struct {
	target

	edits edits.Edits // from before to src
	hunks []*hunk
	// numbered is the hunks in the order of the lines that they say they are at; in
	// that of the patch if some say nothing.
	numbered []*hunk
	made     madeLines    // what is placed has put into src, while there is more to place
	failed   *edits.Error // the plan of the hunks that have places
	left     []*hunk      // that have none after all rounds
	own      int          // places that hunks have by themselves, in this round
	tooDeep  bool         // for they would take more rounds
}

// maxOwnPlaces bounds the places that hunks have by themselves; those with equal lines share
// the ones that are found.
const maxOwnPlaces = 1 << 24

// maxRounds bounds how often hunks are sought, each time in what others have made.
const maxRounds = 1 << 6

// run places all hunks. Hunks that are there exactly go first, then those that are
// there loosely, and last come those that are nowhere, but are in place already; each
// time something has changed it begins again.
func (p *placer) run() {
	p.left = pendingOf(p.hunks)
	for range maxRounds {
		if len(p.left) == 0 {
			return
		}
		p.begin()
		progress := p.round(p.left)
		if p.failed != nil || p.over() {
			return
		}
		if p.left = pendingOf(p.hunks); !progress {
			return
		}
	}
	p.tooDeep = len(p.left) > 0
}

// round places what can be placed, and reports whether there was anything.
func (p *placer) round(pending []*hunk) bool {
	var settled bool
	if p.how.First {
		settled = p.first(pending) || p.withoutBlanks(pending) || p.raw(pending)
	} else {
		settled = p.exact(pending) || p.withoutBlanks(pending) || p.raw(pending) || !p.how.Exact && p.loose(pending)
	}
	return settled || !p.how.Exact && p.readAgain(pending) || p.inPlace(pending)
}

// sortedByNumber returns hunks in the order of their numbers, if all have one.
func sortedByNumber(hunks []*hunk) []*hunk {
	compare := func(a, b *hunk) int { return cmp.Compare(a.Start, b.Start) }
	if slices.IsSortedFunc(hunks, compare) || slices.ContainsFunc(hunks, func(h *hunk) bool { return !h.Numbered }) {
		return hunks
	}
	hunks = slices.Clone(hunks)
	slices.SortStableFunc(hunks, compare)
	return hunks
}

// over reports whether no more may be done. Loops end then, and what was found until then
// is no plan.
func (t *target) over() bool { return t.src.Work.Over() }

// begin begins a round.
func (p *placer) begin() {
	p.own = 0
	shift := 0
	for _, h := range p.numbered {
		switch h.shift = shift; h.state {
		case hunkPending:
			h.places, h.outside, h.truncated, h.reason, h.tier = nil, nil, false, nil, ""
		case hunkPlaced:
			shift += h.grows
		case hunkInPlace:
			shift += len(h.put) - len(h.old) // that the text has and the numbers do not know
		}
	}
}

// pendingOf returns the hunks that have no place yet.
func pendingOf(hunks []*hunk) []*hunk {
	var hs []*hunk
	for _, h := range hunks {
		if h.state == hunkPending {
			hs = append(hs, h)
		}
	}
	return hs
}

// plan is the plan of hunks that were run, if all have their places.
func (p *placer) plan() (edits.Plan, error) {
	switch {
	case p.failed != nil:
		return edits.Plan{}, p.failed
	case len(p.left) > 0:
		return edits.Plan{}, failure{p, p.left[0]}.err()
	}
	if len(p.edits) == 0 {
		if slices.ContainsFunc(p.hunks, func(h *hunk) bool { return h.state == hunkInPlace }) {
			return edits.Plan{}, &edits.Error{Kind: edits.AlreadyApplied, Message: fmt.Sprintf(
				"Already applied: %s reads as the patch would have it; nothing was changed.", p.src.Path)}
		}
		return edits.Plan{}, &edits.Error{Kind: edits.NoChange, Message: fmt.Sprintf("Nothing would change in %s: the patch puts there what is there.", p.src.Path)}
	}
	out := edits.Plan{Edits: p.edits, Hunks: diff.Hunks(p.edits, p.before)}
	setTiers(out.Hunks, p.hunks)
	for _, h := range p.hunks {
		if note := patchTierNotes[h.tier]; note != "" {
			out.Notes = append(out.Notes, "Hunk "+strconv.Itoa(h.number)+": "+note)
		}
		if h.note != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("Hunk %d %s.", h.number, h.note))
		}
	}
	added, removed := diff.LineChanges(p.edits, p.before)
	out.Message = fmt.Sprintf("Patched 1 file: %s added, %d removed.", edits.Count(added, "line"), removed)
	return out, nil
}

// patchTierNotes say what was passed over at a tier.
var patchTierNotes = map[edits.Tier]string{
	edits.TrailingSpace: "blanks at the ends of lines differ from the text's; those of lines that stay were kept.",
	edits.Indentation:   "its indentation differs from the text's; new lines were given the text's.",
	edits.Unicode:       "it has look-alikes of characters in the text (quotes, dashes, blanks or normal forms); lines that stay were kept.",
}

// setTiers says for each changed place by which tier the patch's hunk there was
// found, if it was not exactly there.
func setTiers(changed []edits.Hunk, hunks []*hunk) {
	var loose []*hunk
	for _, h := range hunks {
		if h.state == hunkPlaced && h.tier != edits.Exact {
			loose = append(loose, h)
		}
	}
	slices.SortFunc(loose, func(a, b *hunk) int { return a.core[0] - b.core[0] })
	for i := range changed {
		c := &changed[i]
		for len(loose) > 0 && loose[0].core[1] < c.StartLine-1 {
			loose = loose[1:]
		}
		if len(loose) > 0 && loose[0].core[0] < max(c.EndLine, c.StartLine) {
			c.Match = loose[0].tier
		}
	}
}

package place

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// Options says how hunks find their places.
type Options struct {
	Exact bool // context and deleted lines must stand byte for byte
	First bool // of several places, the first one below the previous hunk counts
	Shown bool // line numbers are of the text that was shown
}

// Plan returns the edits of all hunks, each of which must have a place. They are sought together in
// the text as it is: hunks with one place narrow down the others. A hunk without a place is sought
// in the text that the hunks before it make. Hunks that are in place already change nothing; if all
// are, the error is AlreadyApplied. If of.Work ends first, the error is the reason for its end.
func Plan(f patch.File, of edits.Source, how Options) (edits.Plan, error) {
	p := newPlacer(f, of, how)
	p.run(false)
	if err := of.Work.Err(); err != nil {
		return edits.Plan{}, err
	}
	return p.plan()
}

// target is a text that hunks are placed in, and what is known about it.
type target struct {
	part   patch.File   // that the hunks are of
	before text.Text    // the text without the changes of other hunks
	src    draft.Source // the text with them
	how    Options
	grown  int // how many lines rereading has added to the hunks

	unit, other string // levels of indentation, once they are known
}

// placer places the hunks of one file.
type placer struct {
	target

	edits    edits.Edits // from before to src
	hunks    []*hunk
	newLines map[string]bool // lines that hunks have made, and the lines next to them
	alone    int             // how many hunks were sought by themselves
	below    int             // the line below the last hunk whose changes are made
	failed   *edits.Error    // an error of the changes that is of no single hunk
}

func newPlacer(f patch.File, of edits.Source, how Options) *placer {
	src := draft.Source{Source: of, Finder: new(match.Finder)}
	p := &placer{target: target{part: f, before: of.Text, src: src, how: how}, newLines: map[string]bool{}}
	for i, h := range f.Hunks {
		p.hunks = append(p.hunks, newHunk(h, i+1))
		p.carry(p.hunks[i], 0)
	}
	return p
}

// maxAlone bounds how many hunks are sought by themselves.
const maxAlone = 1 << 6

// run places the hunks: all of them, or those up to the first that has no place.
func (p *placer) run(all bool) {
	p.search(p.hunks)
	p.separate()
	from := 0 // the first hunk whose changes are not made
	for i, h := range p.hunks {
		if p.failed != nil || p.over() {
			return
		}
		if h.state == Unplaced || p.quotesMade(h) {
			p.make(p.hunks[from:i], p.hunks[i:])
			p.seekAlone(h)
			h.unsettle(p.hunks[i+1:])
			p.make(p.hunks[i:i+1], p.hunks[i+1:])
			from = i + 1
		}
		p.note(h)
		if h.state == Unplaced && !all {
			return
		}
	}
	p.make(p.hunks[from:], nil)
}

// search seeks hunks in the text as it is now.
func (p *placer) search(hunks []*hunk) {
	s := &search{target: p.target, hunks: hunks, all: p.hunks, below: p.below, back: changeset.Of(p.edits, p.before).Invert()}
	s.run()
	p.failed = s.failed
}

// note records the lines that a hunk makes, and the lines next to them, and fails if they are no text.
func (p *placer) note(h *hunk) {
	for _, c := range h.changes {
		if e := Stray(p.part, h.Line, edits.Source{Path: p.src.Path, Text: p.before}, c.From, c.Lines); e != nil && h.state == Placed {
			h.fail(*e)
		}
		for _, l := range c.Lines {
			p.newLines[l] = true
		}
		p.newLines[p.src.LineAt(c.From-1)], p.newLines[p.src.LineAt(c.To)] = true, true
	}
}

// quotesMade reports whether a hunk that does not stand exactly where it was found has a line that
// a hunk before it makes. It may be meant for the text that this hunk makes.
func (p *placer) quotesMade(h *hunk) bool {
	if h.tier == edits.Exact && h.state == Placed && !h.reread {
		return false
	}
	before := draft.Source{Source: edits.Source{Text: p.before}}
	for i, l := range h.original.Old() {
		if p.newLines[l] && !match.AllBlank([]string{l}) && (h.state != Placed || h.reread || l != before.LineAt(h.at+i)) {
			return true
		}
	}
	return false
}

// seekAlone seeks a hunk in the text that the hunks before it have made. If the hunk already has a loose place, only an
// exact one replaces it. The number of one with several places says nothing about that text.
func (p *placer) seekAlone(h *hunk) {
	if h.failed != nil || h.truncated || h.Numbered && len(h.places) > 1 {
		return
	}
	if p.alone++; p.alone >= maxAlone {
		h.reason = func() *edits.Error {
			return h.error(edits.ContextNotFound, "%s has no place in %s yet: of hunks that stand on each other at most about %d can, one on the other; send them as one, or in several patches.",
				h.name(), p.src.Path, maxAlone)
		}
		return
	}
	now := newHunk(h.original, h.number)
	now.shift, now.drift, now.lost = p.shift(h), h.drift, h.lost
	p.search([]*hunk{now})
	if h.state == Unplaced || now.state == Placed && now.tier == edits.Exact {
		*h = *now
	}
}

// shift returns how many lines the hunks above h add to the text, which the number of h does not count.
func (p *placer) shift(h *hunk) (shift int) {
	for _, o := range p.hunks {
		above := o.number < h.number
		if o.Numbered && h.Numbered {
			above = o.Start < h.Start
		}
		switch {
		case !above:
		case o.state == InPlace:
			shift += len(o.put) - len(o.old)
		case o.state == Placed && o.number < h.number:
			shift += growth(o.changes)
		}
	}
	return shift
}

// make makes the changes of hunks, and moves those of the others accordingly.
func (p *placer) make(hunks, others []*hunk) {
	changes := changesOf(hunks)
	if len(changes) == 0 || p.failed != nil {
		return
	}
	made, err := p.src.Draft(p.src.LineRegions(changes))
	if e := refusal(err); e != nil { // find the hunks whose changes are refused by themselves
		p.failed = e
		for _, h := range hunks {
			_, err := p.src.Draft(p.src.LineRegions(changesOf([]*hunk{h})))
			if e := refusal(err); e != nil {
				h.fail(*e)
				p.failed = nil
			}
		}
		p.make(hunks, others)
		return
	}
	p.edits = changeset.ComposeEdits(p.edits, p.before, made)
	if len(others) > 0 { // otherwise nothing more is sought
		p.src.Text = made.Apply(p.src.Text)
		if last := hunks[len(hunks)-1]; len(last.changes) > 0 {
			end := last.changes[len(last.changes)-1].To
			p.below = end + growth(changes[:above(changes, end)]) + last.tail
		}
		move(others, changes)
	}
}

// refusal returns the error of changes that cannot be made; NoChange is not one.
func refusal(err error) *edits.Error {
	if e, is := errors.AsType[*edits.Error](err); is && e.Kind != edits.NoChange {
		return e
	}
	return nil
}

// plan returns the plan of the hunks after run, if all have a place.
func (p *placer) plan() (edits.Plan, error) {
	if p.failed != nil {
		return edits.Plan{}, p.failed
	}
	if k := slices.IndexFunc(p.hunks, func(h *hunk) bool { return h.state == Unplaced }); k >= 0 {
		return edits.Plan{}, p.hunks[k].err()
	}
	if len(p.edits) == 0 {
		if slices.ContainsFunc(p.hunks, func(h *hunk) bool { return h.note == markStays }) {
			return edits.Plan{}, edits.Errorf(edits.NoChange, "Nothing would change in %s: a patch does not add or remove a byte order mark, which is for the editor to write.", p.src.Path)
		}
		if slices.ContainsFunc(p.hunks, func(h *hunk) bool { return h.state == InPlace }) {
			return edits.Plan{}, edits.Errorf(edits.AlreadyApplied, "Already applied: %s reads as the patch would have it; nothing was changed.", p.src.Path)
		}
		return edits.Plan{}, edits.Errorf(edits.NoChange, "Nothing would change in %s: the patch puts there what is there.", p.src.Path)
	}
	after := p.edits.Apply(p.before)
	out := edits.Plan{Edits: p.edits, Hunks: diff.Hunks(p.edits, p.before, after)}
	setTiers(out.Hunks, p.hunks)
	for _, h := range p.hunks {
		if note := patchTierNotes[h.tier]; note != "" {
			out.Notes = append(out.Notes, "Hunk "+strconv.Itoa(h.number)+": "+note)
		}
		if h.note != "" {
			out.Notes = append(out.Notes, fmt.Sprintf("Hunk %d %s.", h.number, h.note))
		}
	}
	added, removed := diff.LineChanges(p.edits, p.before, after)
	out.Message = fmt.Sprintf("Patched 1 file: %s added, %d removed.", edits.Count(added, "line"), removed)
	return out, nil
}

// patchTierNotes are the notes on what a tier passes over.
var patchTierNotes = map[edits.Tier]string{
	edits.TrailingSpace: "blanks at the ends of lines differ from the text's; those of lines that stay were kept.",
	edits.Indentation:   "its indentation differs from the text's; new lines were given the text's.",
	edits.Unicode:       "it has look-alikes of characters in the text (quotes, dashes, blanks or normal forms); characters that stay were kept.",
}

// setTiers sets Match of each changed place to the tier that found its hunk, if that is not Exact.
func setTiers(changed []edits.Hunk, hunks []*hunk) {
	loose := lists.FilterMap(hunks, func(h *hunk) (*hunk, bool) { return h, h.state == Placed && h.tier != edits.Exact })
	slices.SortFunc(loose, func(a, b *hunk) int { return a.core[0] - b.core[0] })
	grown := 0
	for i := range changed {
		c := &changed[i]
		from := c.StartLine - 1 - grown // in the text as it was
		grown += c.NewLines - c.OldLines
		for len(loose) > 0 && loose[0].core[1] < from {
			loose = loose[1:]
		}
		if len(loose) > 0 && loose[0].core[0] <= from+c.OldLines {
			c.Match = loose[0].tier
		}
	}
}

// Placement reports where each hunk of a part of a patch goes in a text. Where [Plan] fails as a whole,
// a Placement shows which hunks have no place, and why. It is not safe for concurrent use.
type Placement struct {
	Places []Place // by hunk
	// Err, if not nil, is why the hunks that are [Unplaced] have no reasons of their own.
	Err *edits.Error

	placer *placer
}

// Place is the result for one hunk.
type Place struct {
	State PlaceState
	// Line is the first line of the text that the hunk changes, from 1. For a hunk that only adds
	// lines, it is the line above which they go, which may be the one after the last. For a hunk
	// that stands on what another hunk makes, it is the line where that hunk makes it.
	Line int
	Tier edits.Tier
}

// PlaceState says whether a hunk has a place.
type PlaceState uint8

// The states of hunks.
const (
	Unplaced PlaceState = iota
	Placed
	InPlace // it is applied already
)

// Find finds the places of all hunks as [Plan] does. Hunks whose changes
// cannot be made are reported, and the others are placed without them.
func Find(f patch.File, of edits.Source, how Options) *Placement {
	p := newPlacer(f, of, how)
	p.run(true)
	pl := &Placement{Places: make([]Place, len(f.Hunks)), Err: p.failed, placer: p}
	if of.Work.Over() {
		pl.Err = edits.Errorf(edits.ContextNotFound, "The places of the hunks in %s took too long to find; send them in several patches.", of.Path)
		return pl
	}
	for i, h := range p.hunks {
		if h.state != Unplaced {
			pl.Places[i] = Place{State: h.state, Line: h.core[0] + 1, Tier: h.tier}
		}
		h.in.src.Work = nil // the caller limits how many reasons it asks for
	}
	return pl
}

// Plan returns what the function [Plan] returns.
func (pl *Placement) Plan() (edits.Plan, error) { return pl.placer.plan() }

// Reason returns why the hunk numbered i, from 0, has no place; nil if it has one or if the
// reason is not known. The first call for a hunk costs a search for near places.
func (pl *Placement) Reason(i int) *edits.Error {
	if pl.Err != nil || pl.Places[i].State != Unplaced {
		return nil //nolint:nilerr // Err says it
	}
	h := pl.placer.hunks[i]
	e := h.err()
	h.reason = func() *edits.Error { return e }
	return e
}

// Searched returns how many bytes [Placement.Reason] searches.
func (pl *Placement) Searched() int { return pl.placer.before.Len() }

package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
)

// partialEdit follows an edit in several places while an editor makes it one place after the other. It serves to show no
// half-made edit, and to take a part out again if the rest does not come.
type partialEdit struct {
	remaining changeset.Changeset // changes of the edit as sent, on the text now; those typed over are dropped
	any       bool                // any kind of line ends may be reported, since the text has none yet
	applied   []int               // the indexes in the timeline of the steps that made a part
	// mayBeUndo: the applied steps together may be an undo by the user.
	mayBeUndo bool
}

// take records the step of the timeline with the index nth.
func (p *partialEdit) take(nth int, st step) {
	if i := p.find(st); i >= 0 {
		p.applied, p.mayBeUndo = append(p.applied, nth), false
		delta := st.Change.Delta()
		p.remaining = append(p.remaining[:i:i], p.remaining[i+1:]...)
		for k := i; k < len(p.remaining); k++ {
			p.remaining[k].At += delta
		}
		return
	}
	left, _, meet := changeset.Transform(p.remaining, st.Change)
	if meet != nil {
		left = nil
		if len(st.Change) > maxSteps { // following many parts at once would take quadratic time
			p.remaining = nil
		}
		for _, e := range p.remaining {
			if one, _, meet := changeset.Transform(changeset.Changeset{e}, st.Change); meet == nil {
				left = append(left, one...)
			}
		}
	}
	p.remaining = left
}

// find returns the index of the part that st makes, or -1. It looks near the ends, where editors begin.
func (p *partialEdit) find(st step) int {
	n := len(p.remaining)
	for i, e := range slices.Backward(p.remaining) {
		if i >= fewSteps && i < n-fewSteps {
			continue
		}
		if p.any && strings.Contains(st.Text.String(), "\r\n") {
			e = e.WithCRLF()
		}
		if st.Change.Delta() == e.Delta() && st.before.Len() >= e.End() && st.before.Slice(e.At, e.End()) == e.Old && st.makes(e) {
			return i
		}
	}
	return -1
}

// makes reports whether the step makes e, even if the editor reports it as whole lines or
// in another of several equal places.
func (st *step) makes(e changeset.Change) bool {
	as := changeset.Replaced(st.before, e.At, e.End(), e.New)
	return slices.Equal(as, st.Change) || as.Edits().Apply(st.before).Equal(st.Text)
}

// isPartial reports whether some of the parts were made, and not all.
func (p *partialEdit) isPartial() bool { return len(p.applied) > 0 && len(p.remaining) > 0 }

// isLongInsertion reports whether the changes insert too much to be the user's by coincidence.
// A deletion may always be the user's, for example an undo of what they had typed.
func isLongInsertion(c changeset.Changeset) bool {
	return slices.ContainsFunc(c, func(ch changeset.Change) bool { return len(ch.New) >= MinProof })
}

// withoutNewest returns the text without the newest edit of an agent, nil if there is none that can be undone.
func (j *Change) withoutNewest() *text.Text {
	if j.Doc == nil {
		return nil
	}
	ids := j.Doc.History.Edits()
	if len(ids) == 0 {
		return nil
	}
	c, seq, err := j.Doc.History.Undo(ids[len(ids)-1])
	if err != nil || seq != j.Doc.Seq {
		return nil
	}
	t := c.Edits().Apply(j.Text)
	return &t
}

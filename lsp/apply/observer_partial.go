package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// parts follow an edit in several places while an editor makes it one place after
// the other. They are there to show nothing half made, and to take a part out again
// if it remains one.
type parts struct {
	left edits.Changeset   // of the edit as it was sent, on the text now; what was typed over is dropped
	any  bool              // kind of line ends may be told, since the text has none yet
	log  []edits.Changeset // the steps so far, of any edit
	made []int             // which of them made a part
	// undone: those together may be an undo of the user's.
	undone bool
}

// take takes in a step that made st of before.
func (p *parts) take(before text.Text, st workspace.Step) {
	defer func() { p.log = append(p.log, st.Change) }()
	if i := p.find(before, st); i >= 0 {
		p.made, p.undone = append(p.made, len(p.log)), false
		delta := st.Change.Delta()
		p.left = append(p.left[:i:i], p.left[i+1:]...)
		for k := i; k < len(p.left); k++ {
			p.left[k].At += delta
		}
		return
	}
	left, _, meet := edits.Transform(p.left, st.Change)
	if meet != nil {
		left = nil
		for _, e := range p.left {
			if one, _, meet := edits.Transform(edits.Changeset{e}, st.Change); meet == nil {
				left = append(left, one...)
			}
		}
	}
	p.left = left
}

// find returns which part the step makes of before, -1 if none does. Editors begin at
// one of the ends.
func (p *parts) find(before text.Text, st workspace.Step) int {
	n := len(p.left)
	for i, e := range slices.Backward(p.left) {
		if i >= fewSteps && i < n-fewSteps {
			continue
		}
		if p.any && strings.Contains(st.Text.String(), "\r\n") {
			e = withCRLF(e)
		}
		if st.Change.Delta() == e.Delta() && before.Len() >= e.End() && before.Slice(e.At, e.End()) == e.Old && isMade(before, e, st) {
			return i
		}
	}
	return -1
}

// withCRLF returns the change with line ends of that kind.
func withCRLF(ch edits.Change) edits.Change {
	ch.New = strings.ReplaceAll(strings.ReplaceAll(ch.New, "\r\n", "\n"), "\n", "\r\n")
	return ch
}

// isMade reports whether the step is e, however it was told: by whole lines, or by
// another of several equal places.
func isMade(before text.Text, e edits.Change, st workspace.Step) bool {
	as := edits.Replaced(before, e.At, e.End(), e.New)
	return slices.Equal(as, st.Change) || as.Edits().Apply(before).Equal(st.Text)
}

// some reports whether some of the parts were made, and not all.
func (p *parts) some() bool { return len(p.made) > 0 && len(p.left) > 0 }

// agents reports whether changes that look like an agent's put in so much that
// nobody else can have done it. What is only deleted the user may have deleted,
// as by undoing what they had typed.
func agents(c edits.Changeset) bool {
	return slices.ContainsFunc(c, func(ch edits.Change) bool { return len(ch.New) >= MinProof })
}

// back returns what takes out what is there of the newest part.
func (p *parts) back() edits.Changeset {
	i := p.made[len(p.made)-1]
	var since edits.Changeset
	for _, st := range p.log[i+1:] {
		since = since.Then(st)
	}
	return edits.TakeBack(p.log[i], since)
}

// withoutNewest returns the text without the newest edit of an agent, nil if there is
// none that can be undone.
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

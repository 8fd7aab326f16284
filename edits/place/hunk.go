package place

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
)

// hunk is a hunk of a patch on its way to a place.
type hunk struct {
	patch.Hunk
	sent       patch.Hunk
	number     int // from 1
	old, put   []string
	head, tail int // how many lines of old before the first change, and after the last

	keepsBlanks bool // changed lines keep the blanks that the text has at their ends

	reread bool  // its lines are not those that were sent
	quoted bool  // its number is that of the lines that it quotes
	pieces []int // of a hunk that leaves lines out, the first lines of its pieces

	state hunkState
	note  string
	tier  edits.Tier
	fold  match.Fold
	shift int // by how many lines the text has grown by the hunks that say they are above it

	in        *search             // in which it was sought last
	places    []int32             // that it may have, in order, by tier
	truncated bool                // it may have more of them, below
	outside   []int32             // that its anchors do not allow
	reason    func() *edits.Error // why it has none; it costs a search
	failed    *edits.Error        // why its changes cannot be made

	at      int                // the line at which it stands
	changes []draft.LineChange // that are to be made
	core    [2]int             // what it changes, as lines [from,to) of the text as it was
}

// hunkState is how far a hunk is.
type hunkState uint8

const (
	hunkPending hunkState = iota
	hunkPlaced
	hunkInPlace // it is in place already
)

// begin makes h the hunk of a patch, number being from 1.
func (h *hunk) begin(of patch.Hunk, number int) {
	h.Hunk, h.sent, h.number = of, of, number
	h.measure()
	if h.Blanks > 0 && h.Blanks == len(h.old) {
		h.cutBlanks() // lines that only add, and an empty one before what follows
	}
}

// say notes how the hunk was placed.
func (h *hunk) say(note string) {
	if h.note != "" && !strings.Contains(h.note, note) {
		note = h.note + ", and " + note
	}
	h.note = note
}

// measure sets what follows from the lines.
func (h *hunk) measure() {
	h.old, h.put = h.Old(), h.New()
	isChange := func(l patch.Line) bool { return l.Kind != patch.KeptLine }
	h.head = slices.IndexFunc(h.Lines, isChange)
	if h.head < 0 {
		h.head = len(h.old)
	}
	h.tail = 0
	for i := len(h.Lines) - 1; i >= 0 && !isChange(h.Lines[i]) && h.tail < len(h.old)-h.head; i-- {
		h.tail++
	}
}

// coreAt returns the lines [from,to) that the hunk changes if it stands at at.
func (h *hunk) coreAt(at int) [2]int { return [2]int{at + h.head, at + len(h.old) - h.tail} }

// inserts reports whether the hunk only adds lines.
func (h *hunk) inserts() bool {
	return !slices.ContainsFunc(h.Lines, func(l patch.Line) bool { return l.Kind == patch.DeletedLine })
}

// changesText reports whether the hunk changes more than blanks around lines.
func (h *hunk) changesText() bool {
	return !slices.EqualFunc(h.old, h.put, func(a, b string) bool { return match.BlanksFold.Line(a) == match.BlanksFold.Line(b) })
}

// cutBlanks takes off the empty context lines at the end that may be layout.
func (h *hunk) cutBlanks() {
	h.Lines = h.Lines[:len(h.Lines)-h.Blanks]
	h.Blanks = 0
	h.measure()
}

// cutBOM takes the byte order mark off what is the first line of the text.
func (h *hunk) cutBOM() {
	h.Lines = slices.Clone(h.Lines)
	for i := range h.Lines {
		h.Lines[i].Text = strings.TrimPrefix(h.Lines[i].Text, text.BOM)
	}
	h.measure()
}

// hasBOM reports whether the first old or new line begins with one.
func (h *hunk) hasBOM() bool {
	return len(h.old) > 0 && strings.HasPrefix(h.old[0], text.BOM) || len(h.put) > 0 && strings.HasPrefix(h.put[0], text.BOM)
}

// same reports whether two hunks ask for the same change.
func (h *hunk) same(o *hunk) bool {
	return slices.Equal(h.Lines, o.Lines) && slices.Equal(h.Anchors, o.Anchors)
}

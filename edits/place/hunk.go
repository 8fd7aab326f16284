package place

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/reread"
)

// hunk is a hunk of a patch, and the state of the search for its place.
type hunk struct {
	patch.Hunk
	original   patch.Hunk
	number     int // from 1
	old, put   []string
	head, tail int // how many lines of old before the first change, and after the last

	reread bool  // its lines are not those that were sent
	quoted bool  // its line number is one that its lines quote
	pieces []int // the first line of each piece, if the hunk leaves lines out

	state PlaceState
	note  string
	tier  edits.Tier
	fold  match.Fold
	shift int  // how many lines the hunks above it have added to the text
	drift int  // how many lines the line of its number has moved since it was shown
	lost  bool // that is not known

	in        *search             // the search that last sought it
	places    []int32             // its possible places, in order, at its tier
	free      []int32             // those of places at which no later hunk changes the same lines
	truncated bool                // places is cut off; there may be more below
	outside   []int32             // places that its anchors do not allow
	reason    func() *edits.Error // returns why it has no place; it costs a search
	failed    *edits.Error        // why its changes cannot be made

	at      int                // the line at which it stands
	offset  int                // how many lines at is below its number
	low     int                // its number is expected to be off by at least that many lines
	high    int                // and by at most as many as that
	changes []draft.LineChange // the changes to make
	core    [2]int             // the lines [from,to) of the text before the patch that it changes
}

// newHunk returns the hunk with the given number, from 1, of a patch.
func newHunk(of patch.Hunk, number int) *hunk {
	h := &hunk{Hunk: of, original: of, number: number}
	h.measure()
	if h.Blanks > 0 && (!h.Numbered || h.Blanks == len(h.old)) {
		h.cutBlanks() // as context they would tell too little for what may be layout
	}
	return h
}

// isAnchor reports whether a hunk changes nothing as it was sent, and so only says where the next one goes: below its lines.
func (h *hunk) isAnchor() bool { return !h.original.Changes() }

// say adds a note on how the hunk was placed.
func (h *hunk) say(note string) {
	if h.note != "" && !strings.Contains(h.note, note) {
		note = h.note + ", and " + note
	}
	h.note = note
}

// measure sets the fields that follow from Lines.
func (h *hunk) measure() {
	h.old, h.put = h.Old(), h.New()
	isChange := func(l patch.Line) bool { return l.Kind != patch.KeptLine }
	h.head = max(0, slices.IndexFunc(h.Lines, isChange))
	h.tail = 0
	for i := len(h.Lines) - 1; i >= 0 && !isChange(h.Lines[i]) && h.tail < len(h.old)-h.head; i-- {
		h.tail++
	}
}

// coreAt returns the lines [from,to) that the hunk changes if it stands at at.
func (h *hunk) coreAt(at int) [2]int { return [2]int{at + h.head, at + len(h.old) - h.tail} }

// firstNew returns the first line of put that is not as in old.
func (h *hunk) firstNew() (n int) {
	for n < min(len(h.old), len(h.put)) && h.old[n] == h.put[n] {
		n++
	}
	return n
}

// spans returns the lines [from,to) of each of the hunk's changes, counted from its first line.
// Lines that are only added span none.
func (h *hunk) spans() (spans [][2]int) {
	line := 0
	for i, l := range h.Lines {
		if l.Kind != patch.KeptLine && (i == 0 || h.Lines[i-1].Kind == patch.KeptLine) {
			spans = append(spans, [2]int{line, line})
		}
		if l.Kind != patch.AddedLine {
			line++
		}
		if l.Kind == patch.DeletedLine {
			spans[len(spans)-1][1] = line
		}
	}
	return spans
}

// cutBlanks takes off the empty context lines at the end that may be layout.
func (h *hunk) cutBlanks() {
	h.Lines = h.Lines[:len(h.Lines)-h.Blanks]
	h.Blanks = 0
	h.measure()
}

// same reports whether two hunks ask for the same change.
func (h *hunk) same(o *hunk) bool {
	return slices.Equal(h.Lines, o.Lines) && slices.Equal(h.Anchors, o.Anchors)
}

// withoutBlanks reads a hunk without the empty lines at its end, which may be layout.
func withoutBlanks(_ *target, h *hunk) bool {
	if h.Blanks == 0 || h.Blanks >= len(h.Lines) {
		return false
	}
	h.cutBlanks()
	h.note = "ends in blank lines that the text does not have; they were left out"
	return true
}

// newBlanks reads the empty lines without a sign among new lines as new, if the hunk then stands. If it stands as it is, too,
// it is refused.
func newBlanks(t *target, h *hunk) bool {
	lines := slices.Clone(h.Lines)
	for i, l := range lines {
		if l.MayAdd {
			lines[i].Kind = patch.AddedLine
		}
	}
	switch {
	case slices.Equal(lines, h.Lines) || !t.stands(patch.Hunk{Lines: lines}.Old(), match.Fold{}):
		return false
	case len(h.places) > 0:
		h.reason = func() *edits.Error {
			return h.error(edits.ContextAmbiguous, "%s has empty lines among new ones that may be new or lines of %s: begin each with its sign.", h.name(), t.src.Path)
		}
		return false
	}
	return t.reads(h, lines, "has blank lines beside new ones that the text does not have; they were added")
}

// raw reads context lines as if they had no sign in front, so that their blank is text, if they stand so exactly.
func raw(t *target, h *hunk) bool {
	lines, kept := slices.Clone(h.Lines), false
	for i, l := range lines {
		if l.Kind == patch.KeptLine && !l.NoSign {
			lines[i].Text, kept = " "+l.Text, true
		}
	}
	if h.Block || !kept || !t.stands(patch.Hunk{Lines: lines}.Old(), match.Fold{}) {
		return false
	}
	return t.reads(h, lines, "has context without the blank in front of it; it was read as it is")
}

// stands reports whether lines stand in the text under a fold.
func (t *target) stands(lines []string, f match.Fold) bool {
	return len(lines) > 0 && !match.AllBlank(lines) && len(t.src.FindLines([][]string{lines}, f)[0]) > 0
}

// maxGrown bounds how many lines rereading adds to all hunks together, such as those that a hunk leaves out.
const maxGrown = 1 << 20

// reads sets the lines of a hunk, unless rereading would add more than maxGrown lines to all hunks.
func (t *target) reads(h *hunk, lines []patch.Line, note string) bool {
	if t.grown += max(0, len(lines)-len(h.Lines)); t.grown > maxGrown {
		return false
	}
	h.Lines, h.Blanks, h.reread = lines, 0, true
	h.measure()
	h.say(note)
	return true
}

// withBlankLines reads a hunk as if its context had the blank lines of the text.
func withBlankLines(t *target, h *hunk) bool {
	lines, ok := reread.BlankLines(t.src, h.Lines)
	note := "has other blank lines in its context than the text, which were kept"
	if ok && slices.EqualFunc(lines, h.Lines, func(a, b patch.Line) bool { return a.Text == b.Text }) {
		note = "has blank lines beside new ones that the text does not have; they were added"
	}
	return ok && t.reads(h, lines, note)
}

// withElided reads a hunk that leaves lines out as if it had them.
func withElided(t *target, h *hunk) bool {
	lines, pieces, ok := reread.Elided(t.src, h.old, h.put)
	h.pieces = pieces
	return ok && t.reads(h, lines, "leaves lines out, which were kept")
}

// withoutNumbers removes the line numbers that a hunk quotes; the first becomes its own line number.
func withoutNumbers(t *target, h *hunk) bool {
	n, ok := reread.NumberingOf(strings.Join(h.old, "\n"))
	bare := strings.Split(n.Bare, "\n")
	if !ok || !t.stands(bare, match.LookAlikeFold) {
		return false
	}
	lines := replaced(bare, n.Cut(strings.Join(h.put, "\n")), len(h.put))
	if !h.Block {
		lines = cutLines(n, h.Lines, bare)
	}
	if !t.reads(h, lines, "quotes line numbers, which were taken off") {
		return false
	}
	h.Numbered, h.quoted, h.Start = true, true, n.First
	t.carry(h, 0)
	return true
}

// cutLines is [reread.Numbering.Cut] for the lines of a hunk with signs; bare are its old lines without numbers.
func cutLines(n reread.Numbering, lines []patch.Line, bare []string) []patch.Line {
	lines = slices.Clone(lines)
	k := 0
	for i, l := range lines {
		if l.Kind != patch.AddedLine {
			lines[i].Text, k = bare[k], k+1
		} else if number, rest, ok := n.CutLine(l.Text); ok && number >= n.First && number <= n.Last+len(lines) {
			lines[i].Text = rest
		}
	}
	return lines
}

// Escaped is a part of the note on a hunk that was read without its escapes.
const Escaped = "was escaped once too often"

// unescaped reads a hunk that was escaped once too often.
func unescaped(t *target, h *hunk) bool {
	for _, read := range reread.Rereadings {
		old, put, ok := read.As(strings.Join(h.old, "\n"), strings.Join(h.put, "\n"))
		if lines := strings.Split(old, "\n"); ok && t.stands(lines, match.LookAlikeFold) {
			return t.reads(h, replaced(lines, put, len(h.put)), Escaped+", and read as what that stands for")
		}
	}
	return false
}

// replaced returns the lines of a hunk that replaces old by put, which had n lines.
func replaced(old []string, put string, n int) []patch.Line {
	if n == 0 {
		return patch.ReplaceHunk(1, old, nil).Lines
	}
	return patch.ReplaceHunk(1, old, strings.Split(put, "\n")).Lines
}

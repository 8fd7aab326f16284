package place

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/reread"
)

// withoutBlanks reads a hunk without the empty lines at its end, which may be the patch's
// layout.
func withoutBlanks(_ *target, h *hunk) bool {
	if h.Blanks == 0 || h.Blanks >= len(h.Lines) {
		return false
	}
	h.cutBlanks()
	h.note = "ends in blank lines that the text does not have; they were left out"
	return true
}

// raw reads a hunk as if its context had no blank in front, if it stands so, exactly.
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
	h.reads(lines, "has context without the blank in front of it; it was read as it is")
	return true
}

// stands reports whether lines stand in the text under a fold.
func (t *target) stands(lines []string, f match.Fold) bool {
	return len(lines) > 0 && !match.AllBlank(lines) && len(t.src.FindLines([][]string{lines}, f)[0]) > 0
}

// maxGrown bounds by how many lines all hunks are longer than they were sent, since they
// have those that they left out.
const maxGrown = 1 << 20

// mayGrow reports whether a hunk may have these lines.
func (t *target) mayGrow(h *hunk, lines []patch.Line) bool {
	t.grown += max(0, len(lines)-len(h.Lines))
	return t.grown <= maxGrown
}

// reads makes lines those of the hunk.
func (h *hunk) reads(lines []patch.Line, note string) {
	h.Lines, h.Blanks, h.reread = lines, 0, true
	h.measure()
	h.say(note)
}

// withBlankLines reads a hunk as one with the text's blank lines among its context.
func withBlankLines(t *target, h *hunk) bool {
	lines, ok := reread.BlankLines(t.src, h.Lines)
	if !ok || !t.mayGrow(h, lines) {
		return false
	}
	h.reads(lines, "has other blank lines in its context than the text, which were kept")
	return true
}

// withElided reads a hunk that leaves lines out as one that has them.
func withElided(t *target, h *hunk) bool {
	lines, pieces, ok := reread.Elided(t.src, h.old, h.put)
	if !ok || !t.mayGrow(h, lines) {
		return false
	}
	h.pieces = pieces
	h.reads(lines, "leaves lines out, which were kept")
	return true
}

// withoutNumbers takes off the line numbers that a hunk quotes; they are its number then.
func withoutNumbers(t *target, h *hunk) bool {
	n, ok := reread.NumberingOf(strings.Join(h.old, "\n"))
	if !ok || !t.stands(strings.Split(n.Bare, "\n"), match.LookAlikeFold) {
		return false
	}
	bare := strings.Split(n.Bare, "\n")
	lines := replaced(bare, n.Cut(strings.Join(h.put, "\n")), len(h.put))
	if !h.Block {
		lines = cutLines(n, h.Lines, bare)
	}
	h.reads(lines, "quotes line numbers, which were taken off")
	h.Numbered, h.quoted, h.Start = true, true, n.First
	return true
}

// cutLines is cut for the lines of a hunk, bare being those of its old side.
func cutLines(n reread.Numbering, lines []patch.Line, bare []string) []patch.Line {
	lines = slices.Clone(lines)
	k := 0
	for i, l := range lines {
		if l.Kind != patch.AddedLine {
			lines[i].Text, k = bare[k], k+1
		} else if number, text, ok := n.CutLine(l.Text); ok && number >= n.First && number <= n.Last+len(lines) {
			lines[i].Text = text
		}
	}
	return lines
}

// unescaped reads a hunk that was escaped once too often.
func unescaped(t *target, h *hunk) bool {
	for _, read := range reread.Rereadings {
		old, put, ok := read.As(strings.Join(h.old, "\n"), strings.Join(h.put, "\n"))
		if lines := strings.Split(old, "\n"); ok && t.stands(lines, match.LookAlikeFold) {
			h.reads(replaced(lines, put, len(h.put)), "was escaped once too often, and read as what that stands for")
			return true
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

package place

import (
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
)

// Lines are whole lines that a command replaces with others, handled as one hunk.
type Lines struct {
	target
	hunk  *hunk
	ended bool // the old lines include the last line end
}

// CutLines returns the lines of old and put. It drops a line break that both begin with, which belongs to the line above,
// and blanks that both end with after their last line end. ended reports whether old includes its last line end. ok is false
// if put would join its first line to the line above.
func CutLines(old, put string) (olds, puts []string, ended, ok bool) {
	old, put = diff.UnixLines(old), diff.UnixLines(put)
	if rest, begins := strings.CutPrefix(old, "\n"); begins {
		if !strings.HasPrefix(put, "\n") {
			return nil, nil, false, false
		}
		old, put = rest, put[1:]
	}
	if blanks := old[strings.LastIndexByte(old, '\n')+1:]; blanks != "" && strings.Trim(blanks, " \t") == "" && strings.HasSuffix(put, "\n"+blanks) {
		old, put = strings.TrimSuffix(old, blanks), strings.TrimSuffix(put, blanks)
	}
	ended = strings.HasSuffix(old, "\n")
	olds = strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	if ended {
		put = strings.TrimSuffix(put, "\n")
	}
	if put != "" || !ended {
		puts = strings.Split(put, "\n")
	}
	return olds, puts, ended, true
}

// NewLines returns old and put as Lines, if [CutLines] can cut them.
func NewLines(src draft.Source, old, put string) (*Lines, bool) {
	olds, puts, ended, ok := CutLines(old, put)
	if !ok {
		return nil, false
	}
	return &Lines{target: target{before: src.Text, src: src}, hunk: lineHunk(src, olds, puts), ended: ended}, true
}

// lineHunk returns the hunk that replaces old lines by others.
func lineHunk(src draft.Source, old, put []string) *hunk {
	h := newHunk(patch.ReplaceHunk(1, old, put), 1)
	(&target{src: src}).cutBOM(h)
	return h
}

// Find returns the lines of the text, from 0, at which the old lines stand, at the first tier at
// which they stand anywhere. If exactly is true, the first tier is [edits.Exact].
func (l *Lines) Find(exactly bool) []int32 {
	if match.AllBlank(l.hunk.old) {
		return nil
	}
	s, hunks, first := search{target: l.target}, []*hunk{l.hunk}, match.Tiers[0]
	if exactly {
		first = exactStep
	}
	s.seek(hunks, first)
	s.loosely(hunks)
	return l.hunk.places
}

// Reread reads the old lines as if they had the text's blank lines, or the lines that they leave
// out, and reports whether they then stand in the text. tier names the reading.
func (l *Lines) Reread() (tier edits.Tier, ok bool) {
	switch {
	case len(l.hunk.old) < 2:
		return "", false
	case withElided(&l.target, l.hunk):
		return edits.Anchor, true
	}
	return edits.BlankLines, withBlankLines(&l.target, l.hunk)
}

// At returns the region of the text that the old lines have if they stand at line, from 0.
func (l *Lines) At(line int) draft.Region {
	t, next := l.src.Text, line+len(l.hunk.old)
	r := draft.Region{Start: t.LineStart(line), End: t.Line(next - 1).End, Tier: l.hunk.tier}
	if l.ended {
		r.End = t.Line(next - 1).Next
	}
	return r
}

// Count returns how many old lines there are.
func (l *Lines) Count() int { return len(l.hunk.old) }

// Pieces returns the first line of each piece, from 0, if the old lines leave others out.
func (l *Lines) Pieces() []int { return l.hunk.pieces }

// MadeAround returns the line at which the new lines stand already, if the place of the old
// lines, at line, lies within them.
func (l *Lines) MadeAround(line int) (int, bool) { return l.madeAround(l.hunk, line) }

// Want returns the new text for r, which is At(line), if it can be derived.
func (l *Lines) Want(line int, r draft.Region) (want string, ok bool) {
	changes, ok := l.changes(l.hunk, line)
	if !ok {
		return "", false
	}
	last := line + len(l.hunk.old)
	var lines []string
	at := line
	for _, c := range changes {
		lines = append(append(lines, l.src.LinesAt(at, c.From-at)...), c.Lines...)
		at = c.To
	}
	lines = append(lines, l.src.LinesAt(at, last-at)...)
	want = strings.Join(lines, "\n")
	if end := l.src.Text.Line(last - 1).End; r.End > end && len(lines) > 0 {
		want += "\n"
	}
	return want, true
}

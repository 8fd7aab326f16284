package command

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
)

// quotedLines are the lines that a command means by a text of several, or by one that a
// line end ends.
type quotedLines struct {
	old, put []string
	ended    bool // their last line end is meant as well
}

// cutQuotedLines returns the lines of old and put. A line break that both begin with is that
// of the line above; blanks that both end with, below their last line end, are of no line.
// It is false where put would join what it stands for with the line above.
func cutQuotedLines(old, put string) (w quotedLines, ok bool) {
	old, put = unixLines(old), unixLines(put)
	if rest, begins := strings.CutPrefix(old, "\n"); begins {
		if !strings.HasPrefix(put, "\n") {
			return w, false
		}
		old, put = rest, put[1:]
	}
	if blanks := old[strings.LastIndexByte(old, '\n')+1:]; blanks != "" && strings.Trim(blanks, " \t") == "" && strings.HasSuffix(put, "\n"+blanks) {
		old, put = strings.TrimSuffix(old, blanks), strings.TrimSuffix(put, blanks)
	}
	w.ended = strings.HasSuffix(old, "\n")
	w.old = strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	if w.ended {
		put = strings.TrimSuffix(put, "\n")
	}
	if put != "" || !w.ended {
		w.put = strings.Split(put, "\n")
	}
	return w, true
}

// searchLines looks for whole lines, and returns their places at the first tier that has
// any. Exactly is the first of them only if that is asked for.
func (src source) searchLines(old, put string, exactly, overlapping bool) []found {
	w, ok := cutQuotedLines(old, put)
	if !ok {
		return nil
	}
	return src.searchHunk(src.lineHunk(w), w.ended, exactly, overlapping)
}

// searchReread looks for whole lines as if they had the text's blank lines, or those that
// they leave out.
func (src source) searchReread(old, put string) []found {
	w, ok := cutQuotedLines(old, put)
	if !ok || len(w.old) < 2 {
		return nil
	}
	h, tier := src.lineHunk(w), edits.Anchor
	if p := (&placer{before: src.Text, src: src}); !p.withElided(h) {
		if tier = edits.BlankLines; !p.withBlankLines(h) {
			return nil
		}
	}
	places := src.searchHunk(h, w.ended, true, true)
	retier(places, tier)
	return places
}

// searchHunk looks for the old lines of a hunk.
func (src source) searchHunk(h *hunk, ended, exactly, overlapping bool) []found {
	if allBlank(h.old) {
		return nil
	}
	worth := worthwhile(src.Text, slices.Values(h.old))
	for i, step := range tierFolds {
		if !worth.Has(step.fold) {
			continue
		}
		places := src.findLines([][]string{h.old}, step.fold)[0]
		if len(places) == 0 {
			continue
		}
		h.tier, h.fold = step.tier, step.fold
		if i == 0 && exactly {
			h.tier = edits.Exact
		}
		return src.linePlacesOf(h, ended, places, overlapping)
	}
	return nil
}

// lineHunk returns the hunk that whole lines are.
func (src source) lineHunk(w quotedLines) *hunk {
	h := &hunk{keepsBlanks: true}
	h.begin(patch.ReplaceHunk(1, w.old, w.put), 1)
	p := placer{src: src}
	p.cutBOM(h)
	return h
}

// linePlacesOf returns places of a hunk, at lines from 0, as those of a text.
func (src source) linePlacesOf(h *hunk, ended bool, places []int32, overlapping bool) []found {
	var out []found
	after := 0
	for _, at := range places {
		at := int(at)
		if !overlapping && at < after {
			continue
		}
		after = at + len(h.old)
		p := found{region: region{start: src.Text.LineStart(at), end: src.Text.Line(after - 1).End, tier: h.tier}, lines: h, at: at}
		if ended {
			p.end = src.Text.Line(after - 1).Next
		}
		out = append(out, p)
	}
	return out
}

// resolve sets what a place is to read, if that can be told.
func (src source) resolve(f *found) {
	h := f.lines
	if h == nil {
		return
	}
	p := placer{before: src.Text, src: src}
	changes, ok := p.changes(h, f.at)
	if !ok {
		f.untold = true
		return
	}
	last := f.at + len(h.old)
	var lines []string
	at := f.at
	for _, c := range changes {
		lines = append(append(lines, src.linesAt(at, c.from-at)...), c.lines...)
		at = c.to
	}
	lines = append(lines, src.linesAt(at, last-at)...)
	f.want = strings.Join(lines, "\n")
	if l := src.Text.Line(last - 1); f.end > l.End && len(lines) > 0 {
		f.want += "\n"
	}
}

package patch

import (
	"math"
	"strconv"
	"strings"
)

// searchReplace reads SEARCH/REPLACE blocks, the first of which is next.
func (r *patchReader) searchReplace() error {
	above := 0 // the first line that may name the file of the next block
	for r.at < len(r.lines) {
		if !isSearchMarker(r.lines[r.at]) {
			r.at++
			continue
		}
		name, line := r.nameAbove(above, r.at)
		if err := r.around(above, r.at, line); err != nil {
			return err
		}
		b, err := r.block(r.at)
		if err != nil {
			return err
		}
		if n := len(r.patch.Files); n == 0 || name != "" && name != r.patch.Files[n-1].Path {
			r.patch.Files = append(r.patch.Files, File{Path: name, OtherPath: bareName(name), Line: line + 1})
		}
		f := &r.patch.Files[len(r.patch.Files)-1]
		f.Hunks = append(f.Hunks, b.hunk(r))
		r.at = b.end + 1
		above = r.at
	}
	return r.around(above, len(r.lines), -1)
}

// around notes text between blocks that is neither the name at line nor a fence.
// What looks like a marker there may be of a block that would be lost.
func (r *patchReader) around(from, to, name int) error {
	for i := from; i < to; i++ {
		l := strings.TrimSpace(r.lines[i])
		if strings.HasPrefix(l, "<<<<<") || strings.HasPrefix(l, ">>>>>") {
			return syntax(i+1, "%q is outside of a block, whose lines are %q, %q and %q", clip(l), "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
		}
		if l != "" && i != name && fenceRun(l) == "" {
			r.patch.note(noteAround)
		}
	}
	return nil
}

// block is the place of a block: its three markers.
type block struct{ begin, middle, end int }

// block finds the block that begins at a line.
func (r *patchReader) block(begin int) (block, error) {
	b := block{begin: begin}
	var middles []int
	i := begin + 1
	for ; i < len(r.lines) && !isReplaceMarker(r.lines[i]) && !isSearchMarker(r.lines[i]); i++ {
		if isMiddleMarker(r.lines[i]) {
			middles = append(middles, i)
		}
	}
	middles = r.lines.likeMarker(begin, middles)
	ended := i < len(r.lines) && isReplaceMarker(r.lines[i])
	switch {
	case !ended && len(middles) == 2:
		r.patch.note(noteNoReplace)
		b.middle, b.end = middles[0], middles[1]
		return b, nil
	case !ended && i < len(r.lines):
		return b, another(r.lines, begin, i)
	case len(middles) == 0:
		return b, syntax(begin+1, "the block has no %q line", "=======")
	case !ended:
		return b, syntax(begin+1, "the block has no %q line", ">>>>>>> REPLACE")
	case len(middles) > 1:
		return b, another(r.lines, begin, middles[1])
	}
	b.middle, b.end = middles[0], i
	for _, at := range []int{begin, b.middle, b.end} {
		if l := strings.TrimRight(r.lines[at], " \t"); !isUsual(l) {
			r.patch.note(noteMarkers)
		}
	}
	return b, nil
}

// likeMarker returns the middle markers that are as long as the one that begins
// the block, or all if none is: others may be content.
func (ls patchLines) likeMarker(begin int, middles []int) []int {
	n, _ := markerRun(ls[begin])
	var alike []int
	for _, i := range middles {
		if k, _ := markerRun(ls[i]); k == n {
			alike = append(alike, i)
		}
	}
	if alike == nil {
		return middles
	}
	return alike
}

func another(lines patchLines, begin, i int) error {
	return syntax(i+1, "the block that begins at line %d holds another %q line, so its parts cannot be told", begin+1, strings.TrimRight(lines[i], " \t"))
}

// hunk makes the block a hunk, with the line number that Roo writes above it.
func (b block) hunk(r *patchReader) Hunk {
	from := b.begin + 1
	start := ""
	for ; from < b.middle; from++ {
		if s, is := strings.CutPrefix(r.lines[from], ":start_line:"); is {
			start = strings.TrimSpace(s)
		} else if !strings.HasPrefix(r.lines[from], ":end_line:") {
			break
		}
	}
	if from > b.begin+1 && from < b.middle && strings.TrimRight(r.lines[from], "- \t") == "" && len(r.lines[from]) >= 5 {
		from++
	}
	old := r.lines[from:b.middle]
	h := ReplaceHunk(b.begin+1, old, r.lines[b.middle+1:b.end])
	h.Block = true
	if start == "" {
		h.Whole = len(old) == 0
		return h
	}
	n, err := strconv.Atoi(start)
	if err != nil || n < 1 || n > math.MaxInt32 {
		r.patch.note(noteNumbers)
		return h
	}
	if len(old) == 0 {
		n-- // the new lines go above that line
	}
	h.Numbered, h.Start = true, n
	return h
}

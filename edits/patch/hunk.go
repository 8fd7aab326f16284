package patch

import (
	"strconv"
	"strings"
)

// hunkReader puts a hunk together from the lines of a patch.
type hunkReader struct {
	r *patchReader
	Hunk
	changes bool // some line is deleted or added
	olds    bool // some line is old
	noOlds  bool // the header says that no line is
	endings bool // the "\r" at the end of a line is the content's
}

// header takes a line that begins with "@@", and returns the numbers in it, valid
// or not. Several may stand above a hunk, each an anchor inside of the one before
// it.
func (h *hunkReader) header(l string) headerRange {
	if at, is := parseHeaderRange(l); is {
		h.number(at)
		return at
	}
	anchor := strings.TrimSpace(l[len("@@"):])
	if anchor == "@@" {
		anchor = ""
	}
	anchor = strings.TrimSpace(strings.TrimSuffix(anchor, " @@"))
	switch anchor {
	case "":
	case "...", "…":
		h.r.patch.note(noteElided)
	default:
		h.Anchors = append(h.Anchors, anchor)
	}
	return headerRange{}
}

// number takes the line number of a header.
func (h *hunkReader) number(at headerRange) {
	if !at.valid {
		h.r.patch.note(noteNumbers)
		return
	}
	h.Numbered, h.Start, h.noOlds = true, at.start, at.olds == 0
}

// line takes the line of the patch that is next, which is of the hunk's body.
func (h *hunkReader) line() error {
	l := h.r.lines[h.r.at]
	h.r.at++
	var cr bool
	if h.endings {
		l, cr = strings.CutSuffix(l, "\r")
	}
	switch {
	case strings.HasPrefix(l, `\ `):
		return h.noLineEnd()
	case l == "" && (h.OldOpen || h.NewOpen):
		return nil // below the last line there is none: this is layout
	case l == "":
		blanks := h.Blanks
		err := h.add(Line{Kind: KeptLine, CR: cr, NoSign: true})
		h.Blanks = blanks + 1
		return err
	case l[0] == ' ' || l[0] == '-' || l[0] == '+':
		return h.add(Line{Kind: LineKind(l[0]), Text: l[1:], CR: cr})
	}
	h.r.patch.note(noteNoSign)
	return h.add(Line{Kind: KeptLine, Text: l, CR: cr, NoSign: true})
}

// usualLines is for how many lines of a hunk there is room from the first one on:
// those of one changed line with three around it on either side.
const usualLines = 8

func (h *hunkReader) add(l Line) error {
	old, put := l.Kind != AddedLine, l.Kind != DeletedLine
	if old && h.OldOpen || put && h.NewOpen {
		return syntax(h.r.at, `a line follows one that "\ No newline at end of file" says is the last`)
	}
	if h.Lines == nil {
		h.Lines = make([]Line, 0, usualLines)
	}
	h.Lines = append(h.Lines, l)
	h.Blanks = 0
	h.olds = h.olds || old
	h.changes = h.changes || !old || !put
	return nil
}

// noLineEnd takes "\ No newline at end of file", in whatever language.
func (h *hunkReader) noLineEnd() error {
	if len(h.Lines) == 0 {
		return syntax(h.r.at, `"\ No newline at end of file" has no line above it`)
	}
	kind := h.Lines[len(h.Lines)-1].Kind
	h.OldOpen = h.OldOpen || kind != AddedLine
	h.NewOpen = h.NewOpen || kind != DeletedLine
	h.Blanks = 0
	return nil
}

// finish gives f the hunk, if it changes something.
func (h *hunkReader) finish(f *File) {
	if !h.changes {
		h.r.patch.note(noteNoChange)
		return
	}
	// Which line the number is of depends on whether there is an old one; a header
	// may be wrong about that.
	switch {
	case !h.Numbered || h.olds != h.noOlds:
	case h.olds:
		h.Start++
	default:
		h.Start = max(0, h.Start-1)
	}
	if h.Numbered && h.olds {
		h.Start = max(1, h.Start)
	}
	f.Hunks = append(f.Hunks, h.Hunk)
}

// headerRange is what "@@ -1,3 +1,4 @@" says.
type headerRange struct {
	valid      bool // the numbers are in range
	start      int
	olds, news int // counts of lines
}

// parseHeaderRange reads a line that begins with "@@", and says whether there are
// numbers in it. What follows them is passed over: it is for the reader's eye.
func parseHeaderRange(l string) (headerRange, bool) {
	old, rest := cutWord(l[len("@@"):])
	put, _ := cutWord(rest)
	if !isRange(old, '-') || !isRange(put, '+') {
		return headerRange{}, false
	}
	start, olds, ok := parseRange(old[1:])
	_, news, okNew := parseRange(put[1:])
	if !ok || !okNew {
		return headerRange{}, true
	}
	return headerRange{true, start, olds, news}, true
}

// parseRange reads "1,3", or "1", which is one line.
func parseRange(s string) (start, count int, ok bool) {
	first, second, two := strings.Cut(s, ",")
	if !two {
		second = "1"
	}
	from, err := strconv.ParseInt(first, 10, 32)
	n, errCount := strconv.ParseInt(second, 10, 32)
	return int(from), int(n), err == nil && errCount == nil && min(from, n) >= 0
}

// cutWord returns the first word of s, and what follows it.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	i := strings.IndexAny(s, " \t\r")
	if i < 0 {
		i = len(s)
	}
	return s[:i], s[i:]
}

// isRange reports whether s is sign and numbers, as "-1,3"; they may be negative.
func isRange(s string, sign byte) bool {
	return len(s) > 1 && s[0] == sign && strings.Trim(s[1:], "-,0123456789") == "" && strings.ContainsAny(s, "0123456789")
}

package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchls/patchls/internal/lazy"
)

// hunkReader assembles a hunk from the lines of a patch.
type hunkReader struct {
	c *cursor
	Hunk
	counted int // how many lines the header says are old
	news    int // and how many new
	among   int // how many lines MayAdd
}

// header reads a line that begins with "@@", and returns the numbers in it, valid or not. A hunk may
// have several such lines above it, each an anchor inside of the one before it.
func (h *hunkReader) header(l string) headerRange {
	if m := headerRanges().FindStringSubmatch(l); m != nil {
		start, olds, ok := parseRange(m[1])
		_, news, okNew := parseRange(m[2])
		at := headerRange{ok && okNew, start, olds, news}
		h.number(at)
		return at
	}
	anchor := strings.TrimSpace(strings.TrimSuffix(" "+strings.TrimSpace(l[len("@@"):]), " @@"))
	switch anchor {
	case "":
	case "...", "…":
		h.c.patch.note(noteElided)
	default:
		h.Anchors = append(h.Anchors, anchor)
	}
	return headerRange{}
}

// number sets the line number of the hunk to that of a header.
func (h *hunkReader) number(at headerRange) {
	if !at.valid {
		h.c.patch.note(noteNumbers)
		return
	}
	h.Numbered, h.Start, h.counted, h.news = true, at.start, at.olds, at.news
}

// line reads a line of the hunk's body, which is the next line of the patch.
func (h *hunkReader) line(l string) error {
	var cr bool
	if h.Ends {
		l, cr = strings.CutSuffix(l, "\r")
	}
	if strings.HasPrefix(l, `\ `) {
		return h.noLineEnd()
	}
	line := Line{Kind: KeptLine, Text: l, CR: cr, NoSign: true}
	switch {
	case l == "" && (h.OldOpen || h.NewOpen):
		return nil // nothing follows the last line of a file: this is layout
	case isSigned(l):
		line = Line{Kind: LineKind(l[0]), Text: l[1:], CR: cr}
	case l != "":
		h.c.patch.note(noteNoSign)
	}
	if line.Kind != AddedLine && h.OldOpen || line.Kind != DeletedLine && h.NewOpen {
		return syntax(min(h.c.at+1, len(h.c.lines)), `a line follows one that "\ No newline at end of file" says is the last`)
	}
	if k := len(h.Lines) - h.Blanks; line.Kind == AddedLine && k > 0 && h.Lines[k-1].Kind == AddedLine {
		for ; k < len(h.Lines); k++ {
			h.Lines[k].MayAdd = true
			h.among++
		}
	}
	h.Lines = append(h.Lines, line)
	if h.Blanks++; l != "" {
		h.Blanks = 0
	}
	return nil
}

// noLineEnd reads "\ No newline at end of file", in any language.
func (h *hunkReader) noLineEnd() error {
	if len(h.Lines) == 0 {
		return syntax(h.c.at+1, `"\ No newline at end of file" has no line above it`)
	}
	kind := h.Lines[len(h.Lines)-1].Kind
	h.OldOpen = h.OldOpen || kind != AddedLine
	h.NewOpen = h.NewOpen || kind != DeletedLine
	h.Blanks = 0
	return nil
}

// finish adds the hunk to f, unless it has no text, and reports whether it changes something.
func (h *hunkReader) finish(f *File) bool {
	if n := len(h.Lines); h.Ends && h.c.open && h.c.at == len(h.c.lines) && n > 0 && h.Lines[n-1].Kind == AddedLine && !h.NewOpen {
		h.c.patch.note(noteLastLine)
	}
	changes := h.Changes()
	if !changes && h.Blanks == len(h.Lines) {
		h.c.patch.note(noteNoChange)
		return false
	}
	more := len(h.Old()) - h.counted // which may be the layout at the end
	for i := range h.Lines {
		if l := &h.Lines[i]; l.MayAdd && (more == h.among || more == h.among+h.Blanks) {
			l.Kind = AddedLine
			h.c.patch.note(noteEmptyAdded)
		}
		h.Lines[i].MayAdd = h.Lines[i].MayAdd && more != 0
	}
	if beside := h.besideAdded(); h.Numbered && len(beside) > 0 && more == len(beside) && len(h.New()) == h.news {
		for _, i := range beside {
			h.Lines[i].Kind = AddedLine
		}
		h.c.patch.note(noteEmptyAdded)
	}
	olds := slices.ContainsFunc(h.Lines, func(l Line) bool { return l.Kind != AddedLine })
	// The line that the number means depends on whether the hunk has old lines; the header may be wrong about that.
	switch {
	case !h.Numbered:
	case olds && h.counted == 0:
		h.Start++
	case olds:
		h.Start = max(1, h.Start)
	case h.counted > 0:
		h.Start = max(0, h.Start-1)
	}
	f.Hunks = append(f.Hunks, h.Hunk)
	return changes
}

// besideAdded returns the empty lines without a sign that are beside added lines.
func (h *hunkReader) besideAdded() (at []int) {
	for begin := 0; begin < len(h.Lines); {
		end := begin
		for end < len(h.Lines) && h.Lines[end].Kind == KeptLine && h.Lines[end].NoSign && h.Lines[end].Text == "" {
			end++
		}
		if begin > 0 && h.Lines[begin-1].Kind == AddedLine || end < len(h.Lines) && h.Lines[end].Kind == AddedLine {
			for i := begin; i < end; i++ {
				at = append(at, i)
			}
		}
		begin = end + 1
	}
	return at
}

// headerRange holds the numbers of "@@ -1,3 +1,4 @@".
type headerRange struct {
	valid      bool // the numbers are in range
	start      int
	olds, news int // counts of lines
}

// headerRanges finds "-1,3 +1,4" in the header of a hunk; the numbers may be negative. The
// text after them is ignored: it is for human readers.
var headerRanges = lazy.Regexp(`^@@\s*-([-,\d]*\d[-,\d]*)\s+\+([-,\d]*\d[-,\d]*)(?:\s|$)`)

// IsSyntax reports whether a line that should be text looks like the syntax of a patch.
func IsSyntax(l string) bool {
	if l == "" || strings.IndexByte(`*@:\<>|-+d`, l[0]) < 0 {
		return false
	}
	m, _ := markerOf(l)
	return m != noMarker && m != unknownMarker || syntaxLine().MatchString(l) || isSearchMarker(l) || isReplaceMarker(l)
}

// syntaxLine finds the headers of diffs and their hunks, what git writes below a last line, the markers of conflicts, and what
// Roo writes above the old lines.
var syntaxLine = lazy.Regexp(`^(@@(\s.*)?|:(start|end)_line:\s*\d*\s*|\\ No newline at end of file|(<{7}|>{7}|\|{7}) .*|diff --git .*|(--?-|\+\+\+?) [ab]/.*|\*{3}(Begin|End) Patch)\r?$`)

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

// isSigned reports whether a line begins with a sign, as the lines of a body do.
func isSigned(l string) bool {
	return l != "" && (l[0] == ' ' || l[0] == '-' || l[0] == '+')
}

package place

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/reindent"
	"github.com/patchls/patchls/edits/text"
)

// changes returns what a hunk that stands at line at, from 0, comes to: a change
// for each run of its lines that go or are added, so that no context is ever
// written. It is false where the fold by which it was found is too wide for it.
func (t *target) changes(h *hunk, at int) ([]draft.LineChange, bool) {
	a := adapter{t: t, h: h, at: at}
	var out []draft.LineChange
	for i, line := 0, at; i < len(h.Lines); {
		if h.Lines[i].Kind == patch.KeptLine {
			i, line, a.above = i+1, line+1, a.above+1
			continue
		}
		from := i
		for i < len(h.Lines) && h.Lines[i].Kind != patch.KeptLine {
			i++
		}
		old, put := ofKind(h.Lines[from:i], patch.DeletedLine), ofKind(h.Lines[from:i], patch.AddedLine)
		c := draft.LineChange{From: line, To: line + len(old), By: h.number}
		var ok bool
		if c.Lines, ok = a.adapt(line, old, put); !ok || h.fold.Indent && !keepsBodies(put, c.Lines) {
			return nil, false
		}
		if a.meansEnds() {
			c.Ends = lineEnds(h.Lines[from:i])
		}
		line, a.above = c.To, a.above+len(put)
		out = append(out, c)
	}
	if n := len(out); n > 0 && h.tail == 0 {
		switch {
		case h.NewOpen && !h.OldOpen:
			out[n-1].End = draft.NoFinalEnd
		case h.OldOpen && !h.NewOpen:
			out[n-1].End = draft.WithFinalEnd
		}
	}
	return out, true
}

// ofKind returns the texts of those lines that are of a kind.
func ofKind(lines []patch.Line, kind patch.LineKind) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		if l.Kind == kind {
			out = append(out, l.Text)
		}
	}
	return out
}

// lineEnds returns the line ends of those lines that are added.
func lineEnds(lines []patch.Line) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		switch {
		case l.Kind != patch.AddedLine:
		case l.CR:
			out = append(out, "\r\n")
		default:
			out = append(out, "\n")
		}
	}
	return out
}

// adapter adapts the new lines of a hunk to the text at its place.
type adapter struct {
	t       *target
	h       *hunk
	at      int
	above   int           // how many new lines are above those to be adapted
	goOn    []bool        // the new lines that go on with the one above, once that is wanted
	lines   []string      // of the text, where the old ones stand; read when first wanted
	indents *reindent.Map // learnt when first wanted
	no      bool          // the indentations contradict each other
}

// there returns the lines of the text from a line on, where the old ones stand.
func (a *adapter) there(line int) []string {
	if a.lines == nil {
		a.lines = a.t.src.LinesAt(a.at, len(a.h.old))
	}
	return a.lines[line-a.at:]
}

// meansEnds reports whether the patch says which line ends its new lines have:
// it shows more than one kind, or all of the text, and the text has those that it
// shows for the old ones.
func (a *adapter) meansEnds() bool {
	h, t := a.h, a.t.src.Text
	if !h.Ends {
		return false
	}
	mixed, line := t.Lines() == 0, a.at // an empty text has no line ends to take over
	for _, l := range h.Lines {
		mixed = mixed || l.CR != h.Lines[0].CR
		if l.Kind == patch.AddedLine {
			continue
		}
		at := t.Line(line)
		if end := t.Slice(at.End, at.Next); end != "" && (end == "\r\n") != l.CR {
			return false
		}
		line++
	}
	return mixed
}

// adapt returns the lines that put, which replaces old, means for the text, where
// old stands at a line.
func (a *adapter) adapt(line int, old, put []string) ([]string, bool) {
	if a.h.tier == edits.Exact || a.h.tier == edits.TrailingSpace && !a.h.keepsBlanks || len(old) == 0 && !a.h.fold.Indent {
		return put, true
	}
	switch {
	case len(put) == 0:
		return nil, !a.restsOnWeak(line, old)
	case len(old) == 0:
		return a.indented(put)
	}
	if a.isIndented(line, old) && !hasCR(put) {
		return a.indented(put)
	}
	return a.transplanted(line, old, put)
}

// isIndented reports whether old stands at a line but for the blanks in front: then
// new lines are what was sent but for those.
func (a *adapter) isIndented(line int, old []string) bool {
	if f := a.h.fold; !f.Indent || f.Unicode {
		return false
	}
	there := a.there(line)
	for i, l := range old {
		_, core, after := diff.CutBlanks(l)
		_, found, trailing := diff.CutBlanks(there[i])
		if core != found || after != "" || trailing != "" || core == "" && l+there[i] != "" {
			return false
		}
	}
	return true
}

func hasCR(lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.IndexByte(l, '\r') >= 0 })
}

// transplanted is adapt for lines that the text has in any way that the fold allows.
func (a *adapter) transplanted(line int, old, put []string) ([]string, bool) {
	f, t := a.h.fold, a.t.src.Text
	start, end := t.LineStart(line), t.Line(line+len(old)-1).End
	tr := reindent.NewTransplant(t, strings.Join(old, "\n"), strings.Join(put, "\n"), f)
	if f.Indent {
		if tr.Learnt = a.learn(); tr.Learnt == nil {
			return nil, false
		}
		tr.Put.Continues = a.continued()
	}
	want, ok := tr.Into(t, start, end)
	if !ok {
		return nil, false
	}
	if a.h.keepsBlanks {
		return strings.Split(want, "\n"), true
	}
	return a.withBlanks(strings.Split(want, "\n"), put, line, len(old)), true
}

// keepsBodies reports whether lines, which put came to, are deeper than one above that opens
// a block wherever those of put are.
func keepsBodies(put, lines []string) bool {
	for i := 1; i < len(lines) && len(lines) == len(put); i++ {
		before, above, _ := diff.CutBlanks(put[i-1])
		_, core, _ := diff.CutBlanks(put[i])
		if core != "" && (strings.HasSuffix(above, ":") || strings.HasSuffix(above, "{")) && match.IndentWidth(put[i]) > match.IndentWidth(before) && match.IndentWidth(lines[i]) <= match.IndentWidth(lines[i-1]) {
			return false
		}
	}
	return true
}

// restsOnWeak reports whether lines that go are those of the text only by what
// cannot be seen or was spelled out.
func (a *adapter) restsOnWeak(line int, old []string) bool {
	for i, l := range old {
		there := a.t.src.LineAt(line + i)
		if l != there && a.h.fold.Unicode && (len(a.h.fold.Apply(l).Weak) > 0 || len(a.h.fold.Apply(there).Weak) > 0) {
			return true
		}
	}
	return false
}

// withBlanks returns lines, which put came to, with the blanks that put has at
// the ends of lines: those of the text are only those of lines that stay.
func (a *adapter) withBlanks(lines, put []string, line, n int) []string {
	stays := make(map[string]bool, n)
	for i := line; i < line+n; i++ {
		stays[a.t.src.LineAt(i)] = true
	}
	for i, l := range lines {
		if bare := strings.TrimRight(l, " \t"); i < len(put) && !stays[l] {
			lines[i] = bare + put[i][len(strings.TrimRight(put[i], " \t")):]
		}
	}
	return lines
}

// indented returns lines with the indentation that the text has for theirs.
func (a *adapter) indented(lines []string) ([]string, bool) {
	m := a.learn()
	if m == nil {
		return nil, false
	}
	out, continues := make([]string, len(lines)), a.continued()
	for i, l := range lines {
		before, core, after := diff.CutBlanks(l)
		if core == "" {
			out[i] = l
			continue
		}
		indent, ok := m.Of(before, continues[i])
		if !ok {
			return nil, false
		}
		out[i] = indent + core + after
	}
	return out, true
}

// continued tells for each of the new lines from those to be adapted on whether it goes on
// with the one above.
func (a *adapter) continued() []bool {
	if a.goOn == nil {
		a.goOn = reindent.Continued(a.h.put)
	}
	return a.goOn[a.above:]
}

// learn learns the map of the patch's indentation to the text's. What goes must
// fit it; context need not, and the nearer to a change it is the more it counts.
// nil if nothing can be learnt. Most hunks of a patch differ in nothing that it is
// learnt from.
func (a *adapter) learn() *reindent.Map {
	if a.indents != nil || a.no {
		return a.indents
	}
	pairs, gone := a.pairs()
	if a.t.unit == "" {
		a.t.unit, a.t.other = reindent.Unit(diff.Contents(a.t.before))
	}
	if a.indents = reindent.LostIndent(pairs, gone, a.t.unit, a.h.put); a.indents != nil {
		return a.indents
	}
	sent, _ := reindent.Unit(a.h.putLines)
	key := append(strconv.AppendInt(nil, int64(gone), 10), sent...)
	for _, p := range pairs {
		key = append(append(append(append(key, '\n'), p.Sent...), '>'), p.Found...)
		key = strconv.AppendBool(strconv.AppendBool(key, p.Continues), p.First)
	}
	m, known := a.t.learnt[string(key)]
	if !known {
		m = reindent.Learn(pairs, gone, a.t.unit, a.t.other, sent)
		if a.t.learnt == nil {
			a.t.learnt = map[string]*reindent.Map{}
		}
		a.t.learnt[string(key)] = m
	}
	a.indents, a.no = m, m == nil
	return m
}

// putLines yields the new lines as those of a text.
func (h *hunk) putLines(yield func(string) bool) {
	for i, l := range h.put {
		if i == 0 {
			l = strings.TrimPrefix(l, text.BOM)
		}
		if i+1 < len(h.put) {
			l = strings.TrimSuffix(l, "\r")
		}
		if !yield(l) {
			return
		}
	}
}

// pairs returns the indentations of old lines, as sent and as the text has them:
// those of lines that go, of which there are gone, and then those of context, the
// nearest to a change first.
func (a *adapter) pairs() (pairs []reindent.Pair, gone int) {
	type far struct {
		reindent.Pair
		distance int
	}
	pairs, kept := make([]reindent.Pair, 0, len(a.h.old)), make([]far, 0, len(a.h.old))
	distance := a.h.distances()
	lines, continues, first := a.there(a.at), reindent.Continued(a.h.old), true
	for i, l := range a.h.Lines {
		if l.Kind == patch.AddedLine {
			continue
		}
		sent, core, _ := diff.CutBlanks(l.Text)
		found, _, _ := diff.CutBlanks(lines[0])
		pair := reindent.Pair{Sent: sent, Found: found, Continues: continues[0], First: first}
		lines, continues, first = lines[1:], continues[1:], false
		switch {
		case core == "" || l.Elided:
		case l.Kind == patch.DeletedLine:
			pairs = append(pairs, pair)
		default:
			kept = append(kept, far{pair, distance[i]})
		}
	}
	gone = len(pairs)
	slices.SortStableFunc(kept, func(a, b far) int { return a.distance - b.distance })
	for _, k := range kept {
		pairs = append(pairs, k.Pair)
	}
	return pairs, gone
}

// distances returns for each line of the hunk how far the nearest change is.
func (h *hunk) distances() []int {
	out := make([]int, len(h.Lines))
	for _, back := range []bool{false, true} {
		d := len(h.Lines)
		for k := range h.Lines {
			i := k
			if back {
				i = len(h.Lines) - 1 - k
			}
			if d++; h.Lines[i].Kind != patch.KeptLine {
				d = 0
			}
			if !back || d < out[i] {
				out[i] = d
			}
		}
	}
	return out
}

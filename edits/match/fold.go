package match

import (
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/patchls/patchls/edits/diff"
)

// Fold says in what two texts may differ and still be taken for the same. Line
// ends may in every fold.
type Fold struct {
	Trailing bool // blanks at the ends of lines
	Indent   bool // blanks at the starts of lines
	Unicode  bool // look-alikes and normal forms, see foldSegment
}

// Folded is a text under a fold, with the way back to the text.
type Folded struct {
	Text string
	// pieces are the runs that were taken over from the text, in order. Between
	// them the text has bytes that the fold leaves out or has others for.
	pieces []piece
	// Weak are the offsets in Text of what only a weak look-alike stands for: what
	// cannot be seen or was spelled out. It is good for finding a line that stays,
	// and never for one that is changed.
	Weak []int
	// last is the piece that before gave last: the next one is often near.
	last int
}

// piece is a run of n bytes at offset at of a folded text, which stands for size
// bytes at offset from of the text: for each of them the same byte, or, if whole,
// all for all, so that it must not be cut. Documents are below 2 GiB.
type piece struct {
	at, from, n, size int32
	whole             bool
}

// Text returns s under the fold, without the way back.
func (f Fold) Text(s string) string {
	var b strings.Builder
	f.write(&foldWriter{b: &b}, s)
	return b.String()
}

// Line returns a line, without its line end, under the fold.
func (f Fold) Line(line string) string {
	before, core, _ := diff.CutBlanks(line)
	switch {
	case f.Unicode && !IsASCII(line):
		return f.Text(line)
	case core == "" && f.Trailing:
		return ""
	case f.Indent && f.Trailing:
		return core
	case f.Indent:
		return line[len(before):]
	case f.Trailing:
		return line[:len(before)+len(core)]
	}
	return line
}

// Has reports whether g leaves out, of what only some folds do, a thing that f
// does; of the two that look at characters the one about indentation needs it.
func (f Fold) Has(g Fold) bool {
	switch {
	case g == Fold{}:
		return true
	case g.Unicode:
		return f.Unicode && (f.Indent || !g.Indent)
	case g.Indent:
		return f.Indent
	}
	return f.Trailing
}

// Apply returns s under the fold.
func (f Fold) Apply(s string) Folded {
	var out Folded
	var b strings.Builder
	if f.Trailing || f.Indent {
		out.pieces = make([]piece, 0, 1+strings.Count(s, "\n"))
	}
	f.write(&foldWriter{out: &out, b: &b}, s)
	out.Text = b.String()
	return out
}

// write writes s under the fold.
func (f Fold) write(w *foldWriter, s string) {
	w.b.Grow(len(s))
	for off := 0; off < len(s); {
		next := len(s)
		if i := strings.IndexByte(s[off:], '\n'); i >= 0 {
			next = off + i + 1
		}
		end := next
		if strings.HasSuffix(s[off:next], "\n") {
			end--
			if strings.HasSuffix(s[off:end], "\r") {
				end--
			}
		}
		f.line(w, s, off, end)
		if end < next {
			w.put("\n", end, next-end)
		}
		off = next
	}
}

// line folds the content s[start:end] of a line. A line of blanks alone has no
// indentation: its blanks are trailing ones.
func (f Fold) line(w *foldWriter, s string, start, end int) {
	before, core, after := diff.CutBlanks(s[start:end])
	from, to := start, end
	if core == "" {
		before, after = "", s[start:end]
	}
	if f.Indent {
		from += len(before)
	}
	if f.Trailing {
		to -= len(after)
	}
	if !f.Unicode {
		w.copy(s, from, to)
		return
	}
	for from < to {
		// What is in normal form needs a look at each character only.
		if n := normalSpan(s[from:to]); n > 0 {
			w.copyFolding(s, from, from+n)
			from += n
			continue
		}
		n := norm.NFC.NextBoundaryInString(s[from:to], true)
		if n <= 0 {
			n = to - from
		}
		w.putFolded(s, from, n)
		from += n
	}
}

// normalSpan returns the length of a prefix of s that is in NFC. Scripts that have
// nothing to compose are told by their place, which is faster.
func normalSpan(s string) int {
	for i := 0; i < len(s); {
		if n := plainSize[s[i]]; n > 0 {
			i += int(n)
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !(r < 0x300 || (r >= 0x2010 && r < 0x2100) || (r >= 0x3400 && r < 0xA000) || (r >= 0x3000 && r < 0x3099)) {
			return norm.NFC.QuickSpanString(s)
		}
		i += n
	}
	return len(s)
}

// foldWriter writes a folded text.
type foldWriter struct {
	out *Folded // nil if only the text is wanted
	b   *strings.Builder
}

// copy takes over s[from:to] as it is.
func (w *foldWriter) copy(s string, from, to int) {
	if from == to {
		return
	}
	if w.out != nil {
		n := int32(to - from)
		w.join(piece{int32(w.b.Len()), int32(from), n, n, false})
	}
	w.b.WriteString(s[from:to])
}

// copyFolding takes over s[from:to], which is in normal form, but for look-alikes.
func (w *foldWriter) copyFolding(s string, from, to int) {
	run := from
	for off := from; off < to; {
		if n := plainSize[s[off]]; n > 0 {
			off += int(n)
			continue
		}
		r, n := utf8.DecodeRuneInString(s[off:to])
		if put, weak, ok := standIn(r); ok {
			w.copy(s, run, off)
			w.putFor(put, weak, off, n)
			run = off + n
		}
		off += n
	}
	w.copy(s, run, to)
}

// putFolded writes what stands for the n bytes at from of s.
func (w *foldWriter) putFolded(s string, from, n int) {
	put, weak := foldSegment(s[from : from+n])
	w.putFor(put, weak, from, n)
}

// putFor writes put, a weak look-alike or not, for the n bytes at from.
func (w *foldWriter) putFor(put string, weak bool, from, n int) {
	if weak && w.out != nil {
		w.out.Weak = append(w.out.Weak, w.b.Len())
	}
	w.put(put, from, n)
}

// put writes what stands for size bytes at from of the text, whole.
func (w *foldWriter) put(s string, from, size int) {
	if w.out != nil {
		w.join(piece{int32(w.b.Len()), int32(from), int32(len(s)), int32(size), len(s) != 1 || size != 1})
	}
	w.b.WriteString(s)
}

// join adds p, made one with the piece before it where that is the same run.
func (w *foldWriter) join(p piece) {
	if k := len(w.out.pieces) - 1; k >= 0 && !p.whole {
		if last := &w.out.pieces[k]; !last.whole && last.from+last.size == p.from {
			last.n += p.n
			last.size += p.size
			return
		}
	}
	w.out.pieces = append(w.out.pieces, p)
}

// Start returns the offset in the text of what begins at off.
func (f *Folded) Start(off int) int {
	// The piece that holds off, or, as some are empty, the first one after it that
	// does not end there.
	i := max(0, f.before(off))
	for ; i < len(f.pieces) && int(f.pieces[i].at+f.pieces[i].n) <= off; i++ {
	}
	if i == len(f.pieces) {
		return f.End(off)
	}
	return int(f.pieces[i].from) + f.within(i, off)
}

// End returns the offset in the text of what ends at off.
func (f *Folded) End(off int) int {
	i := f.before(off)
	if i < 0 {
		return 0
	}
	return int(f.pieces[i].from) + f.within(i, off)
}

// within returns how far into piece i of the text off is: a piece that stands
// for others is never cut.
func (f *Folded) within(i, off int) int {
	p := f.pieces[i]
	switch d := off - int(p.at); {
	case !p.whole:
		return d
	case d <= 0:
		return 0
	default:
		return int(p.size)
	}
}

// before returns the last piece that begins before off, -1 if there is none.
func (f *Folded) before(off int) int {
	begins := func(i int) bool { return i == len(f.pieces) || int(f.pieces[i].at) >= off }
	for i := f.last; i < min(f.last+4, len(f.pieces)); i++ {
		if begins(i + 1) {
			if begins(i) {
				break
			}
			f.last = i
			return i
		}
	}
	i := sort.Search(len(f.pieces), begins) - 1
	f.last = max(i, 0)
	return i
}

// Cuts reports whether off is inside of a piece that stands for others, so that
// the text has no place for it.
func (f *Folded) Cuts(off int) bool {
	i := f.before(off)
	return i >= 0 && f.pieces[i].whole && int(f.pieces[i].at+f.pieces[i].n) > off
}

// Offset returns the offset in the folded text of offset off of the text; what
// the fold leaves out has that of what comes after it.
func (f *Folded) Offset(off int) int {
	i := sort.Search(len(f.pieces), func(i int) bool { return int(f.pieces[i].from+f.pieces[i].size) > off })
	if i == len(f.pieces) {
		return len(f.Text)
	}
	p := f.pieces[i]
	switch d := off - int(p.from); {
	case d <= 0 || p.whole: // inside of what stands for others: its start
		return int(p.at)
	default:
		return int(p.at) + d
	}
}

// Inside reports whether offset off of the text is within what stands whole.
func (f *Folded) Inside(off int) bool {
	i := sort.Search(len(f.pieces), func(i int) bool { return int(f.pieces[i].from) >= off }) - 1
	return i >= 0 && f.pieces[i].whole && int(f.pieces[i].from+f.pieces[i].size) > off
}

// HasWeak reports whether [start,end) of the folded text rests on a weak
// look-alike.
func (f *Folded) HasWeak(start, end int) bool {
	i := sort.SearchInts(f.Weak, start)
	return i < len(f.Weak) && f.Weak[i] <= end
}

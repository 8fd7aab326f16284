package match

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// Fold says how two texts may differ, apart from line ends, and still be taken for the same.
type Fold struct {
	Trailing bool // blanks at the ends of lines
	Indent   bool // blanks at the starts of lines; only with Trailing
	Unicode  bool // look-alikes and normal forms, see foldSegment
}

// Folded is a text under a fold, with a map back to the original text.
type Folded struct {
	Text string
	// spans holds, for each byte of Text, the bytes of the original text that it stands for. Bytes
	// that together stand for the same bytes share a span, which must not be cut.
	spans []span
}

// span is the bytes [from,to) of a text. Documents are below 2 GiB.
type span struct{ from, to int32 }

// Text returns s under the fold, without the map back to s.
func (f Fold) Text(s string) string {
	var w foldWriter
	f.write(&w, s)
	return w.b.String()
}

// Line returns a line, without its line end, under the fold.
func (f Fold) Line(line string) string {
	before, core, _ := text.CutBlanks(line)
	switch {
	case f.Unicode && !text.IsASCII(line):
		return f.Text(line)
	case core == "" && f.Trailing:
		return ""
	case f.Indent:
		return core
	case f.Trailing:
		return line[:len(before)+len(core)]
	}
	return line
}

// Apply returns s under the fold, with the map back to s.
func (f Fold) Apply(s string) Folded {
	w := foldWriter{out: &Folded{spans: make([]span, 0, len(s))}}
	f.write(&w, s)
	w.out.Text = w.b.String()
	return *w.out
}

// write writes s under the fold.
func (f Fold) write(w *foldWriter, s string) {
	w.b.Grow(len(s))
	for _, l := range diff.SplitLines(s, 0, len(s)) {
		f.line(w, s, l.Start, l.End)
		if l.End < l.Next {
			w.put("\n", l.End, l.Next-l.End)
		}
	}
}

// line folds the content s[start:end] of a line. A line of blanks alone has no indentation: its blanks are trailing ones.
func (f Fold) line(w *foldWriter, s string, start, end int) {
	before, core, after := text.CutBlanks(s[start:end])
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
		// Text in normal form is folded character by character.
		if n := norm.NFC.QuickSpanString(s[from:to]); n > 0 {
			w.copyFolding(s, from, from+n)
			from += n
			continue
		}
		n := norm.NFC.NextBoundaryInString(s[from:to], true)
		w.put(foldSegment(s[from:from+n]), from, n)
		from += n
	}
}

// foldWriter writes a folded text.
type foldWriter struct {
	out *Folded // nil if only the text is wanted
	b   strings.Builder
}

// copy writes s[from:to] as it is.
func (w *foldWriter) copy(s string, from, to int) {
	for i := from; w.out != nil && i < to; i++ {
		w.out.spans = append(w.out.spans, span{int32(i), int32(i + 1)})
	}
	w.b.WriteString(s[from:to])
}

// copyFolding writes s[from:to], which is in normal form, with its look-alikes replaced.
func (w *foldWriter) copyFolding(s string, from, to int) {
	run := from
	for i, r := range s[from:to] {
		if put, ok := standIn(r); ok {
			w.copy(s, run, from+i)
			w.put(put, from+i, utf8.RuneLen(r))
			run = from + i + utf8.RuneLen(r)
		}
	}
	w.copy(s, run, to)
}

// put writes s, which stands for size bytes at from of the original text.
func (w *foldWriter) put(s string, from, size int) {
	for i := 0; w.out != nil && i < len(s); i++ {
		w.out.spans = append(w.out.spans, span{int32(from), int32(from + size)})
	}
	w.b.WriteString(s)
}

// Start returns the offset in the original text of what begins at off.
func (f *Folded) Start(off int) int {
	if off == len(f.spans) {
		return f.End(off)
	}
	return int(f.spans[off].from)
}

// End returns the offset in the original text of what ends at off.
func (f *Folded) End(off int) int {
	if off == 0 {
		return 0
	}
	return int(f.spans[off-1].to)
}

// Cuts reports whether off is inside of bytes that share a span: the original text has no place for it.
func (f *Folded) Cuts(off int) bool {
	return off > 0 && off < len(f.spans) && f.spans[off-1] == f.spans[off]
}

// Offset returns the offset in the folded text of offset off of the original text: that of what follows
// if the fold leaves out what is at off, and that of the start if off is inside of what is replaced as one.
func (f *Folded) Offset(off int) int {
	return sort.Search(len(f.spans), func(i int) bool { return int(f.spans[i].to) > off })
}

// Inside reports whether offset off of the original text is within bytes that were replaced as one.
func (f *Folded) Inside(off int) bool {
	i := f.Offset(off)
	return i < len(f.spans) && int(f.spans[i].from) < off
}

// foldSegment returns the folded form of s, a character with what combines with it, in NFC.
func foldSegment(s string) string {
	var w foldWriter
	nfc := norm.NFC.String(s)
	w.copyFolding(nfc, 0, len(nfc))
	return w.b.String()
}

// standIn returns the replacement of a look-alike: the quotes, dashes, blanks and ellipsis that
// models and word processors swap become the characters on the keyboard, and what cannot be
// seen becomes nothing. Guillemets are not replaced: a text that has them means them.
func standIn(r rune) (put string, ok bool) {
	switch r {
	case '\u2018', '\u2019', '\u201A', '\u201B', '\u2032', '\u02BC':
		return "'", true
	case '\u201C', '\u201D', '\u201E', '\u201F', '\u2033':
		return "\"", true
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return "-", true
	case '\u00A0', '\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007',
		'\u2008', '\u2009', '\u200A', '\u202F', '\u205F', '\u3000':
		return " ", true
	case '\u200B', '\u200C', '\u200D', '\u2060', '\uFEFF', '\u00AD': // zero-width, byte order mark, soft hyphen
		return "", true
	case '\u2026':
		return "...", true
	}
	return "", false
}

var (
	// BlanksFold passes over the blanks around lines.
	BlanksFold = Fold{Trailing: true, Indent: true}
	// LookAlikeFold passes over all that a fold can.
	LookAlikeFold = Fold{Trailing: true, Indent: true, Unicode: true}
)

// Step is a tier, and what it passes over.
type Step struct {
	Tier edits.Tier
	Fold Fold
}

// Tiers are tried in this order where a text does not stand exactly.
var Tiers = []Step{
	{edits.LineEnds, Fold{}},
	{edits.TrailingSpace, Fold{Trailing: true}},
	{edits.Indentation, Fold{Trailing: true, Indent: true}},
	{edits.Unicode, Fold{Trailing: true, Unicode: true}},
	{edits.Unicode, Fold{Trailing: true, Indent: true, Unicode: true}},
}

// CutsWord reports whether i is within a word of s, a number, or words that a hyphen joins.
func CutsWord(s string, i int) bool {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	before, n := utf8.DecodeLastRuneInString(s[:i])
	after, m := utf8.DecodeRuneInString(s[i:])
	if inWord(before) && inWord(after) {
		return true
	}
	first, _ := utf8.DecodeLastRuneInString(s[:i-n])
	last, _ := utf8.DecodeRuneInString(s[i+m:])
	joins := func(a, joint, b rune) bool {
		return joint == '-' && inWord(a) && inWord(b) || joint == '.' && unicode.IsDigit(a) && unicode.IsDigit(b)
	}
	return joins(first, before, after) || joins(before, after, last)
}

// WordCharacters counts the letters and digits in lines.
func WordCharacters(lines []string) int {
	n := 0
	for _, l := range lines {
		for _, r := range l {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
	}
	return n
}

// AllBlank reports whether there is nothing but white space in the lines.
func AllBlank(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
}

// IndentWidth returns how deep a line is indented, a tab being four blanks.
func IndentWidth(line string) int {
	before := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return len(before) + 3*strings.Count(before, "\t")
}

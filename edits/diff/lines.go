package diff

import (
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/text"
)

// SplitLines returns the lines of s[from:to], as offsets into s.
func SplitLines(s string, from, to int) []text.Line {
	spans := make([]text.Line, 0, strings.Count(s[from:to], "\n")+1)
	for line := range strings.Lines(s[from:to]) {
		next := from + len(line)
		spans = append(spans, text.Line{Start: from, End: next - len(text.Terminator(line)), Next: next})
		from = next
	}
	return spans
}

// lineEndBefore returns the line end of the line above the one that holds off, "" if there is none.
func lineEndBefore(s string, off int) string { return text.Terminator(s[:lineStart(s, off)]) }

// likeBytes bounds how far likeness reads into a line from either end.
const likeBytes = 1 << 8

// likeness returns how many bytes are the same at the ends of two lines without the blanks around
// them, or 0 if that is less than half of the longer line.
func likeness(a, b string) int32 {
	longer := max(len(a), len(b))
	p := CommonPrefix(a[:min(len(a), likeBytes)], b[:min(len(b), likeBytes)])
	a, b = a[p:], b[p:]
	q := CommonSuffix(a[max(0, len(a)-likeBytes):], b[max(0, len(b)-likeBytes):])
	if 2*(p+q) < min(longer, 2*likeBytes) {
		return 0
	}
	return int32(max(1, p+q)) // two empty lines are alike
}

// MatchLines returns for each line of a the equal line of b, or -1, so that as many lines as
// possible match in order. If there are too many lines, none is matched.
func MatchLines(a, b []string) []int {
	match := slices.Repeat([]int{none}, len(a))
	w := weigher{work: maxMatched, most: maxMatched}
	w.heaviest(len(a), len(b), func(i int, ws []int32) {
		for j := range ws {
			ws[j] = 0
			if a[i] == b[j] {
				ws[j] = 1
			}
		}
	}, func(i, j int) { match[i] = j })
	return match
}

// maxMatched bounds the work of MatchLines.
const maxMatched = 1 << 20

// Contents yields the lines of t without their line ends.
func Contents(t text.Text) iter.Seq[string] {
	return func(yield func(string) bool) {
		whole := t.Slice(0, t.Len()) // String would keep its copy as long as t lives
		for line := range strings.Lines(strings.TrimPrefix(whole, text.BOM)) {
			if !yield(line[:len(line)-len(text.Terminator(line))]) {
				return
			}
		}
	}
}

// UnixLines returns s with each "\r\n" as "\n".
func UnixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// symbol stands for a piece of text. Lines with the same core differ at most in their margin: the blanks around the core,
// and whether the line is terminated. Equal pieces have equal symbols. The reverse is almost certain but not guaranteed,
// since both are hashes. So pieces that would stay because of their symbols are compared once more.
type symbol struct {
	core   int32
	margin uint32
}

// numbers maps each hash to a number, counted from 0. It does not hold the texts, because
// looking them up again would be most of the cost.
type numbers map[uint64]int32

// ofLines returns the symbols of lines of s.
func (ns numbers) ofLines(s string, lines []text.Line) []symbol {
	out := make([]symbol, len(lines))
	for i, l := range lines {
		before, core, after := text.CutBlanks(s[l.Start:l.End])
		m := uint32(hashOf(before)>>1 ^ hashOf(after))
		if l.End == l.Next {
			m++
		}
		out[i] = symbol{ns.id(hashOf(core)), m}
	}
	return out
}

// ofPieces returns the symbols of the pieces of s between cuts.
func (ns numbers) ofPieces(s string, cuts []int) []symbol {
	out := make([]symbol, len(cuts)-1)
	for i := range out {
		out[i].core = ns.id(hashOf(s[cuts[i]:cuts[i+1]]))
	}
	return out
}

// id returns the number of a hash.
func (ns numbers) id(hash uint64) int32 {
	id, ok := ns[hash]
	if !ok {
		id = int32(len(ns))
		ns[hash] = id
	}
	return id
}

var hashSeed = maphash.MakeSeed()

// hashOf returns a hash of s. Its seed is drawn in each process, so that nobody can prepare texts whose hashes are equal.
func hashOf(s string) uint64 { return maphash.String(hashSeed, s) }

// widen moves the ends of the range outwards, and extends want, until they cut no character and no
// "\r\n" in two, in s or in the result. A "\r" right before the range is included: it is content,
// and must not become part of a line end that is put after it.
func widen(s string, start, end int, want string) (int, int, string) {
	if start > 0 && s[start-1] == '\r' && !Splits(s, start) && strings.HasPrefix(want, "\n") {
		want = "\r" + want
	}
	for Splits(s, start) || start > 0 && s[start-1] == '\r' {
		start--
		want = s[start:start+1] + want
	}
	for Splits(s, end) || strings.HasPrefix(s[end:], "\n") && strings.HasSuffix(want, "\r") {
		want += s[end : end+1]
		end++
	}
	return start, end, want
}

// equalHead returns the length in a and b of the first lines that are equal except for line ends.
func equalHead(a, b string) (int, int) {
	i, j := 0, 0
	for {
		n := CommonPrefix(a[i:], b[j:])
		i, j = i+n, j+n
		switch {
		case i == len(a) && j == len(b):
			return i, j
		case strings.HasPrefix(a[i:], "\r\n") && startsBareLF(b, j):
			i, j = i+2, j+1
		case strings.HasPrefix(b[j:], "\r\n") && startsBareLF(a, i):
			i, j = i+1, j+2
		default: // of this line only the start is common
			n := i - lineStart(a, i)
			return i - n, j - n
		}
	}
}

// cutEqualTail returns a and b without their last lines that are equal except for line ends.
func cutEqualTail(a, b string) (string, string) {
	i, j := len(a), len(b)
	for {
		n := CommonSuffix(a[:i], b[:j])
		i, j = i-n, j-n
		switch {
		case startsBareLF(b, j) && Splits(a, i):
			i--
		case startsBareLF(a, i) && Splits(b, j):
			j--
		case EndsLine(a[:i]) && EndsLine(b[:j]):
			return a[:i], b[:j]
		default: // only the end of this line is common
			return a[:i+len(FirstLine(a[i:]))], b[:j+len(FirstLine(b[j:]))]
		}
	}
}

// startsBareLF reports whether s has a "\n" at i, and no "\r" before it.
func startsBareLF(s string, i int) bool {
	return i < len(s) && s[i] == '\n' && (i == 0 || s[i-1] != '\r')
}

// lineStart returns where the line of s that reaches to i begins.
func lineStart(s string, i int) int {
	return strings.LastIndexByte(s[:i], '\n') + 1
}

// FirstLine returns the first line of s, with its line end.
func FirstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// EndsLine reports whether a text that follows s is at the start of a line.
func EndsLine(s string) bool { return s == "" || s[len(s)-1] == '\n' }

// CommonEnds returns the length of the longest common prefix of a and b, and of the longest common
// suffix of what is left, both made of whole characters: a "\r\n" counts as one.
func CommonEnds(a, b string) (prefix, suffix int) {
	p := CommonPrefix(a, b)
	for Splits(a, p) || Splits(b, p) {
		p--
	}
	q := CommonSuffix(a[p:], b[p:])
	for Splits(a, len(a)-q) || Splits(b, len(b)-q) {
		q--
	}
	return p, q
}

// strides are the numbers of bytes that are compared at a time while they are equal.
var strides = [...]int{64, 8, 1}

// CommonPrefix returns the length of the longest common prefix in bytes.
func CommonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for _, stride := range strides {
		for i+stride <= n && a[i:i+stride] == b[i:i+stride] {
			i += stride
		}
	}
	return i
}

// CommonSuffix returns the length of the longest common suffix in bytes.
func CommonSuffix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	a, b = a[len(a)-n:], b[len(b)-n:]
	for _, stride := range strides {
		for i+stride <= n && a[n-i-stride:n-i] == b[n-i-stride:n-i] {
			i += stride
		}
	}
	return i
}

// Splits reports whether offset i is within a character or a "\r\n" of s. It never is among bytes that are not valid UTF-8.
func Splits(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	return s[i-1] == '\r' && s[i] == '\n' || text.FloorRune(s, i) < i
}

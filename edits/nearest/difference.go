package nearest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
)

// difference returns the name of what keeps old from being found: the first tier at which it
// would be, else "text".
func difference(old, found string) string {
	a, b := diff.SplitLines(old, 0, len(old)), diff.SplitLines(found, 0, len(found))
	for _, step := range match.Tiers {
		same := len(a) == len(b)
		for i := 0; same && i < len(a); i++ {
			same = step.Fold.Line(old[a[i].Start:a[i].End]) == step.Fold.Line(found[b[i].Start:b[i].End])
		}
		if same {
			return string(step.Tier)
		}
	}
	return "text"
}

// firstDifference returns where old and the text from the start of r on part,
// nil if they do only in the kinds of line ends.
func (s *search) firstDifference(r region) *edits.FirstDifference {
	i, j := part(s.old, s.s[r.start:])
	if i == len(s.old) {
		return nil
	}
	j += r.start
	for i > 0 && (diff.Splits(s.old, i) || diff.Splits(s.s, j)) {
		i, j = i-1, j-1
	}
	sent, found := lineRest(s.old[i:], ""), lineRest(s.s[j:], "␃")
	if len(sent) == len(s.old)-i && j < r.end && r.end-j < len(found) {
		found = s.s[j:r.end] // old ends within a line, and so does its counterpart
	}
	if !diff.EndsLine(s.old) && len(sent) == len(s.old)-i && found != "\n" {
		found = strings.TrimSuffix(found, "\n") // old says nothing about it
	}
	sent, found = cutCommonEnd(sent, found)
	t := s.src.Text
	line := t.LineAt(j)
	if line == t.Lines() { // the end of a terminated text is in no line
		line--
		j = t.Line(line).End
	}
	return &edits.FirstDifference{
		Line:   line + 1,
		Column: utf8.RuneCountInString(s.s[min(j, t.LineStart(line)):j]) + 1,
		Sent:   visible(sent),
		Found:  visible(found),
	}
}

// part returns where a and the text b part; a line end, "\n" or "\r\n", is like
// any other.
func part(a, b string) (i, j int) {
	for {
		n := diff.CommonPrefix(a[i:], b[j:])
		i, j = i+n, j+n
		switch {
		case strings.HasPrefix(a[i:], "\r\n") && diff.StartsBareLF(b, j):
			i++
		case strings.HasPrefix(b[j:], "\r\n") && diff.StartsBareLF(a, i):
			j++
		default:
			return i, j
		}
	}
}

// maxRest bounds how much of a line the end of an excerpt is looked for in.
const maxRest = 1 << 12

// lineRest returns s up to and with its first line end, which becomes "\n", or
// the mark of the end.
func lineRest(s, end string) string {
	s = diff.FirstLine(s[:min(len(s), maxRest)])
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return s[:len(s)-2] + "\n"
	case diff.EndsLine(s) && s != "", len(s) == maxRest:
		return s
	}
	return s + end
}

// cutCommonEnd returns a and b, which begin with different characters, without
// their common end, but none of them empty if it was not.
func cutCommonEnd(a, b string) (string, string) {
	q := diff.CommonSuffix(a, b)
	if q == len(a) || q == len(b) {
		_, n := utf8.DecodeRuneInString(a[len(a)-q:])
		q -= n
	}
	a, b = a[:runeEnd(a, len(a)-q)], b[:runeEnd(b, len(b)-q)]
	return a, b
}

// maxVisible bounds the characters of an excerpt of a difference.
const maxVisible = 24

// visible returns s with its blanks, and what else cannot be seen, made visible;
// what is left out at the end is marked by "…".
func visible(s string) string {
	var b strings.Builder
	count := 0
	for i, r := range s {
		if count++; count > maxVisible {
			b.WriteString("…")
			break
		}
		switch {
		case r == ' ':
			b.WriteString("␠")
		case r == '\t':
			b.WriteString("⇥")
		case r == '\r':
			b.WriteString("␍")
		case r == '\n':
			b.WriteString("␊")
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, "<0x%02X>", s[i])
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

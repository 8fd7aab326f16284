package nearest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// difference returns the name of what keeps old from being found: the first tier at which it
// would be, else "text".
func difference(old, found string) string {
	old, found = strings.TrimSuffix(old, text.Terminator(old)), strings.TrimSuffix(found, text.Terminator(found))
	for _, step := range match.Tiers {
		if step.Fold.Text(old) == step.Fold.Text(found) {
			return string(step.Tier)
		}
	}
	return "text"
}

// firstDifference returns where old and the text from the start of r on differ first,
// nil if they do only in the kinds of line ends.
func (s *search) firstDifference(r region) *edits.FirstDifference {
	at := r.start // of the line in the text
	for sent := range strings.Lines(s.old) {
		line := diff.FirstLine(s.s[at:])
		sent, found := diff.UnixLines(sent), diff.UnixLines(line)
		if !strings.HasSuffix(line, "\n") {
			found += "␃"
		}
		if bare := strings.TrimSuffix(found, "\n"); !diff.EndsLine(sent) && (bare == sent || !strings.HasPrefix(sent, bare)) {
			found = bare // old says nothing about the line end
		}
		p, q := diff.CommonEnds(sent, found)
		if p == len(sent) {
			at += len(line)
			continue
		}
		if ends := r.end - at; !diff.EndsLine(sent) && p < ends && ends < len(found) {
			found = found[:ends] // old ends within a line, and so does its counterpart
			_, q = diff.CommonEnds(sent, found)
		}
		if p+q == len(sent) || p+q == len(found) { // none is empty
			_, n := utf8.DecodeRuneInString(sent[len(sent)-q:])
			q -= n
		}
		t := s.src.Text
		n, at := t.LineAt(at+p), at+p
		if n == t.Lines() { // the end of a terminated text is in no line
			n--
			at = t.Line(n).End
		}
		return &edits.FirstDifference{
			Line:   n + 1,
			Column: utf8.RuneCountInString(s.s[min(at, t.LineStart(n)):at]) + 1,
			Sent:   visible(sent[p : len(sent)-q]),
			Found:  visible(found[p : len(found)-q]),
		}
	}
	return nil
}

// maxVisible bounds the characters of an excerpt of a difference.
const maxVisible = 24

// blanks are how an excerpt shows blanks, tabs and line ends.
var blanks = map[rune]rune{' ': '␠', '\t': '⇥', '\r': '␍', '\n': '␊'}

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
		case blanks[r] != 0:
			b.WriteRune(blanks[r])
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

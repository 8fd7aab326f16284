package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
)

// checkRewrite checks everything that Rewrite promises, and returns its edits.
func checkRewrite(t *testing.T, old string, start, end int, want string) edits.Edits {
	t.Helper()
	before := text.New(old)
	es := diff.Rewrite(before, start, end, want)
	failed := func(format string, args ...any) {
		t.Helper()
		t.Errorf("Rewrite(%.300q, %d, %d, %.300q): %s\nedits %.1000s", old, start, end, want, fmt.Sprintf(format, args...), describe(before, es))
	}
	if err := es.Validate(len(old)); err != nil {
		failed("%v", err)
		return es
	}
	if len(es) > diff.MaxEdits {
		failed("%d edits", len(es))
	}
	if again := diff.Rewrite(before, start, end, want); !slices.Equal(again, es) {
		failed("another time %.1000s", describe(before, again))
	}
	after := es.Apply(before)
	inverse := inverseOf(es, before)
	literal := want
	if start > 0 && old[start-1] == '\r' && !strings.HasPrefix(old[start:], "\n") && strings.HasPrefix(want, "\n") {
		literal = "\r" + want // a line end after content that ends in a lone CR
	}
	if got, want := lf(after.String()), lf(old[:start]+literal+old[end:]); got != want {
		failed("\n got %.300q\nwant %.300q, line ends apart", got, want)
	}
	if got := inverse.Apply(after).String(); got != old {
		failed("the inverse gives %.300q", got)
	}
	for i, e := range es {
		was := old[e.Start:e.End]
		if was != "" && e.New != "" && (firstCharacter(was) == firstCharacter(e.New) || lastCharacter(was) == lastCharacter(e.New)) {
			failed("%q and %q begin or end alike", was, e.New)
		}
		v := inverse[i]
		valid := utf8.ValidString(old) && utf8.ValidString(after.String())
		if valid && (cutsCharacter(old, e.Start) || cutsCharacter(old, e.End) || cutsCharacter(after.String(), v.Start) || cutsCharacter(after.String(), v.End)) {
			failed("%q cuts a character or a line end in two", describe(before, es[i:i+1]))
		}
	}
	checkLineEnds(t, old, start, end, want, after.String(), failed)
	if from, to := start, end+es.Delta(); len(es) == 0 || es[0].Start >= start && es[len(es)-1].End <= end {
		if again := diff.Rewrite(after, from, to, want); len(again) > 0 {
			failed("a second time it gives %s", describe(after, again))
		}
	}
	for _, same := range []string{old[start:end], lf(old[start:end])} {
		if es := diff.Rewrite(before, start, end, same); len(es) > 0 && lf(same) == same {
			failed("the same text gives %s", describe(before, es))
		}
	}
	return es
}

// inverseOf returns the edits that turn es.Apply(before) back into before.
func inverseOf(es edits.Edits, before text.Text) edits.Edits {
	var inverse edits.Edits
	shift := 0
	for _, e := range es {
		start := e.Start + shift
		inverse = append(inverse, edits.Edit{Start: start, End: start + len(e.New), New: before.Slice(e.Start, e.End)})
		shift += e.Delta()
	}
	return inverse
}

// checkLineEnds checks that lines that certainly stay, because the old and the wanted
// lines are equal counted from either end of the range, keep their line ends, and that a
// text with one kind of line end still has only that kind.
func checkLineEnds(t *testing.T, old string, start, end int, want, after string, failed func(string, ...any)) {
	t.Helper()
	if isLineStart(old, start) && isLineStart(old, end) {
		is := strings.SplitAfter(after[start:len(after)-(len(old)-end)], "\n")
		was, wanted := strings.SplitAfter(old[start:end], "\n"), strings.SplitAfter(want, "\n")
		n, i := min(len(was), len(wanted)), 0
		for ; i < n && lf(was[i]) == lf(wanted[i]); i++ {
			if is[i] != was[i] {
				failed("line %d of the range became %q", i, is[i])
			}
		}
		for k := 1; k <= n-i && lf(was[len(was)-k]) == lf(wanted[len(wanted)-k]); k++ {
			if is[len(is)-k] != was[len(was)-k] {
				failed("line %d from the end of the range became %q", k, is[len(is)-k])
			}
		}
	}
	crlf, all := strings.Count(old, "\r\n"), strings.Count(old, "\n")
	if all == 0 || crlf > 0 && crlf < all || strings.Contains(lf(old)+lf(want), "\r") {
		return // no kind to keep, or a lone CR asks for a CRLF
	}
	gotCRLF, gotAll := strings.Count(after, "\r\n"), strings.Count(after, "\n")
	if crlf == 0 && gotCRLF > 0 || crlf == all && gotCRLF < gotAll {
		failed("line ends of the other kind: %.300q", after)
	}
}

// lf returns s with "\n" for all line ends.
func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// isLineStart reports whether a line of s begins, or s ends, at i.
func isLineStart(s string, i int) bool {
	return i == 0 || i == len(s) || s[i-1] == '\n'
}

func firstCharacter(s string) string {
	if strings.HasPrefix(s, "\r\n") {
		return s[:2]
	}
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

func lastCharacter(s string) string {
	if strings.HasSuffix(s, "\r\n") {
		return "\r\n"
	}
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

// cutsCharacter reports whether i is within a "\r\n" or a code point of s.
func cutsCharacter(s string, i int) bool {
	if i == 0 || i == len(s) {
		return false
	}
	return s[i-1] == '\r' && s[i] == '\n' || !utf8.RuneStart(s[i])
}

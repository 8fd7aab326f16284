package patch

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/patchls/patchls/internal/lazy"
)

var (
	oldRange = lazy.Regexp(`^\*{3} (\d+)(?:,(\d+))? \*{4}\s*$`) // above the old lines of a hunk
	newRange = lazy.Regexp(`^-{3} (\d+)(?:,(\d+))? -{4}\s*$`)   // above its new lines
	// hunkLine finds a line that only a hunk of a context diff has. The first line of a hunk has stars.
	hunkLine = lazy.Regexp(`^(\*{4}|\*{3} \d|-{3} [\d,]+ -|! )`)
	// noOldLines and noNewLines find the ranges of a hunk without old or new lines, also in a unified diff.
	noOldLines = lazy.Regexp(`^(@@ -0,0|\*{4}.*\n\*{3} 0) `)
	noNewLines = lazy.Regexp(`^@@.* \+0,0 @@|\n--- 0 ----\s*$`)
)

// contextNamesAt reports whether line i is "*** x", with "--- y" and a hunk of a context diff below it.
func (ls patchLines) contextNamesAt(i int) bool {
	return strings.HasPrefix(ls[i], "*** ") && i+2 < len(ls) && strings.HasPrefix(ls[i+1], "--- ") && strings.HasPrefix(ls[i+2], "****")
}

// contextHunk reads the hunk that begins at the next line. What it says twice must agree, or lines may have been lost.
func (r unifiedReader) contextHunk(f *File) error {
	r.at++ // the stars
	h := hunkReader{c: r.cursor, Hunk: Hunk{Line: r.at + 1, Ends: true, Counted: true}}
	first := r.at
	start, olds, old := r.half("-", oldRange())
	_, news, put := r.half("+", newRange())
	changes := slices.ContainsFunc(r.lines[first:r.at], func(l string) bool { return strings.HasPrefix(l, "!") })
	// diff prints no lines for a half in which none changes. If the half has no lines, its range names the line above, and counts it.
	leftOut := func(half, other []string, count int) ([]string, int) {
		if strings.TrimSpace(strings.Join(half, "")) != "" {
			return half, count
		}
		half = slices.DeleteFunc(slices.Clone(other), isChange)
		if len(half) == 0 && len(other) > 0 && !changes {
			count = max(0, count-1)
		}
		return half, count
	}
	old, olds = leftOut(old, put, olds)
	put, news = leftOut(put, old, news)
	for r.fault == nil && len(old)+len(put) > 0 {
		var l string
		switch {
		case len(old) > 0 && isChange(old[0]):
			l, old = old[0], old[1:]
		case len(put) > 0 && isChange(put[0]):
			l, put = put[0], put[1:]
		case len(old) == 0 || len(put) == 0 || old[0] != put[0]:
			return syntax(h.Line, "the lines of this hunk that stay are not the same in its two halves; if it was cut off or changed, send the patch as it was made")
		default:
			l, old, put = old[0], old[1:], put[1:]
		}
		r.fault = h.line(l)
	}
	if n, m := len(h.Old()), len(h.New()); r.fault == nil && (n != olds || m != news) {
		r.fault = syntax(h.Line, "this hunk has %d old lines and %d new ones, and its ranges count %d and %d; if it was cut off or changed, send the patch as it was made", n, m, olds, news)
	}
	h.number(headerRange{valid: true, start: start, olds: olds})
	h.finish(f)
	return r.fault
}

// half reads half of a hunk: a range, which is next, and its lines, with the sign for "!". It sets r.fault if the range is missing.
func (r unifiedReader) half(sign string, header *regexp.Regexp) (start, count int, lines []string) {
	at := min(r.at, len(r.lines)-1)
	m := header.FindStringSubmatch(r.lines[at])
	if m == nil {
		r.fault = cmp.Or(r.fault, error(syntax(at+1, `here a hunk breaks off, which has "*** 1,5 ****" above its old lines and "--- 1,6 ----" above its new ones; send the patch as it was made`)))
		return 0, 0, nil
	}
	start, end, _ := parseRange(m[1] + "," + cmp.Or(m[2], m[1]))
	count = min(end, end-start+1) // line 0 is none
	for r.at++; r.at < len(r.lines); r.at++ {
		l := r.lines[r.at]
		l += "  "[min(2, len(l)):] // blanks at line ends may be lost; "diff -T" writes a tab for the second
		switch {
		case strings.HasPrefix(l, `\ `): // no line follows
			r.at++
			return start, count, append(lines, l)
		case l[1] != ' ' && l[1] != '\t' || !strings.Contains(" !"+sign, l[:1]) || strings.TrimSpace(l) == "" && len(lines) >= count:
			return start, count, lines
		default:
			lines = append(lines, strings.Replace(l[:1], "!", sign, 1)+l[2:])
		}
	}
	return start, count, lines
}

// isChange reports whether a line of a half, with its sign, is not one of the context.
func isChange(l string) bool { return l[0] != ' ' }

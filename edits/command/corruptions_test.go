package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
)

// corruptions are the ways in which models distort an edit. A corruption returns false for
// a hunk that it leaves unchanged.
var corruptions = []struct {
	name    string
	in      string // the dialect that has it; "" for all
	corrupt func(h trueHunk, a attempt) (attempt, bool)
}{
	{"clean", "", func(_ trueHunk, a attempt) (attempt, bool) { return a, true }},
	{"less context", "", lessContext},
	{"trailing blanks", "", changed(func(h trueHunk, a attempt) attempt {
		return a.each(func(i int, l string) string {
			if h.hunk[i].Kind == patch.AddedLine {
				return l
			}
			return l + "  "
		})
	})},
	{"two levels deeper", "", indentedBy(func(l string) string { return "        " + l })},
	{"without indentation", "", indentedBy(nil)},
	{"tabs for blanks", "", changed(func(_ trueHunk, a attempt) attempt {
		return a.each(func(_ int, l string) string {
			before, core, after := text.CutBlanks(l)
			return strings.ReplaceAll(before, "    ", "\t") + core + after
		})
	})},
	{"blanks for tabs", "", changed(func(_ trueHunk, a attempt) attempt {
		return a.each(func(_ int, l string) string {
			before, core, after := text.CutBlanks(l)
			return strings.ReplaceAll(before, "\t", "    ") + core + after
		})
	})},
	{"first line's indentation", "", changed(func(_ trueHunk, a attempt) attempt {
		return a.each(func(i int, l string) string {
			if i > 0 {
				return l
			}
			return strings.TrimLeft(l, " \t")
		})
	})},
	{"curly quotes sent", "", keptOnly(strings.NewReplacer(`"`, "”", "'", "’").Replace)},
	{"curly quotes in the file", "", inFile(strings.NewReplacer(`"`, "”", "'", "’").Replace)},
	{"dashes in the file", "", inFile(strings.NewReplacer("-", "–").Replace)},
	{"no-break blanks in the file", "", inFile(func(l string) string {
		before, core, after := text.CutBlanks(l)
		return before + strings.ReplaceAll(core, " ", "\u00a0") + after
	})},
	{"CRLF sent", "", func(_ trueHunk, a attempt) (attempt, bool) {
		return a.each(func(_ int, l string) string { return l + "\r" }), true
	}},
	{"CRLF in the file", "", func(_ trueHunk, a attempt) (attempt, bool) {
		crlf := strings.NewReplacer("\n", "\r\n").Replace
		a.doc, a.want = crlf(a.doc), crlf(a.want)
		return a, true
	}},
	{"blank line added", "", blankAdded},
	{"blank line dropped", "", blankDropped},
	{"blank line at the end", "", func(_ trueHunk, a attempt) (attempt, bool) {
		a.hunk = append(slices.Clip(a.hunk), patch.Line{Kind: patch.KeptLine})
		return a.each(func(_ int, l string) string { return l }), a.hunk[len(a.hunk)-2].Kind == patch.KeptLine
	}},
	{"context misquoted", "", misquoted(patch.KeptLine)},
	{"deleted line misquoted", "", misquoted(patch.DeletedLine)},
	{"context stale", "", contextStale},
	{"moved down", "", func(_ trueHunk, a attempt) (attempt, bool) {
		above := "# one\n# two\n# three\n"
		a.doc, a.want = above+a.doc, above+a.want
		return a, true
	}},
	{"twice in the file", "", func(h trueHunk, a attempt) (attempt, bool) {
		a.doc, a.want = a.doc+a.doc, ""
		a.noNumbers = true
		return a, len(h.lines) > 60 && len(a.old) > 0
	}},
	{"sent again", "", func(_ trueHunk, a attempt) (attempt, bool) {
		a.doc = a.want
		return a, true
	}},
	{"lines left out", "", leftOut("...")},
	{"lines left out by a comment", "", leftOut("// ... existing code ...")},
	{"left out in the new text", "", leftOutOfNew},
	{"line breaks escaped", "str_replace", func(_ trueHunk, a attempt) (attempt, bool) {
		escape := func(lines []string) []string {
			return []string{strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(strings.Join(lines, "\n"))}
		}
		ok := !strings.Contains(strings.Join(append(slices.Clone(a.old), a.put...), "\n"), `\`) && len(a.old) > 1 && len(a.put) > 0
		a.old, a.put = escape(a.old), escape(a.put)
		return a, ok
	}},
	{"quotes escaped", "", escapedAs(`"`, `\"`)},
	{"entities of HTML", "", escapedAs("<", "&lt;")},
	{"numbers as cat -n", "", numberedBy(func(n int, l string) string { return fmt.Sprintf("%6d\t%s", n, l) }, true)},
	{"numbers with a colon", "", numberedBy(func(n int, l string) string { return fmt.Sprintf("%d: %s", n, l) }, true)},
	{"numbers with a bar", "", numberedBy(func(n int, l string) string { return fmt.Sprintf("%4d | %s", n, l) }, true)},
	{"numbers with an arrow", "", numberedBy(func(n int, l string) string { return fmt.Sprintf("%d→%s", n, l) }, true)},
	{"numbers in old alone", "str_replace", numberedBy(func(n int, l string) string { return fmt.Sprintf("%6d\t%s", n, l) }, false)},
	{"numbers in SEARCH alone", "SEARCH", numberedBy(func(n int, l string) string { return fmt.Sprintf("%6d\t%s", n, l) }, false)},
	{"in a fence", "patch", func(_ trueHunk, a attempt) (attempt, bool) {
		a.around = [2]string{"Here it is:\n```diff\n", "```\n"}
		return a, !strings.Contains(a.body(), "```")
	}},
	{"in a here-document", "context patch", func(_ trueHunk, a attempt) (attempt, bool) {
		a.around = [2]string{"apply_patch <<'EOF'\n", "EOF\n"}
		return a, true
	}},
	{"without numbers", "diff", func(_ trueHunk, a attempt) (attempt, bool) { a.noNumbers = true; return a, true }},
	{"wrong numbers", "diff", func(_ trueHunk, a attempt) (attempt, bool) { a.start = 1 + a.start*7%50; return a, true }},
	{"wrong counts", "diff", func(_ trueHunk, a attempt) (attempt, bool) { a.oldCount = 3; return a, true }},
	{"no blank before context", "diff", func(_ trueHunk, a attempt) (attempt, bool) {
		a.unmarked = true
		return a, !slices.ContainsFunc(a.hunk, func(l patch.Line) bool {
			return l.Kind == patch.KeptLine && strings.ContainsAny(l.Text[:min(1, len(l.Text))], "+-\\@")
		})
	}},
}

// changed is a corruption by f, false where that changes nothing.
func changed(f func(h trueHunk, a attempt) attempt) func(trueHunk, attempt) (attempt, bool) {
	return func(h trueHunk, a attempt) (attempt, bool) {
		b := f(h, a)
		return b, !slices.Equal(a.old, b.old)
	}
}

// indentedBy gives all lines another indentation; the common one goes if f is nil.
func indentedBy(f func(l string) string) func(trueHunk, attempt) (attempt, bool) {
	return changed(func(h trueHunk, a attempt) attempt {
		common := ""
		for i, l := range h.hunk {
			if before, core, _ := text.CutBlanks(l.Text); core != "" && (i == 0 || common == "" && i == 0 || len(before) < len(common)) {
				common = before
			}
		}
		return a.each(func(_ int, l string) string {
			switch {
			case strings.TrimSpace(l) == "":
				return l
			case f == nil:
				return strings.TrimPrefix(l, common)
			}
			return f(l)
		})
	})
}

// keptOnly corrupts the lines that stay.
func keptOnly(f func(l string) string) func(trueHunk, attempt) (attempt, bool) {
	return changed(func(h trueHunk, a attempt) attempt {
		return a.each(func(i int, l string) string {
			if h.hunk[i].Kind == patch.KeptLine {
				return f(l)
			}
			return l
		})
	})
}

// inFile changes what stands in the file, and not what is sent.
func inFile(f func(l string) string) func(trueHunk, attempt) (attempt, bool) {
	return func(h trueHunk, a attempt) (attempt, bool) {
		doc, want := slices.Clone(h.lines), []string{}
		hit := false
		at := h.at
		for _, l := range h.hunk {
			if l.Kind == patch.KeptLine {
				hit = hit || f(l.Text) != l.Text
				doc[at] = f(l.Text)
			}
			if l.Kind != patch.AddedLine {
				at++
			}
		}
		want = append(want, doc[:h.at]...)
		for _, l := range h.hunk {
			switch l.Kind {
			case patch.KeptLine:
				want = append(want, f(l.Text))
			case patch.AddedLine:
				want = append(want, l.Text)
			}
		}
		want = append(want, doc[at:]...)
		a.doc, a.want = draft.JoinLines(doc), draft.JoinLines(want)
		return a, hit
	}
}

// lessContext leaves one line of context on either side.
func lessContext(_ trueHunk, a attempt) (attempt, bool) {
	head := slices.IndexFunc(a.hunk, func(l patch.Line) bool { return l.Kind != patch.KeptLine })
	last := len(a.hunk) - 1
	for a.hunk[last].Kind == patch.KeptLine {
		last--
	}
	from, to := max(0, head-1), min(len(a.hunk), last+2)
	if from == 0 && to == len(a.hunk) {
		return a, false
	}
	a.hunk = a.hunk[from:to]
	a.start += from
	a = a.each(func(_ int, l string) string { return l })
	n := strings.Count("\n"+a.doc, "\n"+joinedLines(a.old))
	if len(a.old) == 0 || n != 1 {
		a.want = "" // it does not say which place is meant
	}
	return a, n < 2 || a.start < 0
}

// blankAdded adds a blank line between two lines of context.
func blankAdded(_ trueHunk, a attempt) (attempt, bool) {
	for i := 1; i < len(a.hunk); i++ {
		if a.hunk[i-1].Kind == patch.KeptLine && a.hunk[i].Kind == patch.KeptLine && a.hunk[i].Text != "" && a.hunk[i-1].Text != "" {
			a.hunk = slices.Insert(slices.Clone(a.hunk), i, patch.Line{Kind: patch.KeptLine})
			return a.each(func(_ int, l string) string { return l }), true
		}
	}
	return a, false
}

// blankDropped drops a blank line of context.
func blankDropped(_ trueHunk, a attempt) (attempt, bool) {
	for i := 1; i+1 < len(a.hunk); i++ {
		if a.hunk[i].Kind == patch.KeptLine && a.hunk[i].Text == "" {
			a.hunk = slices.Delete(slices.Clone(a.hunk), i, i+1)
			return a.each(func(_ int, l string) string { return l }), true
		}
	}
	return a, false
}

// misquoted has a word more in the first long line of a kind.
func misquoted(kind patch.LineKind) func(trueHunk, attempt) (attempt, bool) {
	return changed(func(h trueHunk, a attempt) attempt {
		k := slices.IndexFunc(h.hunk, func(l patch.Line) bool { return l.Kind == kind && len(strings.TrimSpace(l.Text)) > 12 })
		return a.each(func(i int, l string) string {
			if i == k {
				return l + " misquoted"
			}
			return l
		})
	})
}

// contextStale changes a line of context in the file.
func contextStale(h trueHunk, a attempt) (attempt, bool) {
	k := slices.IndexFunc(h.hunk, func(l patch.Line) bool { return l.Kind == patch.KeptLine && len(strings.TrimSpace(l.Text)) > 12 })
	if h.at%7 != 0 || k < 0 || strings.Count(a.doc, h.hunk[k].Text) != 1 || strings.Count(a.want, h.hunk[k].Text) != 1 {
		return a, false
	}
	stale := h.hunk[k].Text
	a.doc, a.want = strings.Replace(a.doc, stale, stale+" now", 1), strings.Replace(a.want, stale, stale+" now", 1)
	return a, true
}

// leftOut leaves out lines of context in the middle, if there are any.
func leftOut(by string) func(trueHunk, attempt) (attempt, bool) {
	return func(h trueHunk, a attempt) (attempt, bool) {
		// Begin with the line that opens the block of the hunk, if there are lines in between.
		_, first, _ := text.CutBlanks(h.lines[min(h.at, len(h.lines)-1)])
		from := h.at - 1
		for from >= 0 && (strings.TrimSpace(h.lines[from]) == "" || match.IndentWidth(h.lines[from]) >= match.IndentWidth(h.lines[min(h.at, len(h.lines)-1)])) {
			from--
		}
		if from < 0 || first == "" || h.at-from < 4 || strings.Count(a.doc, h.lines[from]) > 1 || strings.TrimSpace(h.lines[h.at-1]) == "" {
			return a, false
		}
		var hunk []patch.Line
		for i, l := range h.lines[from:h.at] {
			switch {
			case i == 0 && strings.TrimSpace(l) == "":
				return a, false
			case i == 0 || i == h.at-from-1:
				hunk = append(hunk, patch.Line{Kind: patch.KeptLine, Text: l})
			case i == 1:
				before, _, _ := text.CutBlanks(l)
				hunk = append(hunk, patch.Line{Kind: patch.KeptLine, Text: before + by})
			}
		}
		a.hunk = append(hunk, a.hunk...)
		a.start = from + 1
		return a.each(func(_ int, l string) string { return l }), true
	}
}

// leftOutOfNew leaves lines out of the new text alone, which must be refused.
func leftOutOfNew(h trueHunk, a attempt) (attempt, bool) {
	if len(h.side(patch.DeletedLine)) < 5 {
		return a, false
	}
	var hunk []patch.Line
	for i, l := range h.hunk {
		if l.Kind != patch.AddedLine && i < len(h.hunk)-1 && i > 0 {
			l.Kind = patch.DeletedLine
		}
		if l.Kind != patch.AddedLine || i == 0 {
			hunk = append(hunk, l)
		}
		if i == 0 {
			hunk = append(hunk, patch.Line{Kind: patch.AddedLine, Text: "// ... existing code ..."})
		}
	}
	a.hunk, a.want = hunk, ""
	return a.each(func(_ int, l string) string { return l }), true
}

// escapedAs writes a character as an escape of it, where the old text has it.
func escapedAs(s, escaped string) func(trueHunk, attempt) (attempt, bool) {
	return func(h trueHunk, a attempt) (attempt, bool) {
		if strings.Contains(a.body(), escaped[:1]) {
			return a, false
		}
		b := a.each(func(_ int, l string) string { return strings.ReplaceAll(l, s, escaped) })
		return b, !slices.Equal(a.old, b.old)
	}
}

// numberedBy puts line numbers before the old lines; both says whether before the new ones as well.
func numberedBy(f func(n int, l string) string, both bool) func(trueHunk, attempt) (attempt, bool) {
	return func(h trueHunk, a attempt) (attempt, bool) {
		put := a.put
		old, next := h.at, h.at
		a = a.each(func(i int, l string) string {
			n := old
			switch h.hunk[i].Kind {
			case patch.KeptLine:
				old, next = old+1, next+1
			case patch.DeletedLine:
				old++
			default:
				n, next = next, next+1
			}
			return f(n+1, l)
		})
		if a.old = slices.Clone(h.side(patch.DeletedLine)); true {
			for i, l := range a.old {
				a.old[i] = f(h.at+i+1, l)
			}
		}
		a.put = slices.Clone(put)
		for i, l := range a.put {
			if both {
				a.put[i] = f(h.at+i+1, l)
			}
		}
		return a, len(a.old) > 0
	}
}

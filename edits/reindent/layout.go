package reindent

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lazy"
)

// kind says what the blanks before a line are for.
type kind int

const (
	statement kind = iota
	continued      // it continues the statement above it, and is laid out by its words
	data           // it is within a string, and they are a part of it
)

// line is a line of a hunk, cut in two.
type line struct {
	Line
	sent, core string
	kind       kind
}

// shows reports whether the line shows what an indentation stands for.
func (l *line) shows() bool { return l.Old && !l.Silent && l.core != "" }

// dash returns how far the words of an item of a list are from the start of its dash, 0 if a line is none.
func dash(core string) int {
	if !strings.HasPrefix(core, "- ") {
		return 0
	}
	return len(core) - len(strings.TrimLeft(core[1:], " "))
}

// linesOf returns the lines of a hunk, each with its kind on its side; lines that stay have that of the new one.
func linesOf(hunk []Line) []line {
	lines := make([]line, len(hunk))
	for i, l := range hunk {
		before, core, _ := text.CutBlanks(strings.TrimSuffix(l.Text, "\r"))
		lines[i] = line{Line: l, sent: before, core: core}
	}
	setKinds(lines, func(l *line) bool { return l.Old })
	setKinds(lines, func(l *line) bool { return l.New })
	return lines
}

// quote finds what begins a string that may have several lines: its end is the same, or a line of the word of a here-document.
var quote = lazy.Regexp("\"\"\"|'''|`|\"|\\B'|<<[-~]? ?[\"']?([A-Z]\\w*)[\"']?")

// escaped finds a character that an escape keeps from ending a string.
var escaped = lazy.Regexp(`\\.`)

// setKinds sets the kinds of the lines of one side. All below a string that the hunk does not close is in it.
func setKinds(lines []line, isSide func(*line) bool) {
	open, above := 0, ""
	end, isData := "", false // of the string that a line is in
	for i := range lines {
		l := &lines[i]
		if !isSide(l) {
			continue
		}
		l.kind = statement
		rest := escaped().ReplaceAllString(l.core, "")
		if end != "" {
			if isData {
				l.kind = data
			}
			word, isLine := strings.CutPrefix(end, "<<")
			_, after, ends := strings.Cut(rest, word)
			if !ends || isLine && word != rest {
				continue
			}
			rest = after
		} else if open > 0 || joined(above, l.core) {
			l.kind = continued
		}
		open, above = max(0, open+openBrackets(rest)), rest
		end, isData = opened(rest)
		isData = isData || l.kind == data
	}
}

// opened returns the end of the string that a line opens and does not close, "" if there is none; "<<EOF" stands for a line of
// its own. A string that begins its line is laid out like the text around it, and else its lines are data.
func opened(line string) (end string, isData bool) {
	for rest := line; ; {
		at := quote().FindStringSubmatchIndex(rest)
		if at == nil {
			return "", false
		}
		end, isData = rest[at[0]:at[1]], at[0] > 0 || rest != line
		rest = rest[at[1]:]
		if at[2] >= 0 {
			return "<<" + end[at[2]-at[0]:at[3]-at[0]], true
		}
		if _, below, closes := strings.Cut(rest, end); closes {
			rest = below
		} else if end != "'" || rest == "" { // else it is an apostrophe
			return end, isData
		}
	}
}

// levels are the steps that may be levels.
var levels = []int{2, 3, 4, 8}

// indentLines bounds how many lines are looked at to learn a text's unit.
const indentLines = 2000

// Unit returns one level of indentation of the lines of a text: a tab, or the step by which statements most often go deeper;
// four blanks if none does. other is that step if unit is a tab, and else a tab.
func Unit(texts iter.Seq[string]) (unit, other string) {
	var hunk []Line
	for l := range texts {
		if hunk = append(hunk, Line{Text: l, New: true}); len(hunk) == indentLines {
			break
		}
	}
	return unitOf(linesOf(hunk), "")
}

// unitOf is [Unit] for the new lines of a hunk, without the blanks that all of them have in front.
func unitOf(lines []line, base string) (unit, other string) {
	var in, out [9]int             // how often lines go deeper, and less deep, by so many blanks
	tabs, last, beside := 0, -1, 0 // the line above, and where its words begin
	for _, l := range lines {
		if !l.New || l.core == "" || l.kind == data || l.kind == continued && l.sent != "" {
			continue
		}
		before := strings.TrimPrefix(l.sent, base)
		if strings.HasPrefix(before, "\t") {
			tabs++
			continue
		}
		switch deeper, back := len(before)-last-beside, last-len(before); {
		case last < 0:
		case slices.Contains(levels, deeper):
			in[deeper]++
		case slices.Contains(levels, back):
			out[back]++
		}
		last, beside = len(before), dash(l.core)
	}
	if tabs == 0 && in == [9]int{} {
		in = out
	}
	best, most := 4, 0
	for step, n := range in {
		if n > most {
			best, most = step, n
		}
	}
	unit, other = strings.Repeat(" ", best), "\t"
	if tabs > most {
		unit, other = other, unit
	}
	return unit, other
}

// joined reports whether a line continues the one above it without an open bracket: by a
// backslash or an operator in between, or by the dot of a method.
func joined(above, line string) bool {
	for _, end := range []string{"\\", " &&", " ||", " +", " -", " *", " /", " =", " ?"} {
		if strings.HasSuffix(above, end) {
			return true
		}
	}
	if above == "" || strings.ContainsAny(above[len(above)-1:], "{};,:") {
		return false
	}
	return strings.HasPrefix(line, "&& ") || strings.HasPrefix(line, "|| ") || strings.HasPrefix(line, "? ") || strings.HasPrefix(line, ": ") ||
		len(line) > 1 && line[0] == '.' && unicode.IsLetter(rune(line[1]))
}

// openBrackets returns how many more parentheses and brackets a line opens than it closes. The lines below a line that
// leaves some open continue its statement, and are laid out by its words.
func openBrackets(line string) int {
	return strings.Count(line, "(") + strings.Count(line, "[") - strings.Count(line, ")") - strings.Count(line, "]")
}

var (
	opening = lazy.Regexp(`(?:[:{]|\b(?:then|do|else))$`)
	closing = lazy.Regexp(`^(?:[]})]|(?:fi|done|end|else|elif|case|default)\b)`)
)

// opens reports whether a line opens a block in which the line below it is deeper. The items of a list need not be.
func opens(above, below string) bool {
	return opening().MatchString(above) && below != "" && !closing().MatchString(below) && dash(below) == 0
}

// goesOnAt reports whether the first added line that is indented begins with indent, and is deeper than it exactly if
// the line above it opens something.
func goesOnAt(lines []line, indent string) bool {
	above := ""
	for _, l := range lines {
		switch {
		case !l.New:
		case l.core == "" || l.sent == "":
			above = l.core
		default:
			opens := dash(above) > 0 || above != "" && !unicode.IsLetter(rune(above[len(above)-1])) && !unicode.IsDigit(rune(above[len(above)-1])) && !strings.ContainsAny(above[len(above)-1:], ")]};\"'`")
			return strings.HasPrefix(l.sent, indent) && opens == isDeeper(l.sent, indent)
		}
	}
	return false
}

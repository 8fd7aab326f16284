package reread

import (
	"html"
	"strconv"
	"strings"

	"github.com/patchls/patchls/internal/lazy"
)

// Rereadings are the ways in which a command may have been escaped once too often. They are for a
// command whose old text stands nowhere as sent; if it stands somewhere reread, that was meant.
var Rereadings = []struct {
	As   func(old, put string) (bareOld, barePut string, ok bool)
	Note string
}{
	{unescaped, `The literal \n and \t in old_str and new_str were taken for line breaks and tabs.`},
	{unquoted, `The \" and \' in old_str and new_str were taken for quotes.`},
	{unentitled, "The entities of HTML in old_str and new_str were taken for what they stand for."},
}

// unescaped takes literal \n and \t for line breaks and tabs, if there are no real ones. Escapes
// in quotes are meant and stay; such a quote in put must also be in old.
func unescaped(old, put string) (bareOld, barePut string, ok bool) {
	old, put = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(put, "\n")
	if strings.ContainsAny(old+put, "\n\t") || strings.Contains(old+put, `\\`) {
		return "", "", false
	}
	bareOld, _ = unescapeOutside(old)
	barePut, kept := unescapeOutside(put)
	for _, quoted := range kept {
		if !strings.Contains(old, quoted) {
			return "", "", false
		}
	}
	return bareOld, barePut, bareOld != old
}

// escapes finds quotes and, outside of them, escapes. An apostrophe within a word is no quote.
var escapes = lazy.Regexp("\"[^\"]*\"|`[^`]*`|\\B'[^']*'|" + `\\[nt]`)

// unescapeOutside replaces the escapes of s outside of quotes, and returns the quotes that hold escapes.
func unescapeOutside(s string) (bare string, kept []string) {
	bare = escapes().ReplaceAllStringFunc(s, func(found string) string {
		switch {
		case found == `\n`:
			return "\n"
		case found == `\t`:
			return "\t"
		case strings.Contains(found, `\n`) || strings.Contains(found, `\t`):
			kept = append(kept, found)
		}
		return found
	})
	return bare, kept
}

// unquoted takes \" and \' for quotes.
func unquoted(old, put string) (bareOld, barePut string, ok bool) {
	bare := strings.NewReplacer(`\"`, `"`, `\'`, `'`).Replace
	bareOld, barePut = bare(old), bare(put)
	return bareOld, barePut, bareOld != old
}

var entity = lazy.Regexp(`&(?:lt|gt|amp|quot|apos|#39|#34);`)

// unentitled takes the entities of HTML for what they stand for.
func unentitled(old, put string) (bareOld, barePut string, ok bool) {
	bareOld = entity().ReplaceAllStringFunc(old, html.UnescapeString)
	return bareOld, entity().ReplaceAllStringFunc(put, html.UnescapeString), bareOld != old
}

// Numbering is the way in which a text quotes its line numbers.
type Numbering struct {
	Bare        string // the text without them
	First, Last int
	width       int    // of a number and the blanks before it, if they fill columns; else 0
	separator   string // between a number and its line
}

// numberedLine is a line as tools show it: "  10→x", "10 | x", "    10\tx", "L10: x".
var numberedLine = lazy.Regexp(`^( *L?(\d+))(→|\t| ?\| ?|: ?|\) ?)`)

// NumberingOf returns how s numbers its lines. The numbers must be on every line that is not blank, be
// written alike, and count up by one. A blank after each of them is a part of the separator.
func NumberingOf(s string) (n Numbering, ok bool) {
	lines := strings.SplitAfter(s, "\n")
	next, spaced := 0, true
	for i, l := range lines {
		m := numberedLine().FindStringSubmatch(l)
		if m == nil {
			if strings.TrimSpace(l) != "" {
				return n, false
			}
			next++
			continue
		}
		number, err := strconv.Atoi(m[2])
		separator := strings.TrimRight(m[3], " ")
		if n.separator == "" {
			n.separator, n.First, next = separator, number-i, number
		}
		if err != nil || number != next || separator != n.separator {
			return n, false
		}
		if m[1][0] == ' ' {
			n.width = len(m[1])
		}
		n.Last, next = number, number+1
		lines[i] = l[len(m[1])+len(separator):]
		spaced = spaced && (strings.HasPrefix(lines[i], " ") || strings.TrimSpace(lines[i]) == "")
	}
	if spaced && n.separator != "\t" && n.separator != "→" {
		n.separator += " "
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, " ")
		}
	}
	n.Bare = strings.Join(lines, "")
	return n, n.First > 0
}

// Cut removes line numbers from put, a text that goes with the numbered one: numbers that are written
// like those and count up, and numbers in front of the line that they number. All else is text.
func (n Numbering) Cut(put string) string {
	lines, old := strings.SplitAfter(put, "\n"), strings.Split(n.Bare, "\n")
	last := n.First - 1
	for i, l := range lines {
		number, bare, ok := n.CutLine(l)
		was := ok && number >= n.First && number <= n.Last && strings.TrimRight(bare, "\n") == old[number-n.First]
		if was || ok && number > last && number <= max(n.Last, last+1) {
			lines[i], last = bare, max(last, number)
		}
	}
	return strings.Join(lines, "")
}

// CutLine removes the number from a line, if it is written as in the numbered lines.
func (n Numbering) CutLine(l string) (number int, bare string, ok bool) {
	sign := strings.TrimRight(n.separator, " ")
	m := numberedLine().FindStringSubmatch(l)
	if len(m) == 0 || strings.TrimRight(m[3], " ") != sign || n.width > 0 && len(m[1]) != n.width {
		return 0, "", false
	}
	number, err := strconv.Atoi(m[2])
	rest := l[len(m[1]):]
	bare, cut := strings.CutPrefix(rest, n.separator)
	if !cut {
		bare = strings.TrimPrefix(rest, sign)
	}
	return number, bare, err == nil
}

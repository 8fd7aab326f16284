package reread

import (
	"html"
	"slices"
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
	{unescaped, `The escapes in old_str and new_str, such as \n and \", were taken for what they stand for.`},
	{unquoted, `The escapes of quotes in old_str and new_str were taken for what they stand for; others are the text's.`},
	{unentitled, "The entities of HTML in old_str and new_str were taken for what they stand for."},
}

var (
	unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'")
	noEscape = strings.NewReplacer(`\\`, "", `\n`, "", `\t`, "", `\"`, "", `\'`, "")
	unquote  = strings.NewReplacer(`\"`, `"`, `\'`, "'")
	noQuote  = strings.NewReplacer(`\"`, "", `\'`, "")
)

// Bare returns a text without its escapes.
func Bare(s string) string { return unescape.Replace(s) }

// unquoted undoes the escapes of quotes alone. The others must be in quotes; that those of old stand in the document then
// shows that they are the text's own.
func unquoted(old, put string) (bareOld, barePut string, ok bool) {
	bareOld, barePut = unquote.Replace(old), unquote.Replace(put)
	outside := quotes().ReplaceAllString(bareOld+"\n"+barePut, "")
	ok = bareOld != old && strings.Contains(bareOld, `\`) && !strings.Contains(old+put, `\\`) && !strings.Contains(outside, `\`)
	return bareOld, barePut, ok && quotedAlike(old, put)
}

// quotedAlike reports whether each kind of quote stands either as an escape or as itself, and old has those that put has as
// escapes: JSON does not escape an apostrophe.
func quotedAlike(old, put string) bool {
	single, left := strings.ReplaceAll(old+put, `\\`, ""), noQuote.Replace(strings.ReplaceAll(old+put, `\\`, ""))
	for _, quote := range []string{`"`, "'"} {
		if strings.Contains(single, `\`+quote) && (strings.Contains(left, quote) || quote == "'" && !strings.Contains(old, `\'`)) {
			return false
		}
	}
	return true
}

// unescaped undoes the escapes of both texts, as JSON would, and those of apostrophes. Nothing may be left that is no escape,
// or that JSON would have escaped as well. If old has no escape of a backslash, it does not show whether those of put are all
// escapes.
func unescaped(old, put string) (bareOld, barePut string, ok bool) {
	old, put = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(put, "\n")
	bareOld, barePut = unescape.Replace(old), unescape.Replace(put)
	left, single := noEscape.Replace(old+put), strings.ReplaceAll(old+put, `\\`, "")
	both := func(escape, char string) bool {
		return strings.Contains(single, escape) && strings.Contains(left, char)
	}
	if bareOld == old || bareOld[0] == '\\' || strings.Contains(left, `\`) || !quotedAlike(old, put) || both(`\n`, "\n") || both(`\t`, "\t") {
		return "", "", false
	}
	inPart := strings.Contains(put, `\\`) && strings.Contains(left, `"`)
	return bareOld, barePut, strings.Contains(old, `\\`) || !inPart && plainly(old, put, bareOld, barePut)
}

// quotes finds quotes. An apostrophe within a word is none.
var quotes = lazy.Regexp("\"[^\"]*\"|`[^`]*`|\\B'[^']*'")

// torn finds a line end or tab that may be a part of a path or a pattern, such as C:\new and s/x/\n/.
var torn = lazy.Regexp(`\b[A-Za-z]:\n[a-z]|/\n/|\[\^?\n\]| \n|[^\n\t]\t`)

// plainly reports whether the escapes of line ends and tabs in put can only be those of its lines: old has the like, they
// are outside of quotes, and tear nothing.
func plainly(old, put, bareOld, barePut string) bool {
	put = strings.ReplaceAll(put, `\\`, "")
	for _, escape := range []string{`\n`, `\t`} {
		within := func(quoted string) bool { return strings.Contains(quoted, escape) }
		if strings.Contains(put, escape) && !strings.Contains(old, escape) || slices.ContainsFunc(quotes().FindAllString(put, -1), within) {
			return false
		}
	}
	olds, above := strings.Split(bareOld, "\n"), "" // the line above, if it is new
	for l := range strings.SplitSeq(barePut, "\n") {
		if slices.Contains(olds, l) {
			l = ""
		}
		if torn().MatchString(above + "\n" + l) {
			return false
		}
		above = l
	}
	return true
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

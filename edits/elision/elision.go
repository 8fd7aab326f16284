// Package elision recognises where a text that was sent stands for more text than it has:
//
//	func f() {
//		// ... existing code ...
//	}
//
// Such a line would replace what the caller meant to keep.
package elision

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/patchls/patchls/internal/lazy"
)

// Find returns the first line of new, without the blanks around it, that stands for text
// which new leaves out (see remarkIn). Such a line is not in old and does not continue a
// sentence of the comment above it, and a line of old must be missing in new.
//
// An ellipsis alone, or with words that say nothing else, is often text. It counts only if two lines of old are not in new,
// since it stands for lines, and if nothing around it says what else it is (see isText). What is inside of a string over
// several lines, a fence or a here-document is text; above returns what stands above new.
func Find(above func() string, old, new string) (line string, found bool) {
	new = strings.ReplaceAll(new, "\r\n", "\n")
	lines := strings.Split(new, "\n")
	var olds map[string]bool // built only when a remark is found
	var quotes [][2]int
	missing, end := 0, 0
	for i, l := range lines {
		line, start := strings.TrimSpace(l), end
		end += len(l) + 1
		r, ok := remarkIn(line)
		if !ok {
			continue
		}
		if olds == nil {
			olds = lineSet(strings.Lines(old))
			news := lineSet(slices.Values(lines))
			for l := range olds {
				if l != "" && !news[l] {
					missing++
				}
			}
			if missing == 0 {
				return "", false
			}
			quotes = quoted(above(), new)
		}
		for len(quotes) > 0 && quotes[0][1] <= start {
			quotes = quotes[1:]
		}
		switch {
		case olds[line], len(quotes) > 0 && quotes[0][0] <= start:
		case (r.text == "" || r.vague) && (missing < 2 || isText(lines, i, r.mark, olds)):
		case r.text != "" && i > 0 && r.goesOn(lines[i-1]):
		default:
			return line, true
		}
	}
	return "", false
}

// opening matches what begins a text over several lines that is no code.
var opening = lazy.Regexp("^(?:\"\"\"|'''|`+|<<[-~]?[\"']?([A-Z_]+)[\"']?(?:[\\s)]|$))")

// quoted returns the ranges of s, below above, that are inside of what [opening] matches. What has no end is none.
func quoted(above, s string) (ranges [][2]int) {
	before, whole := 0, s+"\n"
	for _, q := range []string{`"""`, "'''"} {
		if strings.Count(above, q)%2 == 1 { // s begins in it
			before, whole = len(q), q+s+q
		}
	}
	for at := 0; ; {
		next := strings.IndexAny(whole[at:], "\"'`<")
		if next < 0 {
			return ranges
		}
		at += next
		m := opening().FindStringSubmatch(whole[at:min(len(whole), at+maxRemark)])
		if m == nil {
			at++
			continue
		}
		at += len(m[0])
		ends := m[0]
		if m[1] != "" {
			ends = m[1] + "\n"
		}
		n := strings.Index(whole[at:], ends)
		if n < 0 {
			return ranges
		}
		ranges = append(ranges, [2]int{at - before, at + n - before})
		at += n + len(ends)
	}
}

// MayElide reports whether line could stand for text that is left out.
func MayElide(line string) bool {
	_, ok := remarkIn(strings.TrimSpace(line))
	return ok
}

// lineSet returns lines as a set, without the blanks around them.
func lineSet(lines iter.Seq[string]) map[string]bool {
	set := map[string]bool{}
	for line := range lines {
		set[strings.TrimSpace(line)] = true
	}
	return set
}

// isText reports whether line i, which is only an ellipsis, is text and stands for nothing that is left out. In a comment it
// is text if the line above or below is a comment too. Otherwise it is text if it is the only line, continues a doctest,
// ends a YAML document, or is the whole body of a Python function or class that old does not have.
func isText(lines []string, i int, mark string, olds map[string]bool) bool {
	above, below := neighbour(lines, i, -1), neighbour(lines, i, 1)
	a, indent := strings.TrimSpace(above), IndentOf(lines[i])
	switch {
	case mark != "":
		return isComment(above, mark) || isComment(below, mark)
	case above == "" && below == "", strings.HasPrefix(a, ">>>"), strings.HasPrefix(a, "... "):
		return true
	case indent == 0 && (slices.Contains(lines, "---") || olds["---"]):
		return true
	}
	opens := strings.HasSuffix(a, ":") && IndentOf(above) < indent ||
		strings.HasSuffix(a, `"""`) || strings.HasSuffix(a, "'''")
	ends := below == "" || IndentOf(below) < indent
	return opens && ends && !olds[a]
}

// neighbour returns the first line above (step -1) or below (1) that is not blank, else "".
func neighbour(lines []string, i, step int) string {
	for i += step; i >= 0 && i < len(lines); i += step {
		if strings.TrimSpace(lines[i]) != "" {
			return lines[i]
		}
	}
	return ""
}

// isComment reports whether line is a comment with this mark, and says something.
func isComment(line, mark string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, mark) && len(line) > len(mark)
}

// IndentOf returns how many bytes of blanks line begins with.
func IndentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// IsElision reports whether a line is dots alone, or a remark about code that stays.
func IsElision(line string) bool {
	line = strings.TrimSpace(line)
	r, ok := remarkIn(line)
	return line == "..." || line == "…" || ok && !r.vague && r.mark != "" && r.mark != "* "
}

// CutElisions cuts lines into pieces at the lines that stand for others.
func CutElisions(lines []string) [][]string {
	pieces := [][]string{nil}
	for _, l := range lines {
		if IsElision(l) {
			pieces = append(pieces, nil)
			continue
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], l)
	}
	return pieces
}

// remark is what a line says about text that is left out, in a comment or as the whole line.
type remark struct {
	mark     string // with which the comment begins, "" if it is none
	text     string // without the marks, brackets and ellipses around it; "" if it is an ellipsis alone
	leading  bool   // it begins with an ellipsis
	trailing bool   // it ends with one
	enclosed bool   // it is in brackets
	behind   bool   // it is behind code
	heading  bool   // it may be a heading of Markdown, or an item of a list, as well
	vague    bool   // it says nothing else, but may not say that either
}

// comment matches a line that is a comment, or part of one that began above. It captures the
// mark, more characters of the mark, and the text.
var comment = lazy.Regexp(`^(\{/\*|\{\{/\*|\{\{!--|<!--|<%--|\{#|@\*|\(\*|\{-|/\*|//|#|--|;|%|\* )` +
	`([/#;%!*-]*)(.*?)(?:\*/\}{0,2}|--(?:>|%>|\}\})|#\}|\*@|\*\)|-\})?$`)

// behindCode matches a comment in braces, or one after code that begins with an ellipsis and has words.
var behindCode = lazy.Regexp(`\{\s*/\*(.*?)\*/\s*\}|.\s(?://|#|/\*) ?((?:\.\.\.|…).*\pL.*)`)

const (
	code = `(?:codes?|implementations?|imports?|logic|functionality|methods|functions)`
	unit = `(?:files?|function|method|class(?:es)?|components?|module|script|page|template|test)`
	part = `(?:tests|cases|fields|props|handlers|styles|body|setup)`
	gone = `(?:unchanged|unmodified|untouched|omitted|elided|snipped|skipped|left out)`
)

// saying matches a remark which says by itself that code stays as it is or is left out.
var saying = lazy.Regexp(`^(?:` + strings.Join([]string{
	`unchanged|unmodified|untouched`,
	`(?:keep |all |the |your |my )*(?:existing|unchanged) ` + code + `(?: here| as before| as is)?`,
	`(?:keep |all |the |your |my )*(?:previous|original|remaining) code(?: here| as before| as is)?`,
	`same code as before`,
	`(?:keep )?(?:the )?rest of (?:the |your |my |this )*(?:` + code + `|` + unit + `)(?: here)?`,
	`(?:the )?rest of .*(?:unchanged|same|as is|as before).*`,
	`keep (?:the )?rest(?: .*)?`,
	`everything else .*(?:same|unchanged).*`,
	code + ` (?:is |are |was |were )?` + gone + `.*`,
	`(?:previous |existing )?` + code + ` (?:stays?|remains?) (?:exactly )?the same.*`,
	`lines? \d+(?: \d+)? ` + gone,
	`(?:\w+ ){0,4}brevity`,
}, "|") + `)$`)

// hint matches a remark that says so only with an ellipsis; without one it could be a common title.
var hint = lazy.Regexp(`^(?:(?:` + code + `|` + unit + `|` + part + `)$|(?:(?:keep|the|all|any|\d+) )*` +
	`(?:rest|remainder|existing|others?|remaining|previous|original|same|more|truncated|snip|` + gone + `)\b)`)

// foreign matches a remark that says so in another language.
var foreign = lazy.Regexp(`остал|без измен|существующ|其余|其他|剩余|不变|省略|现有|原有|残り|既存|変更なし|나머지|기존|생략|` +
	`\b(?:rest[eo]|reszta|restlich\pL*|bestehend\pL*|exist[ae]nte?)\b|unverändert|inchangé|sin cambios|sem altera`)

// signs are strings: a line that elides has one of them, or one of the first three if it begins with a word.
var signs = []string{
	"..", "…", "/*", "rest", "existing", "unchanged", "unmodified", "untouched", "previous", "original", "remain",
	"same", "omitted", "elided", "snipped", "skipped", "left out", "brevity",
}

// maxRemark is the length in bytes up to which a line can be a remark.
const maxRemark = 160

// remarkIn returns what line, which has no blanks around it, says about text that is left out;
// ok is false if line says nothing about that.
func remarkIn(line string) (r remark, ok bool) {
	if line == "" || len(line) > maxRemark {
		return remark{}, false
	}
	has, lower := signs, strings.ToLower(line)
	if 'a' <= lower[0] && lower[0] <= 'z' {
		has = has[:3] // words without a comment, an ellipsis or brackets are text
	}
	if !slices.ContainsFunc(has, func(sign string) bool { return strings.Contains(lower, sign) }) {
		return remark{}, false // most lines end here, before the costly part
	}
	r.text = line
	if m := comment().FindStringSubmatch(line); m != nil {
		r.mark, r.text = m[1], m[3]
		r.heading = r.mark == "* " || r.mark == "#" && strings.HasPrefix(m[2], "#")
	} else if m := behindCode().FindStringSubmatch(line); m != nil {
		r.mark, r.text, r.behind = "/*", m[1]+strings.TrimSuffix(m[2], "*/"), true
	} else if strings.ContainsAny(line[:1], "-=*~_") {
		return remark{}, false // an item of a list, or a rule
	}
	r.strip()
	ok = r.elides()
	return r, ok
}

// strip takes ellipses, brackets and rules off the words, and notes the ellipses and brackets.
func (r *remark) strip() {
	isEllipsis := func(s string) bool { return len(s) >= 3 && len(s) <= 6 } // more dots are a rule
	for was := r.text + " "; was != r.text; {
		was = r.text
		s := strings.Trim(was, " \t-=*~_")
		if t := strings.TrimLeft(s, ".…"); isEllipsis(s[:len(s)-len(t)]) {
			r.leading, s = true, t
		}
		if t := strings.TrimRight(s, ".…"); isEllipsis(s[len(t):]) {
			r.trailing, s = true, t
		}
		if n := len(s) - 1; n > 0 && slices.Contains([]string{"()", "[]", "{}", "<>"}, s[:1]+s[n:]) {
			r.enclosed, s = true, s[1:n]
		}
		r.text = s
	}
}

// elides reports whether the remark says that something is left out: by itself, or as a hint with an ellipsis. Bare words
// are text, and "...rest" spreads a variable, so a hint that is not in a comment must have an ellipsis on both sides. A
// comment of several words that begins with an ellipsis may say so in any language.
func (r *remark) elides() bool {
	if strings.ContainsAny(r.text, "=<>{}[]\"`$@|\\?") {
		return false
	}
	isBetween := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	words := strings.Join(strings.FieldsFunc(strings.ToLower(r.text), isBetween), " ")
	said, ellipsis := saying().MatchString(words), r.leading || r.trailing
	hinted := said || hint().MatchString(words)
	switch {
	case r.text == "":
		return r.leading && !r.heading
	case r.heading:
		return ellipsis && said
	case r.mark == "" && (ellipsis || r.enclosed) && said, r.mark == "" && r.leading && r.trailing && hinted:
		return true
	case r.mark != "" && (said || hinted && (r.leading || r.trailing && strings.Count(words, " ") < 3)):
		return true
	case r.mark == "":
		r.vague = r.leading && r.trailing && foreign().MatchString(words)
	default:
		r.vague = r.leading && !r.behind && strings.ContainsFunc(words, func(c rune) bool { return c == ' ' || c > unicode.MaxASCII }) ||
			r.trailing && foreign().MatchString(words)
	}
	return r.vague
}

// goesOn reports whether the remark continues a sentence of the comment above.
func (r *remark) goesOn(above string) bool {
	above = strings.TrimSpace(above)
	return unicode.IsLower(rune(r.text[0])) && !r.leading && !r.trailing && !r.enclosed && r.mark != "" &&
		isComment(above, r.mark) && !strings.ContainsAny(above[len(above)-1:], ".:!?-=*")
}

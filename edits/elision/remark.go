package elision

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// remark is what a line says of text that is left out, in a comment or as all of the line.
type remark struct {
	mark     string // with which the comment begins, "" if it is none
	text     string // without the marks, brackets and ellipses around it; "" if it is an ellipsis alone
	leading  bool   // it begins with an ellipsis
	trailing bool   // it ends with one
	enclosed bool   // it is in brackets
	heading  bool   // it may be a heading of Markdown, or an item of a list, as well
}

// commentMarks are what comments begin with, those that begin with another one before it,
// and what they end with.
var commentMarks = [...][2]string{
	{"{/*", "*/}"}, {"<!--", "-->"}, {"<%--", "--%>"}, {"{{!--", "--}}"}, {"{{/*", "*/}}"}, {"{#", "#}"}, {"@*", "*@"},
	{"(*", "*)"}, {"{-", "-}"}, {"/*", "*/"}, {"//", ""}, {"#", ""}, {"--", ""}, {";", ""}, {"%", ""},
	{"* ", ""}, // a line of a comment that began above
}

// behindCode is a comment behind code that is all between braces, or begins with an
// ellipsis and has words.
var behindCode = regexp.MustCompile(`\{\s*/\*(.*?)\*/\s*\}|.\s(?://|#|/\*) ?((?:\.\.\.|…).*\pL.*)`)

// maxRemark is the length up to which a line can be a remark that says only that something
// is left out.
const maxRemark = 160

// remarkIn returns what line, which has no blanks around it, says of text that is left out;
// ok is false if it says nothing of it.
func remarkIn(line string) (r remark, ok bool) {
	if line == "" || len(line) > maxRemark {
		return remark{}, false
	}
	if c := line[0] | 0x20; 'a' <= c && c <= 'z' && !strings.Contains(line, "..") && !strings.Contains(line, "…") && !strings.Contains(line, "/*") {
		return remark{}, false // most lines, for which the rest is not worth while
	}
	r.text = line
	i := slices.IndexFunc(commentMarks[:], func(m [2]string) bool { return strings.HasPrefix(line, m[0]) })
	if i >= 0 {
		r.mark = commentMarks[i][0]
		text := line[len(r.mark):]
		r.heading = r.mark == "* " || r.mark == "#" && strings.HasPrefix(text, "#")
		r.text = strings.TrimSuffix(strings.TrimLeft(text, "/#;%!*-"), commentMarks[i][1])
	} else if m := behindCode.FindStringSubmatch(line); m != nil {
		r.mark, r.text = "/*", m[1]+strings.TrimSuffix(m[2], "*/")
	} else if strings.ContainsAny(line[:1], "-=*~_") {
		return remark{}, false // an item of a list, or a rule
	}
	r.strip()
	if r.text == "" {
		ok = r.leading && !r.heading
	} else {
		ok = r.says()
	}
	return r, ok
}

// strip takes off what is around the words.
func (r *remark) strip() {
	isEllipsis := func(s string) bool { return len(s) >= 3 && len(s) <= 6 } // more dots are a rule
	for {
		s := strings.Trim(r.text, " \t-=*~_")
		if t := strings.TrimLeft(s, ".…"); isEllipsis(s[:len(s)-len(t)]) {
			r.leading, s = true, t
		}
		if t := strings.TrimRight(s, ".…"); isEllipsis(s[len(t):]) {
			r.trailing, s = true, t
		}
		if n := len(s) - 1; n > 0 && slices.Contains([]string{"()", "[]", "{}", "<>"}, s[:1]+s[n:]) {
			r.enclosed, s = true, s[1:n]
		}
		if s == r.text {
			return
		}
		r.text = s
	}
}

// goesOn reports whether the remark goes on a sentence of the comment above.
func (r *remark) goesOn(above string) bool {
	above = strings.TrimSpace(above)
	first := r.text[0]
	return 'a' <= first && first <= 'z' && !r.leading && !r.trailing && !r.enclosed && r.mark != "" &&
		isComment(above, r.mark) && !strings.ContainsAny(above[len(above)-1:], ".:!?-=*")
}

// meanings are the words that are about code and staying as it is. CODE is seldom said of
// data. A UNIT has code in it; the rest of it is code. A PART is often left out with an
// ellipsis, and is the title of what follows without one. Those in lower case say that
// something stays or is left out, and FILL may be among them.
var meanings = wordsOf(map[string]string{
	"CODE": `code codes implementation implementations import imports logic functionality methods functions`,
	"UNIT": `file files function method class classes component components module script page template test`,
	"PART": `tests case cases field fields property properties props variable variables handler handlers route routes style
		styles rule rules option options config configuration setup statements markup html css jsx elements items entries
		types constants helpers state hooks args arguments params parameters return render stuff things everything else
		members parts sections section columns rows keys values steps line lines block body content contents definitions
		declarations`,
	"FILL": `the a of your my our all any and or with in to for from this that these those is are be as it its here above
		below before exactly brevity unaffected will goes go no not change changes changed needed etc now after left out
		previously current version old`,
	"rest":      `rest remainder`,
	"unchanged": `unchanged unmodified untouched`,
	"omitted":   `omitted elided snipped skipped`,
	"stays":     `remain remains stay stays`,
	"kept":      `keep kept`,
	"other":     `other others existing remaining previous original same more truncated snip`,
})

// sayings say by themselves that code stays or is left out: words and meanings, in any order
// and with others among them.
var sayings = [][]string{
	{"rest", "of", "CODE"}, {"rest", "of", "UNIT"}, {"existing", "CODE"}, {"previous", "code"}, {"original", "code"}, {"remaining", "code"},
	{"unchanged", "CODE"}, {"unchanged", "rest"}, {"unchanged", "everything"}, {"as", "before", "CODE"}, {"kept", "rest"},
	{"stays", "same", "CODE"}, {"stays", "same", "rest"}, {"stays", "same", "everything"},
	{"omitted", "CODE"}, {"left", "out", "CODE"}, {"brevity"}, {"omitted", "lines", "NUMBER"},
}

// restStays is a sentence on the rest of something that has any name.
var restStays = regexp.MustCompile(`^(the )?rest of (.* (unchanged|the same|as is|as before)$|(the |your )?(code|file|class|function|component) (remains|stays) .*(same|unchanged))`)

// wordsOf returns the words of a table by meaning, each with its meaning.
func wordsOf(table map[string]string) map[string]string {
	words := map[string]string{}
	for meaning, row := range table {
		for w := range strings.FieldsSeq(row) {
			words[w] = meaning
		}
	}
	return words
}

// says reports whether the words of the remark say that something is left out.
//
// They do if they are all about code and about staying as it is ("rest of the code",
// "unchanged"), and say so by themselves or, where that would be a common title ("other
// methods"), with an ellipsis. Other words may be among them ("rest of handleClick") after
// an ellipsis, and between "rest of" and "unchanged".
func (r *remark) says() bool {
	if strings.ContainsAny(r.text, "=<>{}[]\"`$@|\\?") {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(r.text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	known, points := true, false
	means := make([]string, len(words))
	for i, w := range words {
		if means[i] = meanings[w]; strings.Trim(w, "0123456789") == "" {
			means[i] = "NUMBER"
		}
		known = known && means[i] != ""
		points = points || means[i] >= "a"
	}
	has := func(w string) bool { return slices.Contains(words, w) || slices.Contains(means, w) }
	if !known && !r.leading {
		return has("rest") && restStays.MatchString(strings.Join(words, " "))
	}
	says := len(words) == 1 && has("unchanged") || slices.ContainsFunc(sayings, func(saying []string) bool {
		return !slices.ContainsFunc(saying, func(w string) bool { return !has(w) })
	})
	ellipsis := r.leading || r.trailing
	switch {
	case !known:
		return says || r.trailing && has("rest")
	case r.mark == "": // bare words are text; "...rest" spreads a variable
		return says && (ellipsis || r.enclosed) || points && r.leading && r.trailing
	case r.heading:
		return says && ellipsis
	}
	return says || points && ellipsis || r.leading && (has("CODE") || has("UNIT") || has("PART"))
}

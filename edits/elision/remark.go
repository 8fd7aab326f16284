package elision

import (
	"strings"
	"unicode"
)

// Remark is what a line says in a comment, or as all of the line.
type Remark struct {
	Mark     string // with which the comment begins, "" if it is none
	Text     string // without the marks, brackets and ellipses around it
	leading  bool   // it begins with an ellipsis
	trailing bool   // it ends with one
	enclosed bool   // it is in brackets
	heading  bool   // it may be a heading of Markdown as well
}

// commentMarks are what comments begin with, and end with if they do not end
// with the line; those that begin with another one come before it.
var commentMarks = [...]struct{ begin, end string }{
	{"{/*", "*/}"}, {"<!--", "-->"}, {"<%--", "--%>"}, {"{{!--", "--}}"}, {"{{/*", "*/}}"}, {"{#", "#}"}, {"@*", "*@"},
	{"(*", "*)"}, {"{-", "-}"}, {"/*", "*/"}, {"//", ""}, {"#", ""}, {"--", ""}, {";", ""}, {"%", ""}, {"REM ", ""},
	{"* ", ""}, // a line of a comment that began above
}

// maxRemark is the length up to which a line can be a remark that says only
// that something is left out.
const maxRemark = 160

// RemarkIn returns what line, which has no blanks around it, says; ok is false
// if it is code, or text of another kind.
func RemarkIn(line string) (r Remark, ok bool) {
	if line == "" || len(line) > maxRemark {
		return Remark{}, false
	}
	if c := line[0] | 0x20; 'a' <= c && c <= 'z' && !strings.HasPrefix(line, "REM ") &&
		!strings.Contains(line, "..") && !strings.Contains(line, "…") && !strings.Contains(line, "/*") {
		return Remark{}, false // most lines, for which the rest is not worth while
	}
	text := line
	for _, m := range &commentMarks {
		rest, found := strings.CutPrefix(line, m.begin)
		if !found {
			continue
		}
		r.Mark = m.begin
		if m.end == "" {
			// "///" and ";;" are comments, "##" may be a heading.
			text = strings.TrimLeft(rest, strings.TrimSpace(m.begin)+"!")
			r.heading = m.begin == "#" && strings.HasPrefix(rest, "#")
		} else {
			text = strings.TrimSuffix(strings.TrimLeft(rest, "*"), m.end)
		}
		break
	}
	if r.Mark == "" {
		inner, found := innerComment(line)
		if found {
			r.Mark, text = "/*", inner
		} else if inner, found = trailingComment(line); found {
			r.Mark, text = "//", inner
		} else if strings.ContainsAny(line[:1], "-=*~_") {
			return Remark{}, false // an item of a list, or a rule
		}
	}
	r.Text = text
	r.strip()
	switch {
	case r.Text == "":
		return r, r.leading && !r.heading && r.Mark != "* "
	case r.Mark == "":
		// Bare words are text; only with an ellipsis or in brackets they may be
		// a remark.
		return r, r.leading || r.trailing || r.enclosed
	}
	return r, true
}

// innerComment returns the text of a comment that is all between braces:
// "func f() { /* ... */ }".
func innerComment(line string) (string, bool) {
	before, rest, found := strings.Cut(line, "/*")
	inner, after, closed := strings.Cut(rest, "*/")
	return inner, found && closed && strings.HasSuffix(strings.TrimSpace(before), "{") && strings.HasPrefix(strings.TrimSpace(after), "}")
}

// trailingComment returns the text of a comment that begins with an ellipsis and
// words, after code.
func trailingComment(line string) (string, bool) {
	for _, mark := range [...]string{" // ...", " # ...", " // …", " # …", " /* ..."} {
		if i := strings.LastIndex(line, mark); i > 0 {
			text := strings.TrimLeft(line[i:], " /#*")
			return strings.TrimSuffix(text, "*/"), strings.IndexFunc(text, unicode.IsLetter) > 0
		}
	}
	return "", false
}

// strip takes off what is around the words.
func (r *Remark) strip() {
	for {
		s := strings.Trim(r.Text, " \t-=*~_")
		if t := strings.TrimLeft(s, ".…"); isEllipsis(s[:len(s)-len(t)]) {
			r.leading, s = true, t
		}
		if t := strings.TrimRight(s, ".…"); isEllipsis(s[len(t):]) {
			r.trailing, s = true, t
		}
		if n := len(s) - 1; n > 0 && isPair(s[0], s[n]) {
			r.enclosed, s = true, s[1:n]
		}
		if s == r.Text {
			return
		}
		r.Text = s
	}
}

// isPair reports whether these are an opening bracket and its closing one.
func isPair(a, b byte) bool {
	i := strings.IndexByte("([{<", a)
	return i >= 0 && ")]}>"[i] == b
}

// isEllipsis reports whether s, of dots and ellipses, is an ellipsis; more dots are
// a rule.
func isEllipsis(s string) bool { return len(s) >= 3 && len(s) <= 6 }

// Says reports whether the words of the remark say that something is left out.
//
// They do if they are all about code and about staying as it is ("rest of the
// code", "existing imports", "unchanged"), and say so by themselves or, where
// that would be a common title ("other methods"), with an ellipsis. Other words
// may be among them ("rest of handleClick", "useState") after an ellipsis, and
// between "rest of" and "unchanged".
func (r *Remark) Says() bool {
	if strings.ContainsAny(r.Text, "=<>{}[]\"`$@|\\?") {
		return false
	}
	between := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	text := strings.TrimLeftFunc(strings.ToLower(r.Text), between)
	first, _, _ := strings.Cut(text, " ")
	if first == "" || !r.leading && !isKnown(strings.TrimFunc(first, between)) && strings.IndexFunc(first, between) < 0 {
		return false // most comments, for which the rest is not worth while
	}
	words := strings.FieldsFunc(text, between)
	p := newPhrase(words)
	ellipsis := r.leading || r.trailing
	switch {
	case r.Mark == "" && len(words) == 1:
		// "...rest" spreads a variable.
		return r.leading && r.trailing && p.stays()
	case r.Mark == "":
		return p.closed() && (p.stays() && (ellipsis || r.enclosed) || r.leading && r.trailing && p.points())
	case r.heading || r.Mark == "* ":
		return p.closed() && p.stays() && ellipsis
	case p.closed():
		return p.stays() || ellipsis && p.points() || r.leading && p.names()
	case r.leading:
		return p.stays() || r.trailing && p.has("rest of")
	}
	return p.restStays()
}

// phrase is the words of a remark, in lower case.
type phrase struct {
	words []string
	text  string // the words with a blank around each
}

func newPhrase(words []string) phrase { return phrase{words, " " + strings.Join(words, " ") + " "} }

// codeWords name code: what is said about it is seldom said of data.
var codeWords = wordSet(`code codes implementation implementations import imports logic functionality methods functions`)

// unitWords name what code is in; the rest of it is code.
var unitWords = wordSet(`file files function method class classes component components module script page template test`)

// partWords name what is often left out with an ellipsis, and is the title of
// what follows without one.
var partWords = wordSet(`tests case cases field fields property properties props variable variables handler handlers
	route routes style styles rule rules option options config configuration setup statements markup html css jsx
	elements items entries types constants helpers state hooks args arguments params parameters return render stuff
	things everything else members parts sections section columns rows keys values steps line lines block body content
	contents definitions declarations`)

// stayWords say that something stays or is left out.
var stayWords = wordSet(`rest remaining remainder existing unchanged unmodified untouched previous original same other
	others omitted elided truncated snipped snip skipped remain remains stay stays kept keep more`)

// fillWords may stand between those.
var fillWords = wordSet(`the a of your my our all any and or with in to for from this that these those is are be as it
	its here above below before exactly brevity unaffected will goes go no not change changes changed needed etc now
	after left out previously current version old`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		set[w] = true
	}
	return set
}

// closed reports whether all words are about code and staying.
func (p phrase) closed() bool {
	for _, w := range p.words {
		if !isKnown(w) {
			return false
		}
	}
	return true
}

// isKnown reports whether a word is about code and staying, or a number.
func isKnown(w string) bool {
	return codeWords[w] || unitWords[w] || partWords[w] || stayWords[w] || fillWords[w] || strings.Trim(w, "0123456789") == ""
}

// points reports whether a word says that something stays.
func (p phrase) points() bool { return p.any(stayWords) }

// names reports whether a word names code or a part of it.
func (p phrase) names() bool { return p.any(codeWords) || p.any(unitWords) || p.any(partWords) }

// stays reports whether the words say by themselves that code stays or is left
// out.
func (p phrase) stays() bool {
	code := p.any(codeWords)
	rest := p.has("rest of", "remainder of")
	all := code || p.has("rest", "remainder of", "everything else")
	return rest && (code || p.any(unitWords)) ||
		code && p.has("existing", "as before") ||
		p.has("previous code", "original code", "remaining code") ||
		p.has("unchanged", "unmodified", "untouched") && (all || len(p.words) == 1) || all && p.stayTheSame() ||
		p.has("omitted", "elided", "snipped", "skipped", "left out") && (code || p.has("brevity") || p.has("lines") && p.counts()) ||
		p.has("keep", "kept") && p.has("rest")
}

// counts reports whether a word is a number.
func (p phrase) counts() bool {
	for _, w := range p.words {
		if strings.Trim(w, "0123456789") == "" {
			return true
		}
	}
	return false
}

// stayTheSame reports whether something remains the same.
func (p phrase) stayTheSame() bool {
	return p.has("remain", "remains", "stay", "stays") && p.has("same", "unchanged", "as is")
}

// restStays reports whether the words begin with the rest of something, and say
// that it stays.
func (p phrase) restStays() bool {
	words := p.words
	if words[0] == "the" {
		words = words[1:]
	}
	if len(words) < 4 || words[0] != "rest" || words[1] != "of" {
		return false
	}
	of, last := newPhrase(words[2:4]), newPhrase(words[len(words)-2:])
	code := of.any(codeWords) || of.any(unitWords)
	return last.has("unchanged", "the same", "as is", "as before") || code && p.stayTheSame()
}

// has reports whether one of some runs of words stands in the phrase.
func (p phrase) has(runs ...string) bool {
	for _, r := range runs {
		if strings.Contains(p.text, " "+r+" ") {
			return true
		}
	}
	return false
}

// any reports whether one of the words is in set.
func (p phrase) any(set map[string]bool) bool {
	for _, w := range p.words {
		if set[w] {
			return true
		}
	}
	return false
}

package edits

import (
	"fmt"
	"regexp"
	"strings"
)

// elidedText returns a line of put that stands for text which was left out, and
// is not in old as well: writing it would lose that text. Models write such
// lines when they mean "and so on".
//
// A comment of dots alone is one, and so is a comment that speaks of code that
// exists, remains or is unchanged, with dots or as a whole sentence. A bare line
// of dots is one only where put is shorter than old: in Python it is a body.
func elidedText(old, put string) (line string, found bool) {
	had := map[string]bool{}
	for l := range strings.Lines(old) {
		had[strings.TrimSpace(l)] = true
	}
	above := "" // the line above that is not blank
	for l := range strings.Lines(put) {
		l = strings.TrimSpace(l)
		if l == "" || had[l] {
			continue
		}
		if isDots(l) {
			if inkedLines(put) < inkedLines(old) && inkedLines(old) > 2 && !strings.HasSuffix(above, ":") {
				return l, true
			}
			continue
		}
		above = l
		if comment, ok := commentText(l); ok && (isDots(comment) || leavesOut(comment)) {
			return l, true
		}
	}
	return "", false
}

// checkElided is the error for a new text that stands for more than it is.
func checkElided(old, put string) error {
	line, ok := elidedText(old, put)
	if !ok {
		return nil
	}
	return &Error{Kind: Placeholder, Message: fmt.Sprintf(
		"The new text leaves something out at %q, which the old text does not have, so the file would lose what is there; send the text in full.", line)}
}

func isDots(s string) bool { return s == "..." || s == "…" }

// inkedLines counts the lines of s that are not blank.
func inkedLines(s string) int {
	n := 0
	for l := range strings.Lines(s) {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}

// leavesOut reports whether a comment says that something goes here.
func leavesOut(comment string) bool {
	if strings.Contains(comment, "...") || strings.Contains(comment, "…") {
		return elidedWords.MatchString(strings.Trim(comment, "()[]{} "))
	}
	return restOfCode.MatchString(strings.Trim(comment, "()[]{} .-"))
}

var (
	// elidedWords say what dots stand for: after leading dots, or as the first words.
	elidedWords = regexp.MustCompile(`(?i)^(\.\.\.|…).*\b(existing|rest|remaining|remainder|previous|unchanged|same|omitted|original|other|keep|as before|more)\b|^(the )?(existing|rest of|remaining|remainder|previous|unchanged|original|other)\b`)
	// restOfCode is a comment that stands for code without any dots.
	restOfCode = regexp.MustCompile(`(?i)(\b(existing|remaining|rest of(?: the)?|previous|original|other)( [a-z]+)? (code|implementation|logic|methods?|functions?|content|lines|imports|file|class|body)( (here|unchanged|as before|stays?( the same)?|remains?( (the same|unchanged))?|goes here|omitted( for brevity)?))?$|^(unchanged|no changes?( here)?|same as (before|above)|omitted for brevity)$)`)
)

// commentText returns what a line says that is all comment, in any language.
func commentText(line string) (string, bool) {
	for _, m := range []struct{ open, close string }{
		{"<!--", "-->"}, {"{/*", "*/}"}, {"/*", "*/"}, {"(*", "*)"}, {"{-", "-}"}, {"<%#", "%>"}, {"{#", "#}"},
		{"//", ""}, {"#", ""}, {"--", ""}, {";", ""}, {"%", ""},
	} {
		rest, ok := strings.CutPrefix(line, m.open)
		if !ok || (m.close != "" && !strings.HasSuffix(rest, m.close)) {
			continue
		}
		rest = strings.TrimSuffix(rest, m.close)
		return strings.Trim(rest, " \t/#;*-%"), true
	}
	return "", false
}

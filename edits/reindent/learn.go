package reindent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
)

// Learn learns from pairs, of which the first ones, gone of them, must fit; sent is
// one level of what was sent. What the pairs say of an indentation holds for it. The rule
// for others is that of the statements alone, be the first line's indentation lost: of
// all that agree, else of those nearest to a change.
func Learn(pairs []Pair, gone int, unit, other, sent string) *Map {
	m, ok := learnAll(consistent(pairs, gone), unit, other, sent)
	if !ok {
		return nil
	}
	m.rules = []rule{}
	goes := 0 // statements among those that go
	var statements []Pair
	for i, pair := range pairs {
		if pair.Continues {
			continue
		}
		statements = append(statements, pair)
		if i < gone {
			goes++
		}
	}
	isFirst := func(pair Pair) bool { return pair.First && pair.Sent == "" }
	rest := slices.DeleteFunc(slices.Clone(statements), isFirst)
	for _, some := range [][]Pair{statements, rest, statements[:min(len(statements), max(goes, 1)+2)], statements[:min(len(statements), max(goes, 1))]} {
		rule, ok := learnAll(consistent(some, goes), unit, other, sent)
		if ok && len(some) > 0 {
			if m.rules = rule.learnRules(); len(m.rules) > 0 {
				break
			}
		}
	}
	return &m
}

// LostIndent is the map of a hunk whose first old line alone lost its indentation on the
// way: all others have just what was sent, which no other unit explains, or, if there are
// none, the first new line that is indented is as deep as the first old one stands, or
// deeper if something opens there. nil if it is none. Of pairs, gone are of lines that go.
func LostIndent(pairs []Pair, gone int, unit string, put []string) *Map {
	i := slices.IndexFunc(pairs, func(p Pair) bool { return p.First })
	if i < 0 || pairs[i].Sent != "" || pairs[i].Found == "" {
		return nil
	}
	first := pairs[i].Found
	others, plain := slices.Delete(slices.Clone(pairs), i, i+1), slices.Clone(pairs)
	for i := range plain {
		plain[i].Continues = false
	}
	if slices.ContainsFunc(others, func(p Pair) bool { return p.Sent != p.Found }) {
		return nil
	}
	explained := goesOnAt(put, first, len(others) > 0)
	if all, ok := learnAll(plain, unit, "", ""); len(others) == 0 && !explained || len(others) > 0 && ok && all.inUnits() {
		return nil
	}
	m, _ := learnAll(others, "", "", "")
	_, margin := m.known[""]
	delete(m.known, "")
	m.rules = []rule{func(sent string) (string, bool) {
		switch {
		case sent == "" && margin:
			return sent, i >= gone // else it may be for the first line
		case sent == "":
			return first, true
		}
		return sent, explained
	}}
	return &m
}

// goesOnAt reports whether the first new line that is indented is so by as much as indent,
// or by more if the line above it opens something; if others tell, it need not be, but
// for what is below a line that opens something.
func goesOnAt(put []string, indent string, othersTell bool) bool {
	above := ""
	for _, l := range put {
		sent, core, _ := diff.CutBlanks(l)
		if core == "" || sent == "" {
			above = core
			continue
		}
		opens := above != "" && !unicode.IsLetter(rune(above[len(above)-1])) && !unicode.IsDigit(rune(above[len(above)-1])) && !strings.ContainsAny(above[len(above)-1:], ")]};\"'`")
		deeper := match.IndentWidth(sent) > match.IndentWidth(indent)
		return othersTell && (deeper || !opens) || strings.HasPrefix(sent, indent) && opens == deeper
	}
	return false
}

// consistent leaves out pairs, from the one numbered gone on, that contradict one
// before them.
func consistent(pairs []Pair, gone int) []Pair {
	known := map[Pair]string{}
	out := pairs[:0:0]
	for i, p := range pairs {
		sent := Pair{Sent: p.Sent, Continues: p.Continues}
		if found, ok := known[sent]; ok && found != p.Found && i >= gone {
			continue
		}
		known[sent] = p.Found
		out = append(out, p)
	}
	return out
}

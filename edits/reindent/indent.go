package reindent

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// Map turns the indentation of a command's lines into the document's. It
// is learnt from pairs of lines that match except for their indentation.
type Map struct {
	pairs     map[string]string
	continued map[string]string // for lines that continue a statement
	twofold   map[Pair]bool     // what stands for two of the file, so that a new line may be either
	unit      string            // one level of the file
	other     string            // one level of its lines with the other kind of blanks
	sentUnit  string            // one level of what was sent
	rules     []rule            // for indentations that no pair has; learnt on first use
}

// rule turns an indentation that was sent into the file's, if it can.
type rule func(sent string) (found string, ok bool)

// Pair is the indentation of a line as it was sent and as the file has it.
type Pair struct {
	Sent, Found string
	Continues   bool // the line continues the statement above it
	First       bool // it is the first line that was sent, whose indentation may be lost
	Beside      bool // it is of no line: a line below would be as deep as the words beside a dash. It gives no rule for other lines
}

// learnAll returns the map that holds for all pairs. unit is one level of the file, other one
// level in its other kind of blanks, sent one level of what was sent. It fails if one sent indentation
// stands for two of the file; lines that continue a statement are counted apart.
func learnAll(pairs []Pair, unit, other, sent string) (Map, bool) {
	m := Map{pairs: make(map[string]string, len(pairs)), continued: map[string]string{}, unit: unit, other: other, sentUnit: sent}
	for _, p := range pairs {
		known := m.pairs
		if p.Continues {
			known = m.continued
		}
		if found, ok := known[p.Sent]; ok && found != p.Found {
			return m, false
		}
		known[p.Sent] = p.Found
	}
	return m, true
}

// Of returns the file's indentation for one that was sent, false if the pairs do not
// determine it. What lines that continue show holds only for lines that continue.
func (m *Map) Of(sent string, continues bool) (string, bool) {
	if m.twofold[Pair{Sent: sent, Continues: continues}] {
		return "", false
	}
	if found, ok := m.continued[sent]; ok && continues {
		return found, true
	}
	if found, ok := m.pairs[sent]; ok {
		return found, true
	}
	if m.rules == nil {
		m.rules = m.learnRules()
	}
	for _, rule := range m.rules {
		if found, ok := rule(sent); ok && m.inOrder(sent, found) {
			return found, true
		}
	}
	return "", false
}

// inOrder reports whether found compares in depth with each known indentation of the
// file as sent compares with the one that was sent for it.
func (m *Map) inOrder(sent, found string) bool {
	for s, f := range m.pairs {
		if cmp.Compare(match.IndentWidth(sent), match.IndentWidth(s)) != cmp.Compare(match.IndentWidth(found), match.IndentWidth(f)) {
			return false
		}
	}
	return true
}

// learnRules returns the rules for indentations that no pair has. They hold for all pairs. The
// likeliest comes first: the same text; one level of the file for one of what was sent, which is
// first if all pairs were sent without indentation and so show no unit; any other prefix.
func (m *Map) learnRules() []rule {
	same := func(sent string) (string, bool) { return sent, true }
	if len(m.pairs) == 0 {
		return []rule{same}
	}
	least := slices.MinFunc(slices.Collect(maps.Keys(m.pairs)), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	levels, prefix := m.levels(least), m.prefix(least)
	if len(m.pairs) == 1 && m.sentUnit != m.unit && !strings.Contains(m.sentUnit+m.unit, "\t") {
		// One depth does not tell whether what was sent has other levels than the file, or more of them than it seems.
		return []rule{func(sent string) (string, bool) {
			found, ok := prefix(sent)
			other, also := levels(sent)
			return found, ok && (!also || found == other)
		}}
	}
	rules := []rule{same, levels, prefix}
	if least == "" && len(m.pairs) == 1 {
		rules[0], rules[1] = rules[1], rules[0]
	}
	return slices.DeleteFunc(rules, func(rule rule) bool { return !m.holds(rule) })
}

// levels returns the rule that a line is as many levels deeper or less deep in the file as
// it was sent, counted from least, the least deep indentation of the pairs.
func (m *Map) levels(least string) rule {
	there, unit := m.pairs[least], m.unit
	if _, ok := levelsOf(there, unit); !ok {
		unit = m.other
	}
	_, isLevel := levelsOf(there, unit)
	return func(sent string) (string, bool) {
		more, deeper := strings.CutPrefix(sent, least)
		if n, ok := levelsOf(more, m.sentUnit); deeper && ok {
			return there + strings.Repeat(unit, n), isLevel
		}
		less, isLess := strings.CutPrefix(least, sent)
		n, ok := levelsOf(less, m.sentUnit)
		found, can := strings.CutSuffix(there, strings.Repeat(unit, n))
		return found, isLess && ok && can && isLevel
	}
}

// prefix returns the rule that every line of the file has the same blanks added or missing in
// front as the line of least, the least deep indentation of the pairs.
func (m *Map) prefix(least string) rule {
	there := m.pairs[least]
	if added, deeper := strings.CutSuffix(there, least); deeper {
		return func(sent string) (string, bool) { return added + sent, true }
	}
	return func(sent string) (string, bool) { return strings.CutPrefix(sent, strings.TrimSuffix(least, there)) }
}

func (m *Map) holds(rule rule) bool {
	for sent, found := range m.pairs {
		if got, ok := rule(sent); !ok || got != found {
			return false
		}
	}
	return true
}

// levelsOf returns how many units indent is, and whether it is a whole number of them.
func levelsOf(indent, unit string) (int, bool) {
	n := len(indent) / len(unit)
	return n, indent == strings.Repeat(unit, n)
}

// indentLines bounds how many lines are looked at to learn a text's unit.
const indentLines = 2000

// Unit returns one level of indentation of the lines of a text: a tab, or the step by which statements most often go deeper;
// if none does, the step by which any lines go deeper, or else less deep; if no line does, unit is like. other is that step
// if unit is a tab, and else a tab.
func Unit(lines iter.Seq[string], like string) (unit, other string) {
	var statements, all, less [9]int // by step
	tabs, n, open, last, above := 0, 0, 0, -1, -1
	for line := range lines {
		if n++; n > indentLines {
			break
		}
		before, core, _ := text.CutBlanks(line)
		continues := open > 0 && before != ""
		if !continues {
			open = 0
		}
		open = max(0, open+openBrackets(core))
		switch {
		case core == "":
			continue
		case strings.HasPrefix(before, "\t"):
			tabs++
			continue
		case above >= 0:
			count(&all, len(before)-above)
			count(&less, above-len(before))
		}
		if above = len(before); !continues {
			if last >= 0 {
				count(&statements, len(before)-last)
			}
			last = len(before)
		}
	}
	step := cmp.Or(commonest(statements), commonest(all), commonest(less))
	if tabs > statements[step] {
		return "\t", strings.Repeat(" ", cmp.Or(step, 4))
	}
	return cmp.Or(strings.Repeat(" ", step), like), "\t"
}

// count counts a step if it may be one level.
func count(steps *[9]int, step int) {
	if slices.Contains([]int{2, 3, 4, 8}, step) {
		steps[step]++
	}
}

// commonest returns the step that is counted most often, the least of several, and 0 if none is counted.
func commonest(steps [9]int) (best int) {
	for step, n := range steps {
		if n > steps[best] {
			best = step
		}
	}
	return best
}

// Learn returns the map for the new lines put, nil if the pairs contradict each other. The first gone pairs, of lines that
// are deleted, must fit the map. unit and other are what [Unit] returns for the file; unit is "" if that shows none. An
// indentation that is in a pair becomes what the pair says. For others the pairs of statements give a rule: all of them if
// they agree, else all but a first line that has lost its indentation, else those of the deleted lines.
func Learn(pairs []Pair, gone int, unit, other string, put []string) *Map {
	sent, _ := Unit(slices.Values(put), unit)
	if unit == "" {
		unit = cmp.Or(sent, "    ")
	}
	sent = cmp.Or(sent, unit)
	if m := lostIndent(pairs, gone, unit, sent, put); m != nil {
		return m
	}
	known, twofold := consistent(pairs, gone)
	m, ok := learnAll(known, unit, other, sent)
	if !ok {
		return nil
	}
	m.rules, m.twofold = []rule{}, twofold
	without := func(pairs []Pair, is func(Pair) bool) []Pair { return slices.DeleteFunc(slices.Clone(pairs), is) }
	noStatement := func(pair Pair) bool { return pair.Continues || pair.Beside }
	statements, goes := without(pairs, noStatement), len(without(pairs[:gone], noStatement))
	rest := without(statements, func(pair Pair) bool { return pair.First && pair.Sent == "" })
	for _, some := range [][]Pair{statements, rest, statements[:goes]} {
		known, _ := consistent(some, goes)
		rule, ok := learnAll(known, unit, other, sent)
		if ok && len(some) > 0 {
			if m.rules = rule.learnRules(); len(m.rules) > 0 {
				break
			}
		}
	}
	return &m
}

// lostIndent returns the map of a hunk of which only the first old line lost its indentation on the
// way, nil if the hunk is not one. All other pairs are indented as sent, which no other unit explains; or, if
// there are none, the first new line that is indented is as deep as the first old line stands, or
// deeper if something opens there. The first gone pairs are of deleted lines.
func lostIndent(pairs []Pair, gone int, unit, sent string, put []string) *Map {
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
	all, ok := learnAll(plain, unit, unit, sent)
	if len(others) == 0 && !explained || len(others) > 0 && ok && all.holds(all.levels("")) {
		return nil
	}
	m, _ := learnAll(others, "", "", "")
	_, margin := m.pairs[""]
	delete(m.pairs, "")
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

// goesOnAt reports whether the first indented new line begins with indent, and is deeper than it exactly if
// the line above it opens something. If othersTell, it may also have any depth, except that
// it must be deeper if the line above it opens something.
func goesOnAt(put []string, indent string, othersTell bool) bool {
	above := ""
	for _, l := range put {
		sent, core, _ := text.CutBlanks(l)
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

// consistent leaves out the pairs, from index gone on, that contradict a pair before them. twofold are the indentations that
// pairs of lines that stay contradict each other in.
func consistent(pairs []Pair, gone int) (known []Pair, twofold map[Pair]bool) {
	first := map[Pair]int{}
	twofold = map[Pair]bool{}
	for i, p := range pairs {
		sent := Pair{Sent: p.Sent, Continues: p.Continues}
		if k, ok := first[sent]; ok && pairs[k].Found != p.Found && i >= gone {
			twofold[sent] = twofold[sent] || k >= gone
			continue
		} else if !ok {
			first[sent] = i
		}
		known = append(known, p)
	}
	return known, twofold
}

// Continued reports, for each line, whether it continues the statement above it.
func Continued(lines []string) []bool {
	out, open, above := make([]bool, len(lines)), 0, ""
	for i, l := range lines {
		_, core, _ := text.CutBlanks(strings.TrimSuffix(l, "\r"))
		out[i] = open > 0 || joined(above, core)
		open, above = max(0, open+openBrackets(core)), core
	}
	return out
}

// joined reports whether a line continues the one above it without an open bracket: by a
// backslash or an operator in between, or by the dot of a method.
func joined(above, line string) bool {
	ends := []string{"\\", " &&", " ||", " +", " -", " *", " /", " =", " ?"}
	if slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(above, end) }) {
		return true
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

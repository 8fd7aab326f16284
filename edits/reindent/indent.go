package reindent

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/match"
)

// Line is a line of a hunk.
type Line struct {
	Text     string
	Old, New bool   // the sides that have it; a line that stays is on both
	Found    string // the indentation that the document has for it, if it is old
	Silent   bool   // it was not sent, so it shows nothing
}

// Indent is the document's indentation for a line of the new side, if that is known.
type Indent struct {
	Text  string
	Known bool
}

// Indents returns the document's indentation for each line of the new side of a hunk. unit and other are what [Unit] returns
// for the document.
func Indents(hunk []Line, unit, other string) (out []Indent) {
	m := newMap(hunk, unit, other)
	above := -1 // the line of the new side directly above, if it is not blank
	for i, l := range m.lines {
		if !l.New {
			continue
		}
		in := Indent{l.Found, true}
		if !l.Old {
			in.Text, in.Known = m.indent(i)
			m.lines[i].Found = in.Text
			if above >= 0 && l.kind != data && opens(m.lines[above].core, l.core) {
				in.Known = in.Known && isDeeper(l.sent, m.lines[above].sent) && isDeeper(in.Text, m.lines[above].Found)
			}
		}
		if out, above = append(out, in), i; l.core == "" {
			above = -1
		}
	}
	return out
}

// isDeeper reports whether an indentation is deeper than another.
func isDeeper(a, b string) bool { return match.IndentWidth(a) > match.IndentWidth(b) }

// indentMap turns the indentation of a hunk's lines into the document's. It is learnt from the old lines.
type indentMap struct {
	lines       []line
	unit, other string // one level of the document, and of its lines with the other kind of blanks
	sentUnit    string // one level of what was sent
	shown       map[shownKey][]string
	listed      bool              // there are items of a list, and levels are not as deep as in the document
	begin       int               // the first line of the new side
	first       int               // the first statement that shows something, or -1
	odd         int               // the statement that was misquoted alone, or -1
	pairs       map[string]string // what the other statements show
	rules       []rule            // for indentations that no line shows, the likeliest first; all but the odd one keep them
}

// shownKey is an indentation that was sent, of a kind of line.
type shownKey struct {
	kind kind
	sent string
}

// rule turns an indentation that was sent into the document's, if it can.
type rule func(sent string) (found string, ok bool)

func newMap(hunk []Line, unit, other string) *indentMap {
	m := &indentMap{lines: linesOf(hunk), unit: unit, other: other, first: -1, odd: -1, shown: map[shownKey][]string{}}
	base := strings.Repeat(" ", 1<<10) // what all lines have in front, which is no level
	for _, l := range m.lines {
		if l.New && l.core != "" && l.kind != data && len(l.sent) < len(base) {
			base = l.sent
		}
	}
	m.sentUnit, _ = unitOf(m.lines, base)
	m.listed = m.unit != m.sentUnit && slices.ContainsFunc(m.lines, func(l line) bool { return dash(l.core) > 0 })
	m.begin = slices.IndexFunc(m.lines, func(l line) bool { return l.New })
	n, stay := 0, 0  // how many statements there are, and how many are indented as sent
	var differ []int // the statements that are not
	for i, l := range m.lines {
		if !l.shows() {
			continue
		}
		if key := (shownKey{l.kind, l.sent}); !slices.Contains(m.shown[key], l.Found) {
			m.shown[key] = append(m.shown[key], l.Found)
		}
		switch {
		case l.kind != statement:
			continue
		case l.sent != l.Found:
			differ = append(differ, i)
		case l.sent != "":
			stay++
		}
		if n++; m.first < 0 {
			m.first = i
		}
	}
	lost := n == 1 && len(differ) == 1 && m.lines[m.first].sent == "" && goesOnAt(m.lines, m.lines[m.first].Found)
	if lost || !m.learn(-1) && len(differ) == 1 && stay > 0 {
		m.learn(differ[0])
		m.rules = []rule{asSent}
	}
	return m
}

// learn learns the rules that the statements keep, without the line odd, and reports whether there are any.
func (m *indentMap) learn(odd int) bool {
	m.odd, m.pairs, m.rules = odd, map[string]string{}, nil
	for i, l := range m.lines {
		if i == odd || l.kind != statement || !l.shows() {
			continue
		}
		if known, ok := m.pairs[l.sent]; ok && known != l.Found {
			return false
		}
		m.pairs[l.sent] = l.Found
	}
	if len(m.pairs) == 0 {
		return false
	}
	least := slices.MinFunc(slices.Collect(maps.Keys(m.pairs)), func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	m.rules = []rule{asSent, m.levels(least), m.prefix(least)}
	switch {
	case m.listed:
		m.rules = m.rules[:1] // what is beside a dash is at no level
	case m.unit != m.sentUnit && len(m.pairs) > 1:
		m.rules = m.rules[:2]
	case least == "" && len(m.pairs) == 1:
		m.rules[0], m.rules[1] = m.rules[1], m.rules[0] // it shows no unit
	}
	m.rules = slices.DeleteFunc(m.rules, func(rule rule) bool { return !m.holds(rule) })
	return len(m.rules) > 0
}

func asSent(sent string) (string, bool) { return sent, true }

// indent returns the document's indentation for the added line i.
func (m *indentMap) indent(i int) (string, bool) {
	l, in := m.lines[i], m.parent(i)
	if beside := strings.Repeat(" ", dash(in.core)); beside != "" && l.sent == in.sent+beside {
		other, _, _ := m.shownTo(i, statement)
		return in.Found + beside, other == "" || other == in.Found+beside
	}
	found, told, ok := m.shownTo(i, l.kind)
	asData := l.kind == data && told
	if asData && (!ok || found != l.sent) {
		return "", false
	}
	if !told || asData {
		found, told, ok = m.shownTo(i, statement)
	}
	if !told {
		found, ok = m.byRule(l.sent)
		ok = ok && (l.kind == data || (m.odd < 0 || m.literal(l.sent, in)) && (found == l.sent || !m.isRaw(i)))
	}
	if l.kind == data {
		return l.sent, ok && found == l.sent && (m.holds(asSent) || found == "") || asData && !ok
	}
	return found, ok
}

// literal reports whether a line in another one is as it was sent, where one line was misquoted alone: the one that it is in
// was sent as it is, or is the first, and it is a level deeper.
func (m *indentMap) literal(sent string, in line) bool {
	deeper, level := match.IndentWidth(sent)-match.IndentWidth(in.Found), match.IndentWidth(m.unit)
	switch {
	case in.core == "":
		return deeper%level == 0
	case m.odd == m.first:
		return deeper == level || deeper == 0
	}
	return deeper == level && in.sent == in.Found
}

// isRaw reports whether line i is less deep than all that was quoted, and more of that follows: it may be the text of a
// string.
func (m *indentMap) isRaw(i int) bool {
	for sent := range m.pairs {
		if !isDeeper(sent, m.lines[i].sent) {
			return false
		}
	}
	return slices.ContainsFunc(m.lines[i:min(len(m.lines), i+furthest)], func(l line) bool { return l.shows() && l.New })
}

// parent returns the line of the new side that line i is in; it has no text if that is not in the hunk.
func (m *indentMap) parent(i int) line {
	for k := i - 1; k >= max(0, i-furthest); k-- {
		if l := m.lines[k]; l.New && l.core != "" && l.kind != data && isDeeper(m.lines[i].sent, l.sent) {
			return l
		}
	}
	return line{}
}

// furthest bounds how many lines around a line are looked at.
const furthest = 1000

// shownTo returns what the old lines of a kind show of the indentation of line i; told is false if they show nothing. If they
// show two things, or keep no rule together, the deleted lines in its place decide, else those above and below it that no less
// deep line parts from it: they must agree. What a line shows that was misquoted alone holds for what takes its place only.
func (m *indentMap) shownTo(i int, kind kind) (found string, told, ok bool) {
	sent := m.lines[i].sent
	all := m.shown[shownKey{kind, sent}]
	isOdd := m.odd >= 0 && kind == statement && m.lines[m.odd].sent == sent
	if len(all) == 0 || len(all) == 1 && len(m.rules) > 0 && (m.unit == m.sentUnit && !isOdd || m.odd < 0 && !m.listed) {
		return strings.Join(all, ""), len(all) > 0, true
	}
	isFirst := i == m.begin
	if isOdd && len(all) == 1 {
		return all[0], true, isFirst && m.odd == m.first && !m.lines[m.odd].New
	}
	var gone, near []string // the deleted lines in its place, and those that stay
	added, above := 0, false
	for _, step := range []int{-1, 1} {
		inPlace := true
		for k := i + step; k >= max(0, i-furthest) && k < min(len(m.lines), i+furthest); k += step {
			l := &m.lines[k]
			if l.core != "" && l.kind != data && isDeeper(sent, l.sent) {
				break
			}
			inPlace = inPlace && l.Old != l.New
			switch {
			case l.sent != sent || l.core == "" || l.kind != kind:
			case inPlace && l.New:
				added++
			case inPlace && l.shows():
				gone = append(gone, l.Found)
			case l.shows():
				near, above = append(near, l.Found), above || step < 0
			}
		}
	}
	switch {
	case isOdd && m.odd == m.first:
		near = near[:min(1, len(near))] // below another line it says nothing
	case !isOdd && len(gone) > added:
		near, above = nil, true
	}
	near = slices.Compact(append(near, gone...))
	return strings.Join(near[:min(1, len(near))], ""), true, above && len(near) == 1 && (!isOdd || !isFirst && near[0] == sent)
}

// byRule returns the indentation that the first rule gives which keeps it in order.
func (m *indentMap) byRule(sent string) (string, bool) {
	for _, rule := range m.rules {
		if found, ok := rule(sent); ok && m.inOrder(sent, found) {
			return found, true
		}
	}
	return "", false
}

// inOrder reports whether found compares in depth with each known indentation of the
// document as sent compares with the one that was sent for it.
func (m *indentMap) inOrder(sent, found string) bool {
	for s, f := range m.pairs {
		if cmp.Compare(match.IndentWidth(sent), match.IndentWidth(s)) != cmp.Compare(match.IndentWidth(found), match.IndentWidth(f)) {
			return false
		}
	}
	return true
}

func (m *indentMap) holds(rule rule) bool {
	for sent, found := range m.pairs {
		if got, ok := rule(sent); !ok || got != found {
			return false
		}
	}
	return true
}

// levels returns the rule that a line is as many levels deeper or less deep in the file as
// it was sent, counted from least, the least deep indentation of the pairs.
func (m *indentMap) levels(least string) rule {
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
func (m *indentMap) prefix(least string) rule {
	there := m.pairs[least]
	if added, deeper := strings.CutSuffix(there, least); deeper {
		return func(sent string) (string, bool) { return added + sent, true }
	}
	return func(sent string) (string, bool) { return strings.CutPrefix(sent, strings.TrimSuffix(least, there)) }
}

// levelsOf returns how many units indent is, and whether it is a whole number of them.
func levelsOf(indent, unit string) (int, bool) {
	n := len(indent) / len(unit)
	return n, indent == strings.Repeat(unit, n)
}

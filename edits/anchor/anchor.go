// Package anchor finds the lines that the anchors of a patch name, and what belongs to them:
//
//	@@ class A:            the scope of "class A:" is the lines that are indented deeper
//	@@     def f(self):    the scope of this one is in it
//
// A [Scope] ends where indentation, brackets, or the next title of the same kind end it.
package anchor

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// Scope is the lines of an anchor, from its own line, From, up to the line before To.
type Scope struct{ From, To int }

// The ways in which an anchor may match a line, the best first; anchorTiers is their number.
const (
	anchorLine   = iota // the whole line, ignoring blanks at its end
	anchorCore          // the whole line, ignoring blanks at either end
	anchorLike          // the whole line, ignoring look-alikes as well
	anchorPrefix        // the beginning of a longer line
	anchorTiers
)

// Anchors are the lines of a text that anchors name.
type Anchors struct {
	src    draft.Source
	places map[string]*[anchorTiers][]int
	ends   map[int]int // of scopes, by their first line
}

// Find finds the anchors of all hunks, which are a list for each hunk, in one scan of the text.
func Find(src draft.Source, ofHunks [][]string) Anchors {
	a := Anchors{src: src, places: map[string]*[anchorTiers][]int{}, ends: map[int]int{}}
	var sizes [256][]int // of the anchors, in bytes, by their first byte
	like := map[string][]string{}
	for _, names := range ofHunks {
		for _, s := range names {
			if s = strings.TrimSpace(s); s == "" || a.places[s] != nil {
				continue
			}
			a.places[s] = &[anchorTiers][]int{}
			if first := &sizes[s[0]]; !slices.Contains(*first, len(s)) {
				*first = append(*first, len(s))
			}
			folded := match.LookAlikeFold.Line(s)
			like[folded] = append(like[folded], s)
		}
	}
	if len(a.places) == 0 {
		return a
	}
	i := -1
	for line := range diff.Contents(src.Text) {
		i++
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		for _, size := range sizes[trimmed[0]] {
			if size > len(trimmed) {
				continue
			}
			if p := a.places[trimmed[:size]]; p != nil && !match.CutsWord(trimmed, size) {
				tier := anchorCore
				switch {
				case size < len(trimmed):
					tier = anchorPrefix
				case strings.TrimRight(line, " \t") == trimmed:
					tier = anchorLine
				}
				p[tier] = append(p[tier], i)
			}
		}
		if text.IsASCII(trimmed) {
			continue
		}
		for _, s := range like[match.LookAlikeFold.Line(trimmed)] {
			a.places[s][anchorLike] = append(a.places[s][anchorLike], i)
		}
	}
	return a
}

// Scopes returns the scopes that a hunk's anchors lead to. Each anchor is sought inside the scopes of the one before it, by
// the best tier that has any there or, if all is set, by each tier of whole lines. There are none if an anchor is not found.
func (a Anchors) Scopes(names []string, all bool) []Scope {
	found := []Scope{{-1, a.src.Text.Lines()}}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		var inner []Scope
		for _, s := range found {
			if a.src.Work.Over() {
				return nil
			}
			inner = append(inner, a.within(name, s, all)...)
		}
		found = inner
	}
	return found
}

// within returns the scopes of name inside of s.
func (a Anchors) within(name string, s Scope, all bool) (scopes []Scope) {
	for tier, lines := range a.places[name] {
		var found []Scope
		for _, i := range lines {
			if i > s.From && i < s.To {
				found = append(found, Scope{i, min(s.To, a.end(i))})
			}
			if len(found) > draft.MaxMatches {
				found[draft.MaxMatches].To = s.To // covers the rest, which may have more of them
				break
			}
		}
		scopes = append(scopes, found...)
		if len(scopes) > 0 && (!all || tier+1 >= anchorPrefix) {
			break
		}
	}
	return scopes
}

// end returns where the scope of line i ends. It is remembered, since hunks share anchors.
func (a Anchors) end(i int) int {
	to, known := a.ends[i]
	if !known {
		to, _ = ScopeEnd(a.src, i)
		a.ends[i] = to
	}
	return to
}

// Holds reports whether a hunk changes lines of the scope or adds lines to it. The hunk changes
// the lines [core[0],core[1]), and its last line is above end.
func (s Scope) Holds(core [2]int, end int) bool {
	onlyAdds := core[0] == core[1]
	return core[0] >= s.From && end > s.From && (core[0] < s.To || onlyAdds && core[0] == s.To)
}

// maxScope bounds how many lines are searched for the end of a scope.
const maxScope = 1 << 16

// ScopeEnd returns the first line after those that belong to line i, which are indented deeper or
// close what it opens. After an opening bracket they go on to the line that closes it, whatever stands
// at the margin in between. A line with nothing indented below it is a title, as comments and decorators
// are: its lines go on to the next title of its kind. opens reports that line i is not a title.
func ScopeEnd(src draft.Source, i int) (end int, opens bool) {
	n, head := src.Text.Lines(), strings.TrimSpace(src.LineAt(i))
	deep, bracket, title := match.IndentWidth(src.LineAt(i)), opensBracket(head), true
	for k := i + 1; k < n && k < i+maxScope; k++ {
		line := src.LineAt(k)
		core, depth := strings.TrimSpace(line), match.IndentWidth(line)
		switch {
		case core == "":
		case depth > deep:
			title = false
		case core[0] == '{':
			bracket, title = true, false
		case strings.IndexByte("})]", core[0]) >= 0 || core == "end" || strings.HasPrefix(core, "</"): // closes a block
			title = false
			if !strings.HasSuffix(core, ":") && !opensBracket(core) && !strings.HasPrefix(src.LineAt(k+1), line[:elision.IndentOf(line)]+"{") {
				return k + 1, true
			}
		case bracket:
		case title && depth == deep && !endsTitle(head, core):
		default:
			return k, !title
		}
	}
	return n, !title
}

// opensBracket reports whether a line ends with an opening bracket.
func opensBracket(core string) bool {
	return core != "" && strings.IndexByte("{([", core[len(core)-1]) >= 0
}

// endsTitle reports whether a line is the next title after title: a heading of Markdown
// that is no deeper, a section of an INI file, or a key of YAML.
func endsTitle(title, core string) bool {
	switch {
	case title == "":
	case title[0] == '#':
		rest := strings.TrimLeft(core, "#")
		level := len(core) - len(rest)
		return level > 0 && strings.HasPrefix(rest, " ") && level <= len(title)-len(strings.TrimLeft(title, "#"))
	case title[0] == '[':
		return core[0] == '['
	case strings.HasSuffix(title, ":"):
		return core[0] != '-' && (strings.HasSuffix(core, ":") || strings.Contains(core, ": "))
	}
	return false
}

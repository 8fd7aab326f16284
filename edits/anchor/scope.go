package anchor

import (
	"strings"

	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/elision"
	"github.com/patchls/patchls/edits/match"
)

// maxScope bounds how many lines are looked at for the end of a scope.
const maxScope = 1 << 16

// scopeEnd returns the first line after those that belong to line i: they are
// indented deeper, or close what it opens. What a bracket opens goes on to the line
// that closes it, whatever stands at the margin in between. A line that nothing is
// indented below is a title, and goes on up to the next one of its kind. A comment or a
// decorator is of what it stands above.
func scopeEnd(src draft.Source, i int) int {
	i = belowRemark(src, i)
	n, head := src.Text.Lines(), strings.TrimSpace(src.LineAt(i))
	deep, opens, title := match.IndentWidth(src.LineAt(i)), opensBracket(head), true
	for k := i + 1; k < n && k < i+maxScope; k++ {
		line := src.LineAt(k)
		core, depth := strings.TrimSpace(line), match.IndentWidth(line)
		switch {
		case core == "":
		case depth > deep:
			title = false
		case core[0] == '{':
			opens, title = true, false
		case ClosesBlock(core):
			title = false
			if !strings.HasSuffix(core, ":") && !opensBracket(core) && !strings.HasPrefix(src.LineAt(k+1), line[:elision.IndentOf(line)]+"{") {
				return k + 1
			}
		case opens:
		case title && depth == deep && !endsTitle(head, core):
		default:
			return k
		}
	}
	return n
}

// belowRemark returns the first line below line i, if that is a comment or a decorator; else i.
func belowRemark(src draft.Source, i int) int {
	n, head := src.Text.Lines(), strings.TrimSpace(src.LineAt(i))
	k := i
	switch {
	case strings.HasPrefix(head, "/*"):
		for k < n && k < i+maxScope && !strings.Contains(src.LineAt(k), "*/") {
			k++
		}
		k++
	case strings.HasPrefix(head, "//"), strings.HasPrefix(head, "@"), strings.HasPrefix(head, "-- "):
		for k < n && k < i+maxScope && strings.HasPrefix(strings.TrimSpace(src.LineAt(k)), head[:1]) {
			k++
		}
	}
	for k > i && k < n && strings.TrimSpace(src.LineAt(k)) == "" {
		k++
	}
	if k >= n {
		return i
	}
	return k
}

// opensBracket reports whether a line ends with an opening bracket.
func opensBracket(core string) bool {
	return core != "" && strings.IndexByte("{([", core[len(core)-1]) >= 0
}

// ClosesBlock reports whether a line begins with what closes a block.
func ClosesBlock(core string) bool {
	return strings.IndexByte("})]", core[0]) >= 0 || core == "end" || strings.HasPrefix(core, "</")
}

// endsTitle reports whether a line begins what is beside the title above it: the next
// heading of Markdown that is no deeper, section of an INI file, or key of YAML.
func endsTitle(title, core string) bool {
	switch {
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

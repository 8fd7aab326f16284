package edits

import (
	"strings"
)

// ParsePatch reads a patch: "*** Begin Patch" with updates, or SEARCH/REPLACE
// blocks.
func ParsePatch(patch string) (Patch, error) {
	lines := strings.Split(strings.TrimRight(unixLines(patch), "\n"), "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "*** Begin Patch"):
			return parseBeginPatch(lines, i)
		case strings.HasPrefix(l, searchMarker):
			return parseSearchReplace(lines)
		}
	}
	for i, l := range lines {
		if strings.HasPrefix(l, "@@") || strings.HasPrefix(l, "diff --git ") || strings.HasPrefix(l, "--- ") {
			return Patch{}, syntax(i+1, `this looks like a unified diff, which cannot be applied yet; send "*** Begin Patch" or SEARCH/REPLACE blocks`)
		}
	}
	return Patch{}, syntax(1, `this is no patch: it must hold "*** Begin Patch" or "<<<<<<< SEARCH"`)
}

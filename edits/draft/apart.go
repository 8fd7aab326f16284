package draft

import (
	"strings"

	"github.com/patchls/patchls/edits"
)

// TellApart adds to each match a line of its surroundings that none of the
// others has in the same place, where there is one within three lines.
func TellApart(src Source, places []Region, matches []edits.Match) {
	const far = 3
	if len(places) > 10*src.MostMatches() {
		return
	}
	t := src.Text
	for distance := 1; distance <= far; distance++ {
		for _, side := range []int{-1, 1} {
			seen := map[string]int{}
			at := make([]int, len(places))
			for i, p := range places {
				at[i] = t.LineAt(p.Start) - distance
				if side > 0 {
					at[i] = t.LineAt(max(p.Start, p.End-1)) + distance
				}
				seen[src.LineAt(at[i])]++
			}
			for i := range matches {
				line := src.LineAt(at[i])
				if matches[i].Context == nil && seen[line] == 1 && strings.TrimSpace(line) != "" {
					matches[i].Context = &edits.ContextLine{Line: at[i] + 1, Text: line}
				}
			}
		}
	}
}

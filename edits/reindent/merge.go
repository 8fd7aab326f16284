package reindent

import (
	"slices"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
)

// MergeLines makes the change from old to put in lines that differ from old elsewhere. It
// is false if the two changes touch: a line that goes is not there, or what is added has
// another line beside it, or itself.
func MergeLines(old, put, there []string) (merged []string, ok bool) {
	at := diff.MatchLines(old, there)
	next := 0 // of there
	line := 0 // of old
	lines := patch.ReplaceHunk(1, old, put).Lines
	for i := 0; i < len(lines); {
		if lines[i].Kind == patch.KeptLine {
			line, i = line+1, i+1
			continue
		}
		from := line
		var added []string
		for ; i < len(lines) && lines[i].Kind != patch.KeptLine; i++ {
			if lines[i].Kind == patch.AddedLine {
				added = append(added, lines[i].Text)
				continue
			}
			if at[line] < 0 || line > from && at[line] != at[line-1]+1 {
				return nil, false
			}
			line++
		}
		var place int
		switch {
		case from < line:
			place = at[from]
		case from > 0 && at[from-1] >= 0 && (from == len(old) || at[from] == at[from-1]+1):
			place = at[from-1] + 1
		case from == 0 && len(old) > 0 && at[0] >= 0:
			place = at[0]
		default:
			return nil, false
		}
		if from == line && standsBeside(bareLines(added), bareLines(there[:place]), bareLines(there[place:])) {
			return nil, false
		}
		merged = append(append(merged, there[next:place]...), added...)
		next = place + line - from
	}
	return append(merged, there[next:]...), true
}

// bareLines returns lines but for blanks and blank lines.
func bareLines(lines []string) (bare []string) {
	for _, l := range lines {
		if core := match.BlanksFold.Line(l); core != "" {
			bare = append(bare, core)
		}
	}
	return bare
}

// standsBeside reports whether lines end those above or begin those below.
func standsBeside(lines, above, below []string) bool {
	n := len(lines)
	return n > 0 && (n <= len(above) && slices.Equal(lines, above[len(above)-n:]) || n <= len(below) && slices.Equal(lines, below[:n]))
}

package edits

import "strings"

const (
	searchMarker  = "<<<<<<< SEARCH"
	middleMarker  = "======="
	replaceMarker = ">>>>>>> REPLACE"
)

// parseSearchReplace reads SEARCH/REPLACE blocks. The line above a block is the
// path of its file, unless a code fence stands between or it is blank; a block
// without one belongs to the file of the block before it.
func parseSearchReplace(lines []string) (Patch, error) {
	var p Patch
	name := ""
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if !strings.HasPrefix(l, searchMarker) {
			if s := strings.TrimSpace(l); s != "" && !strings.HasPrefix(s, "```") {
				name = s
			}
			continue
		}
		middle := find(lines, i+1, middleMarker)
		if middle < 0 {
			return Patch{}, syntax(i+1, "the block has no %q line", middleMarker)
		}
		end := find(lines, middle+1, replaceMarker)
		if end < 0 {
			return Patch{}, syntax(i+1, "the block has no %q line", replaceMarker)
		}
		for k := i + 1; k < end; k++ {
			if l := strings.TrimRight(lines[k], " \t"); (l == middleMarker && k != middle) || strings.HasPrefix(l, searchMarker) {
				return Patch{}, syntax(k+1, "the block that begins at line %d holds another %q line, so its parts cannot be told", i+1, l)
			}
		}
		h := replaceHunk(i+1, lines[i+1:middle], lines[middle+1:end])
		if n := len(p.Files); n == 0 || (name != "" && name != p.Files[n-1].Path) {
			p.Files = append(p.Files, FilePatch{Path: name})
		}
		f := &p.Files[len(p.Files)-1]
		f.Hunks = append(f.Hunks, h)
		i, name = end, ""
	}
	return p, nil
}

// find returns the first line from i on that is marker but for blanks after it.
func find(lines []string, i int, marker string) int {
	for ; i < len(lines); i++ {
		if strings.TrimRight(lines[i], " \t") == marker {
			return i
		}
	}
	return -1
}

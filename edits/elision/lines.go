package elision

import "strings"

// IsElision reports whether a line stands for lines that are left out: dots alone, or a
// remark about code that stays.
func IsElision(line string) bool {
	line = strings.TrimSpace(line)
	if line == "..." || line == "…" {
		return true
	}
	r, ok := remarkIn(line)
	return ok && r.mark != "" && r.mark != "* "
}

// CutElisions cuts lines at those that stand for others.
func CutElisions(lines []string) [][]string {
	pieces := [][]string{nil}
	for _, l := range lines {
		if IsElision(l) {
			pieces = append(pieces, nil)
			continue
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], l)
	}
	return pieces
}

package lsp_test

import (
	"fmt"
	"maps"
	"strings"
)

// simDiff is one file's part of the diff of an answer. It is read by code that shares
// nothing with the server.
type simDiff struct {
	hunks []simHunk
	// removed and added are tokens that are on its - lines and not on its + lines,
	// and the other way round.
	removed, added map[string]bool
}

// simHunk is one hunk: the old line that it begins at, from 0, and its rows.
type simHunk struct {
	at   int
	rows []string // sign and whole line, with its line end if it has one
}

// parseDiffs reads a unified diff; the key is the name without a/ or b/.
func parseDiffs(s string) (map[string]*simDiff, error) {
	all := map[string]*simDiff{}
	var d *simDiff
	oldName, minus, plus := "", map[string]bool{}, map[string]bool{}
	finish := func() {
		if d == nil {
			return
		}
		d.removed, d.added = without(minus, plus), without(plus, minus)
		minus, plus = map[string]bool{}, map[string]bool{}
	}
	for line := range strings.Lines(s) {
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "new file"), strings.HasPrefix(line, "deleted file"):
		case strings.HasPrefix(line, "--- a/"), strings.HasPrefix(line, "--- /dev/null"): // and no line that begins with "-- "
			oldName = diffName(line)
		case strings.HasPrefix(line, "+++ b/"), strings.HasPrefix(line, "+++ /dev/null"):
			finish()
			name := diffName(line)
			if name == "" {
				name = oldName
			}
			d = &simDiff{}
			all[name] = d
		case d == nil:
			return nil, fmt.Errorf("%q before a header", line)
		case strings.HasPrefix(line, "@@ "):
			h := simHunk{}
			var count int
			if n, _ := fmt.Sscanf(line, "@@ -%d,%d", &h.at, &count); n < 2 {
				count = 1
			}
			if count > 0 {
				h.at--
			}
			d.hunks = append(d.hunks, h)
		case strings.HasPrefix(line, `\`):
			h := &d.hunks[len(d.hunks)-1]
			last := len(h.rows) - 1
			h.rows[last] = strings.TrimSuffix(h.rows[last], "\n")
		default:
			h := &d.hunks[len(d.hunks)-1]
			h.rows = append(h.rows, line)
			for t := range tokensOf(line) {
				minus[t] = minus[t] || line[0] == '-'
				plus[t] = plus[t] || line[0] == '+'
			}
		}
	}
	finish()
	return all, nil
}

// diffName returns the name of a header line, "" for /dev/null.
func diffName(line string) string {
	name := strings.TrimSpace(line[4:])
	if name == "/dev/null" {
		return ""
	}
	return name[2:]
}

func without(a, b map[string]bool) map[string]bool {
	rest := maps.Clone(a)
	maps.DeleteFunc(rest, func(t string, in bool) bool { return !in || b[t] })
	return rest
}

// apply applies the diff exactly where it says; ok is false if a line that it quotes
// differs.
func (d *simDiff) apply(s string) (string, bool) {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, line)
	}
	var out strings.Builder
	at := 0
	for _, h := range d.hunks {
		if h.at < at || h.at > len(lines) {
			return "", false
		}
		out.WriteString(strings.Join(lines[at:h.at], ""))
		at = h.at
		for _, row := range h.rows {
			if row[0] != '+' {
				if at == len(lines) || lines[at] != row[1:] {
					return "", false
				}
				at++
			}
			if row[0] != '-' {
				out.WriteString(row[1:])
			}
		}
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return out.String(), true
}

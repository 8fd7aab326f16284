package patch

import (
	"strings"

	"github.com/patchls/patchls/internal/lazy"
)

// sides are the beginnings of the header lines of a diff that are about one side, the old one first.
var sides = [][2]string{
	{"--- ", "+++ "}, {"rename from ", "rename to "}, {"old mode ", "new mode "}, {"deleted file mode ", "new file mode "},
}

// bothSides finds the header lines that are about both.
var bothSides = lazy.Regexp(`^(?:(diff --git )("?)a/(.*)( )("?)b/([^\r]*)|(index )(\w+)(\.\.)(\w+)(.*)|(@@ )-([\d,]+)( )\+([\d,]+)( @@.*))`)

// Reverse returns the unified diff that takes back what another one makes. ok is false for anything else, and for a diff that
// copies a file.
func Reverse(diff string) (reversed string, ok bool) {
	lines, oldLines, newLines := strings.Split(diff, "\n"), 0, 0 // that are to come of the present hunk
	for i, line := range lines {
		switch {
		case oldLines <= 0 && newLines <= 0:
			if strings.HasPrefix(line, "copy from ") {
				return "", false
			}
			lines[i] = otherSide(line)
			if m := bothSides().FindStringSubmatch(line); len(m) > 0 {
				if ok = true; m[12] != "" {
					_, oldLines, _ = parseRange(m[13])
					_, newLines, _ = parseRange(m[15])
				}
			}
			for _, s := range sides { // the line about the old side goes above the other one
				if i > 0 && strings.HasPrefix(lines[i-1], s[1]) && strings.HasPrefix(lines[i], s[0]) {
					lines[i-1], lines[i] = lines[i], lines[i-1]
				}
			}
		case strings.HasPrefix(line, "+"):
			lines[i], newLines = "-"+line[1:], newLines-1
		case strings.HasPrefix(line, "-"):
			lines[i], oldLines = "+"+line[1:], oldLines-1
		case !strings.HasPrefix(line, `\`):
			oldLines, newLines = oldLines-1, newLines-1
		}
	}
	return strings.Join(lines, "\n"), ok
}

// otherSide returns a header line with its sides changed over.
func otherSide(line string) string {
	for _, s := range sides {
		for i, from := range s {
			if rest, is := strings.CutPrefix(line, from); is {
				return s[1-i] + rest
			}
		}
	}
	m := bothSides().FindStringSubmatch(line)
	switch {
	case m == nil:
		return line
	case m[1] != "": // with names in quotes, where they have characters that git escapes
		return m[1] + m[5] + "a/" + m[6] + m[4] + m[2] + "b/" + m[3] + line[len(m[0]):]
	case m[7] != "":
		return m[7] + m[10] + m[9] + m[8] + m[11]
	}
	return m[12] + "-" + m[15] + m[14] + "+" + m[13] + m[16]
}

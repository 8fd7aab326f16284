package paths

import "strings"

// The limits for [OneLine] that the user's messages have, in characters.
const (
	MaxShownPath    = 200  // the name of a file
	MaxShownMessage = 1000 // a whole message
)

// OneLine makes a text that comes from an agent, or from the name of a file, fit to stand
// in one line that the user reads: a question, a message, a lens, a log. What could pass
// for another line, turn the direction of reading, reach a terminal, or be a link or an
// icon to VS Code is replaced; blanks become one, and of more than limit characters the
// middle is left out. The plugins have the same in their languages; testdata/oneline.json
// holds all of them to it.
func OneLine(s string, limit int) string {
	runes := []rune(Shown(strings.Join(strings.Fields(s), " ")))
	if len(runes) <= limit {
		return string(runes)
	}
	head := (limit - 1) / 3
	tail := limit - 1 - head
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

// Shown is OneLine of a text of several lines: it leaves line feeds and tabs, and is as
// long as s.
func Shown(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '[':
			return '［'
		case r == ']':
			return '］'
		case r != '\n' && r != '\t' && isUnfit(r):
			return '\ufffd'
		}
		return r // what is no UTF-8 is U+FFFD already
	}, s)
	return strings.ReplaceAll(s, "$(", "＄(")
}

// isUnfit reports whether a character controls how others are shown, or is not seen.
func isUnfit(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r <= 0x9f, // controls
		r == 0xad, r == 0x61c, r == 0x180e, 0x200b <= r && r <= 0x200f, // blanks without width, directions
		0x2028 <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, // lines, directions
		r == 0xfeff, 0xfff9 <= r && r <= 0xfffb, 0xe0000 <= r && r <= 0xe007f: // marks, tags
		return true
	}
	return false
}

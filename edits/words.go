package edits

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patchls/patchls/internal/lazy"
)

// Count words a number of things: "1 line", "2 lines".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// LinesChanged words how many lines hunks add and remove: "1 line added, 2 removed".
func LinesChanged(hunks []Hunk) string {
	added, removed := 0, 0
	for _, h := range hunks {
		added, removed = added+h.NewLines, removed+h.OldLines
	}
	return fmt.Sprintf("%s added, %d removed", Count(added, "line"), removed)
}

// LineRange words a range of lines: "line 5", "lines 5-10".
func LineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

// ListedLines words line numbers, which are sorted: "line 4", "lines 4, 19 and 33". Repeated numbers are listed once, and a
// long list is cut: only the numbers that it lists are kept.
type ListedLines struct {
	first   []string
	n, last int
}

// maxListedLines is how many line numbers are listed.
const maxListedLines = 10

// Add adds a line number, which is not below the one before.
func (l *ListedLines) Add(line int) {
	if l.n > 0 && line == l.last {
		return
	}
	if l.n, l.last = l.n+1, line; l.n <= maxListedLines {
		l.first = append(l.first, strconv.Itoa(line))
	}
}

// String returns the list in words.
func (l *ListedLines) String() string {
	if l.n == 1 {
		return "line " + l.first[0]
	}
	return "lines " + joined(l.first, l.n-len(l.first))
}

// Listed words a list of names: "a.txt, b.txt and c.txt".
func Listed(names []string) string {
	most := 5
	if len(names) == most+1 {
		most++ // the name takes no more room than "1 more"
	}
	shown := min(len(names), most)
	return joined(names[:shown], len(names)-shown)
}

// joined words a list, and how many more there are.
func joined(words []string, more int) string {
	last := len(words) - 1
	switch {
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(words, ", "), more)
	case last < 1:
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Excerpt returns s for quotation in a sentence; if s is long, only its beginning.
func Excerpt(s string) string {
	const enough = 100
	if len(s) <= enough {
		return s
	}
	return strings.ToValidUTF8(s[:enough], "") + "…"
}

// Distance returns the number of code points to insert, delete, replace or swap with their
// neighbour to get from a to b (optimal string alignment). It serves suggestions; it never decides
// what an edit does. Its cost is the product of the lengths, so it is for names, not for texts.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(y)]
}

// NearestName returns the one of names that name most likely means, "" if none is near.
func NearestName(name string, names []string) string {
	best, bestDistance := "", max(len(name)/2, 2)+1
	for _, n := range names {
		if d := Distance(name, n); d < bestDistance {
			best, bestDistance = n, d
		}
	}
	return best
}

// Printable returns a name that was sent, for a sentence: as it is, or quoted if it is not fit for that.
func Printable(name string) string {
	if IsFit(name) {
		return name
	}
	return strconv.QuoteToASCII(name)
}

// Fit returns a message with an escape in place of each character that is not fit for a line, except for line ends and tabs.
// What it quotes may be of a patch, a name or an argument.
func Fit(message string) string {
	if IsFit(strings.NewReplacer("\n", "", "\t", "").Replace(message)) {
		return message
	}
	var b strings.Builder
	for _, r := range message {
		if r == '\n' || r == '\t' || IsFit(string(r)) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// Bounded returns a message of an error in at most 4 KB: a longer one repeats a long argument, and loses its middle.
func Bounded(message string) string {
	const most, gap = 4 << 10, " […] "
	if len(message) <= most {
		return message
	}
	half := (most - len(gap)) / 2
	return strings.ToValidUTF8(message[:half], "") + gap + strings.ToValidUTF8(message[len(message)-half:], "")
}

// emojiStyles matches the emoji that are not drawn in colour by themselves, each with a selector by which they are or are not.
var emojiStyles = lazy.Regexp("[©®‼⁉™ℹ↔-↙↩↪⌨⏏⏭-⏯⏱⏲⏸-⏺Ⓜ▪▫▶◀◻◼☀-☄☎☑☘☝☠☢☣☦☪☮☯☸-☺♀♂♟♠♣♥♦♨♻♾⚒⚔-⚗⚙⚛⚜⚠⚧⚰⚱⛈⛏⛑⛓⛩⛰⛱⛴⛷-⛹✂✈✉✌✍✏✒✔✖✝✡✳✴❄❇❣❤➡⤴⤵⬅-⬇〰〽㊗㊙🅰🅱🅾🅿🈂🈷🌡🌤-🌬🌶🍽🎖🎗🎙-🎛🎞🎟🏋-🏎🏔-🏟🏳🏵🏷🐿👁📽🕉🕊🕯🕰🕳-🕹🖇🖊-🖍🖐🖥🖨🖱🖲🖼🗂-🗄🗑-🗓🗜-🗞🗡🗣🗨🗯🗳🗺🛋🛍-🛏🛠-🛥🛩🛰🛳][\ufe0e\ufe0f]|[#*0-9]\ufe0f\u20e3")

// IsFit reports whether a name can be shown in a line as it is: it is valid UTF-8, and no character of it is unfit or invisible.
// Selectors of how an emoji is drawn are fit behind one.
func IsFit(name string) bool {
	unfit := func(r rune) bool {
		return IsUnfit(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
	return utf8.ValidString(name) && (strings.IndexFunc(name, unfit) < 0 || strings.IndexFunc(emojiStyles().ReplaceAllString(name, ""), unfit) < 0)
}

// IsUnfit reports whether a character controls how others are shown, or is invisible.
func IsUnfit(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r <= 0x9f, // controls
		r == 0xad, r == 0x61c, r == 0x180e, 0x200b <= r && r <= 0x200f, // blanks without width, directions
		0x2028 <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, // lines, directions
		r == 0xfeff, 0xfff9 <= r && r <= 0xfffb, 0xe0000 <= r && r <= 0xe007f: // marks, tags
		return true
	}
	return false
}

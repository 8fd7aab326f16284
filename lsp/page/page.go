// Package page bounds what an answer shows of a text or a directory, by the client that is to show it to its model.
package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// MaxAnswer is how many bytes an answer to an agent has at most.
const MaxAnswer = 20_000

// MaxEntries is how many entries of a directory an answer shows at most.
const MaxEntries = 200

// pages are the clients that show their model less of an answer than others do, and take what is more out of its middle:
// a word of the name that such a client gives itself, and the bytes that it shows.
var pages = []struct {
	client string
	bytes  int
}{
	{"cline", 8_000},
	{"codex", 9_500},
}

// Bytes returns how many bytes an answer has at most that shows a client of that name a part of a text.
func Bytes(client string) int {
	for _, p := range pages {
		if strings.Contains(strings.ToLower(client), p.client) {
			return p.bytes
		}
	}
	return 19_500
}

// Room returns how many bytes of such an answer are for the text, in JSON. The rest is for what precedes it.
func Room(client string) int { return Bytes(client) - 500 }

// Fit returns how many bytes of s have room, and how much room is left, which is negative if s does not fit. Room is
// counted in bytes of JSON, since some clients count those, and the answers that are data have them. No character is cut.
func Fit(s string, room int) (n, left int) {
	for i, r := range s {
		switch {
		case r == '"', r == '\\', r == '\n', r == '\r', r == '\t':
			room -= 2
		case r < ' ', r == '\u2028', r == '\u2029', r == '\u0085':
			room -= len(`\u0000`)
		default:
			room -= utf8.RuneLen(r)
		}
		if room < 0 {
			return i, room
		}
	}
	return len(s), room
}

// Rows returns the rows of as many lines from the first to the last as have room, and always one, with the notes about
// them. It crops a first row that has no room.
func Rows(first, last, room int, row func(line int) (row, note string)) (rows, notes []string) {
	for line := first; line <= last; line++ {
		shown, note := row(line)
		_, left := Fit(shown+"\n"+note, room)
		switch {
		case left < 0 && line > first:
			return rows, notes
		case left < 0:
			n, _ := Fit(shown, room-200) // what is left is for the note
			shown, note = shown[:n]+"…", fmt.Sprintf("Line %d is cropped, since it is longer than an answer.", line)
		}
		room, rows = left, append(rows, shown)
		if note != "" {
			notes = append(notes, note)
		}
	}
	return rows, notes
}

// Numbered returns the row of a line of t, with its number, and a note if it is cropped.
func Numbered(t text.Text) func(line int) (row, note string) {
	return func(line int) (row, note string) {
		l := t.Line(line - 1)
		if n := utf8.RuneCountInString(t.Slice(l.Start, l.End)); n > edits.MaxShownLine {
			note = fmt.Sprintf("Line %d has %d characters and is cropped at %d.", line, n, edits.MaxShownLine)
		}
		return edits.Numbered(t, line, line), note
	}
}

// The limits of what answers and errors show of an edit.
const (
	SnippetAround = 4  // lines on either side of a hunk
	MaxSnippet    = 60 // lines of a hunk
)

// Snippet returns the first of the hunks of an edit that made t, with the lines around it, numbered. It shows the lines from
// first to last, which is below first if it shows none.
func Snippet(t text.Text, hunks []edits.Hunk) (rows string, first, last int) {
	if len(hunks) == 0 || t.Lines() == 0 {
		return "", 1, 0
	}
	h, left := hunks[0], 0
	first, last = max(1, h.StartLine-SnippetAround), min(t.Lines(), h.EndLine+SnippetAround)
	if most := h.StartLine + MaxSnippet - 1; h.EndLine > most {
		left, last = last-most, most
	}
	if rows = edits.Numbered(t, first, last); left > 0 {
		rows += fmt.Sprintf("\n   ... %d more", left)
	}
	return rows, first, last
}

// Cut returns a text of at most the given number of bytes, which a model is to read. What is left out is its end, in
// whole lines where they are not long, and a note at the top says so.
func Cut(said string, most int) string {
	if len(said) <= most {
		return said
	}
	end := most - 100 // for the note
	if line := strings.LastIndexByte(said[:end], '\n'); line > end/2 {
		end = line
	}
	kept := strings.ToValidUTF8(said[:end], "")
	return fmt.Sprintf("note: The last %d of %d bytes of this answer are left out.\n%s", len(said)-len(kept), len(said), kept)
}

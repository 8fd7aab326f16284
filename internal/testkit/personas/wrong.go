package personas

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/headless"
)

// Wrong is a small way in which an editor makes an edit wrong, and says yes.
type Wrong int

// The small ways.
const (
	WrongEndInclusive   Wrong = iota // the character at the end of a range goes too
	WrongStartBefore                 // the character before a range goes too
	WrongEndShort                    // the last character of a range stays
	WrongStartShort                  // the first character of a range stays
	WrongNewlineAdded                // a line end follows the new text
	WrongNewlineDropped              // the new text loses its last line end
	WrongBlankAdded                  // a blank follows the new text
	WrongFirstLost                   // the new text loses its first character
	WrongLastLost                    // the new text loses its last character
	WrongBlanksTrimmed               // the new text loses the blanks at its ends
	WrongIndented                    // a tab precedes the new text
	WrongTwice                       // the new text is put in twice
	WrongColumn                      // the range is one character to the right
	WrongLine                        // the range is one line further down
	WrongOldKept                     // nothing is deleted
	WrongNewLost                     // nothing is inserted
	WrongFirstOnly                   // of several edits, only the first is made
	WrongLastOnly                    // of several edits, only the last is made
	WrongUnmoved                     // of several edits, each is made where it was before the others
	wrongs
)

// Wrongs returns all small ways.
func Wrongs() []Wrong {
	all := make([]Wrong, wrongs)
	for i := range all {
		all[i] = Wrong(i)
	}
	return all
}

// err returns an applyEdit as the editor makes it in a wrong way.
func (q *quirks) err(how Wrong, p *headless.ApplyEditParams) *headless.ApplyEditParams {
	made := *p
	made.Edit.DocumentChanges = slices.Clone(p.Edit.DocumentChanges)
	for i, c := range made.Edit.DocumentChanges {
		b, open := q.e.Buffer(c.TextDocument.URI)
		if c.Kind == "" && open {
			made.Edit.DocumentChanges[i].Edits = wrongly(how, b.State().Text, q.encoding(), c.Edits)
		}
	}
	return &made
}

// wrongly returns the edits of t that an editor makes for es.
func wrongly(how Wrong, t text.Text, enc text.Encoding, es []headless.TextEdit) []headless.TextEdit {
	var out []headless.TextEdit
	end, grown := 0, 0
	for i, e := range es {
		is := edits.Edit{Start: t.Offset(text.Position{Line: int(e.Range.Start.Line), Character: int(e.Range.Start.Character)}, enc), End: t.Offset(text.Position{Line: int(e.Range.End.Line), Character: int(e.Range.End.Character)}, enc), New: e.NewText}
		if how == WrongFirstOnly && i > 0 || how == WrongLastOnly && i+1 < len(es) {
			continue
		}
		delta := is.Delta()
		is = how.of(is, t, grown)
		if grown += delta; is.Start < end { // it would overlap the one before
			is.Start, is.End = end, max(end, is.End)
		}
		end = is.End
		from, to := t.Position(is.Start, enc), t.Position(is.End, enc)
		var put headless.TextEdit
		put.NewText = is.New
		put.Range.Start.Line, put.Range.Start.Character = uint32(from.Line), uint32(from.Character)
		put.Range.End.Line, put.Range.End.Character = uint32(to.Line), uint32(to.Character)
		out = append(out, put)
	}
	return out
}

// of returns one edit as it is made. The edits before it make the text grown bytes longer.
func (how Wrong) of(e edits.Edit, t text.Text, grown int) edits.Edit {
	s := t.String()
	next := func(off int) int {
		_, size := utf8.DecodeRuneInString(s[off:])
		return off + size
	}
	before := func(off int) int {
		_, size := utf8.DecodeLastRuneInString(s[:off])
		return off - size
	}
	switch how {
	case WrongEndInclusive:
		e.End = next(e.End)
	case WrongStartBefore:
		e.Start = before(e.Start)
	case WrongEndShort:
		e.End = max(e.Start, before(e.End))
	case WrongStartShort:
		e.Start = min(e.End, next(e.Start))
	case WrongNewlineAdded:
		e.New += "\n"
	case WrongNewlineDropped:
		e.New = strings.TrimSuffix(e.New, "\n")
	case WrongBlankAdded:
		e.New += " "
	case WrongFirstLost:
		_, size := utf8.DecodeRuneInString(e.New)
		e.New = e.New[size:]
	case WrongLastLost:
		_, size := utf8.DecodeLastRuneInString(e.New)
		e.New = e.New[:len(e.New)-size]
	case WrongBlanksTrimmed:
		e.New = strings.Trim(e.New, " \t")
	case WrongIndented:
		e.New = "\t" + e.New
	case WrongTwice:
		e.New += e.New
	case WrongColumn:
		e.Start, e.End = next(e.Start), next(e.End)
	case WrongLine:
		e.Start, e.End = below(t, e.Start), below(t, e.End)
	case WrongOldKept:
		e.End = e.Start
	case WrongNewLost:
		e.New = ""
	case WrongUnmoved:
		e.Start = text.FloorRune(s, min(t.Len(), max(0, e.Start-grown)))
		e.End = max(e.Start, text.FloorRune(s, min(t.Len(), max(0, e.End-grown))))
	}
	return e
}

// below returns the offset one line further down.
func below(t text.Text, off int) int {
	at := t.Position(off, text.UTF8)
	at.Line++
	return text.FloorRune(t.String(), t.Offset(at, text.UTF8))
}

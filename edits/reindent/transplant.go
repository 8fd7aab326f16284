package reindent

import (
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/text"
)

// Transplant carries the change from old to put over to a text that is the same as old only under a fold. The characters
// that the change leaves alone stay the document's own, and new lines get the document's indentation.
type Transplant struct {
	fold     match.Fold
	old, put string      // their lines ended by "\n" and, if the fold is about indentation, without it
	indents  []string    // of put
	change   edits.Edits // of old

	// Map and Continues are for a fold with Indent: the document's indentation for that of put,
	// and which lines of put continue the one above.
	Map       *Map
	Continues []bool
}

// NewTransplant returns the change from old to put, for texts that are old under the fold f,
// which leaves out blanks at the ends of lines.
func NewTransplant(old, put string, f match.Fold) Transplant {
	old, put = withoutTrailing(old, put)
	t := Transplant{fold: f}
	t.old, _ = cutIndents(old, f)
	t.put, t.indents = cutIndents(put, f)
	t.change = diff.Rewrite(text.New(t.old), 0, len(t.old), t.put)
	return t
}

// withoutTrailing removes the blanks from the ends of the lines of old, and from those lines of put that old has too. They
// are not the document's, so none of them can keep apart two words that a change joins.
func withoutTrailing(old, put string) (bareOld, barePut string) {
	olds, puts := strings.Split(diff.UnixLines(old), "\n"), strings.Split(diff.UnixLines(put), "\n")
	stays := map[string]bool{}
	for i, l := range olds {
		stays[l] = true
		olds[i] = strings.TrimRight(l, " \t")
	}
	for i, l := range puts {
		if stays[l] {
			puts[i] = strings.TrimRight(l, " \t")
		}
	}
	return strings.Join(olds, "\n"), strings.Join(puts, "\n")
}

// cutIndents returns a text with its lines ended by "\n" and, if the fold is about
// indentation, without it, and the indentation of each line.
func cutIndents(s string, f match.Fold) (body string, indents []string) {
	s = diff.UnixLines(s)
	if !f.Indent {
		return s, nil
	}
	lines := strings.Split(s, "\n")
	indents = make([]string, len(lines))
	for i, l := range lines {
		before, core, _ := text.CutBlanks(l)
		if core == "" {
			before = ""
		}
		indents[i], lines[i] = before, l[len(before):]
	}
	return strings.Join(lines, "\n"), indents
}

// Carry returns what s, a text that is old under the fold, becomes. It returns false if the fold is too wide for the change:
// the indentation of a new line cannot be derived, or the change cuts what one character stands for.
func (tr *Transplant) Carry(s string) (string, bool) {
	here, _ := cutIndents(s, tr.fold)
	f := tr.fold
	f.Indent = false
	doc, sent := f.Apply(here), f.Apply(tr.old)
	if doc.Text != sent.Text {
		return "", false
	}
	var b strings.Builder
	at := 0
	for _, e := range tr.change {
		from, to := sent.Offset(e.Start), sent.Offset(e.End)
		if sent.Inside(e.Start) || sent.Inside(e.End) || doc.Cuts(from) || doc.Cuts(to) {
			return "", false // a part of a character changes, which the document may have in another form
		}
		s, x := doc.Start(from), doc.End(to)
		if from < to && doc.Text[from] == '\n' {
			s = doc.End(from) // the blanks before a deleted line end go too
		}
		if e.Start == e.End {
			// An insertion goes after what stays before it: the blanks at the end of a line belong to that line.
			s = doc.End(from)
			if from == 0 || doc.Text[from-1] == '\n' {
				s = doc.Start(from)
			}
			x = s
		}
		if s < at || x < s {
			return "", false
		}
		b.WriteString(here[at:s])
		b.WriteString(e.New)
		at = x
	}
	b.WriteString(here[at:])
	if f.Text(b.String()) != f.Text(tr.put) {
		return "", false // it would not read as what was sent does
	}
	if !tr.fold.Indent {
		return b.String(), true
	}
	lines := strings.Split(b.String(), "\n") // as many as put has
	for i, l := range lines {
		if strings.Trim(l, " \t\r") == "" || i >= len(tr.Continues) { // or nothing is put in
			continue
		}
		indent, ok := tr.Map.Of(tr.indents[i], tr.Continues[i])
		if !ok {
			return "", false
		}
		lines[i] = indent + l
	}
	return strings.Join(lines, "\n"), true
}

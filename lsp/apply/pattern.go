package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
)

// pattern is what an edit looks like in the texts of its document.
type pattern struct {
	change   *Change
	encoding text.Encoding
	loose    bool                // the kind of line ends does not matter
	edit     changeset.Changeset // what the change plans, on its text
	was      text.Text           // the text planned on, as the editor has it
	from     int                 // that text's number in the document's history, -1 if it was not seen
	closed   bool                // the document was closed, for a time at least
}

// MinProof is how many bytes a change must insert to be no coincidence: the user may type the same letter.
const MinProof = 3

// isProven reports whether a change can only be the edit, and not the user's: it inserts at least MinProof bytes of text
// that are nowhere in the text planned on and that no other change has inserted. Deletions prove nothing. Nor does the text
// of the file once the document was closed, since the file may have been read anew.
func (p *pattern) isProven(own changeset.Changeset, others ...changeset.Changeset) bool {
	if p.closed {
		others = append(slices.Clip(others), changeset.Changeset{{New: p.change.Doc.Disk.String()}})
	}
	return p.isNew(own, others...)
}

// isNew is [pattern.isProven] for an edit that the editor made on the text of the file itself.
func (p *pattern) isNew(own changeset.Changeset, others ...changeset.Changeset) bool {
	return slices.ContainsFunc(own, func(ch changeset.Change) bool {
		put := strings.TrimSpace(ch.New)
		if len(put) < MinProof || p.was.Contains(put) {
			return false
		}
		return !slices.ContainsFunc(others, func(c changeset.Changeset) bool { return putsIn(c, put) })
	})
}

// putsIn reports whether a change inserts a text that holds s.
func putsIn(c changeset.Changeset, s string) bool {
	return slices.ContainsFunc(c, func(ch changeset.Change) bool { return strings.Contains(ch.New, s) })
}

// ownOf returns the edit as the text shows it, which may have line ends of another kind.
func (p *pattern) ownOf(now text.Text) changeset.Changeset {
	if now.Equal(p.change.After) && p.was.Equal(p.change.Text) {
		return p.edit
	}
	return changeset.Difference(p.was, now)
}

// isPlanned reports whether now is the text planned on with before and then the edit made.
func (p *pattern) isPlanned(before changeset.Changeset, now text.Text) bool {
	if len(before) == 0 {
		return text.Same(now, p.change.After, p.loose)
	}
	_, edit, conflict := changeset.Transform(before, p.edit)
	if conflict != nil {
		return false
	}
	planned, ok := before.Then(edit).Apply(p.was)
	return ok && text.Same(now, planned, p.loose)
}

// isBefore reports whether the text of a document that was opened is the one to be edited.
// If the edit changes line ends alone, the text must match to the byte.
func (p *pattern) isBefore(opened text.Text) bool {
	exact := opened.Equal(p.change.Text) && !opened.Equal(p.change.After)
	return exact || text.Same(opened, p.change.Text, true) && !text.Same(opened, p.change.After, true)
}

// rebase returns the edit as it is on the text before, which others made of the text
// planned on. ok is false unless that edit makes now.
func (p *pattern) rebase(before text.Text, others changeset.Changeset, now text.Text) (own changeset.Changeset, ok bool) {
	if len(others) == 0 {
		return nil, false
	}
	for _, edit := range p.spellings() {
		if before.Len()+edit.Delta() != now.Len() {
			continue
		}
		if _, own, meet := changeset.Transform(others, edit); meet == nil {
			if after, fits := others.Then(own).Apply(p.was); fits && after.Equal(now) {
				return own, true
			}
		}
	}
	return nil, false
}

// anyLineEnds reports whether the editor may have line ends of a kind that the text does not show.
func (p *pattern) anyLineEnds() bool { return p.loose && p.was.Lines() <= 1 }

// spellings returns the edit and, where an editor may have line ends of a kind that its
// text does not show yet, the edit with those.
func (p *pattern) spellings() []changeset.Changeset {
	if !p.anyLineEnds() {
		return []changeset.Changeset{p.edit}
	}
	return []changeset.Changeset{p.edit, lists.Map(p.edit, changeset.Change.WithCRLF)}
}

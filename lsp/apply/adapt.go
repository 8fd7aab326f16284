package apply

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// Some editors hold a text in a way that no edit can change. Many have one kind of line end for a buffer and write every
// edit with it (hazard: line-ends). In Neovim the newline at the end is a property of the buffer, not a character, and a
// buffer without a line does not exist (hazards: final-newline, empty-buffer). So a plan is fitted to what the editor can
// do; otherwise its result could not be recognised.

// AsSeenIn returns the snapshot as the user sees it in the editor. The lone newline that an
// editor has for an empty text becomes an empty text.
func AsSeenIn(c *editor.Editor, snap workspace.Snapshot) workspace.Snapshot {
	if c.Quirks.KeepsNewline && snap.Doc != nil && isBlank(snap) {
		snap.Text = text.Text{}
	}
	return snap
}

// isBlank reports whether a lone newline stands for an empty text: its file is empty or does not exist.
func isBlank(snap workspace.Snapshot) bool {
	if snap.Text.Len() > len("\r\n") || snap.Text.String() != snap.Text.Terminator() || snap.Text.Len() == 0 {
		return false
	}
	if snap.Abs == "" {
		return true
	}
	empty, exists := paths.SameOnDisk(snap.Target, text.Text{})
	return empty || !exists
}

// Adapt changes the plan of j to one that the editor can carry out. It returns an error if that leaves nothing to do.
func Adapt(j *Change, c *editor.Editor) (*Change, error) {
	planned := j.After
	if c.NormalizesLineEnds && j.Doc != nil {
		j.fitLineEnds()
	}
	if c.Quirks.Decodes && j.Doc == nil && j.Exists && j.Text.LineEnds() == "crlf" {
		j.useLF()
	}
	switch {
	case c.Quirks.KeepsNewline:
		j.fitFinalNewline()
	case c.Quirks.NewlineInNew && j.Doc == nil && !j.Exists && len(j.Plan.Edits) > 0:
		j.fitNewFile()
	}
	if len(j.Plan.Edits) > 0 || j.Kind != editor.Update || j.After.Equal(planned) {
		return j, nil
	}
	return nil, workspace.About(edits.Errorf(edits.NoChange, "Nothing would change in %s: %s", j.Path, strings.Join(j.Plan.Notes, " ")), j.Snapshot)
}

// fitLineEnds gives inserted text the line ends of the buffer.
func (j *Change) fitLineEnds() {
	end := "\n"
	if j.Text.LineEnds() == "crlf" {
		end = "\r\n"
	}
	ends := strings.NewReplacer("\r\n", end, "\r", end, "\n", end)
	fits := true
	es := make(edits.Edits, 0, len(j.Plan.Edits))
	for _, e := range j.Plan.Edits {
		put := ends.Replace(e.New)
		if put != e.New {
			fits = false
		}
		if put != j.Text.Slice(e.Start, e.End) {
			es = append(es, edits.Edit{Start: e.Start, End: e.End, New: put})
		}
	}
	if fits {
		return
	}
	j.Plan.Notes = append(j.Plan.Notes, "The editor has one kind of line end for all of this text, and keeps it.")
	j.Plan.Edits, j.After = es, es.Apply(j.Text)
}

// useLF gives text that is inserted into a closed file LF line ends, which the file has once the editor has opened it.
func (j *Change) useLF() {
	j.Plan.Edits = slices.Clone(j.Plan.Edits)
	for i := range j.Plan.Edits {
		e := &j.Plan.Edits[i]
		e.New = strings.ReplaceAll(e.New, "\r\n", "\n")
	}
	j.After = j.Plan.Edits.Apply(j.Text)
}

// fitFinalNewline leaves the newline at the end of the buffer as it is.
func (j *Change) fitFinalNewline() {
	planned := j.After
	switch {
	case j.Doc == nil && j.Text.Len() == 0 && len(j.Plan.Edits) == 0: // nothing is inserted
	case j.Doc == nil && j.Text.Len() == 0:
		j.fitNewFile()
		return
	case j.Doc != nil && !j.Text.Equal(j.Doc.Text): // the buffer is a lone newline
		j.Text, j.After = j.Doc.Text, withNewline(planned)
		j.Plan.Edits = changeset.Difference(j.Text, j.After).Edits()
	case j.Text.Terminator() != "" && planned.Terminator() == "":
		j.planAlso(changeset.Change{At: planned.Len(), New: j.Text.Terminator()})
	case j.Text.Terminator() == "" && planned.Terminator() != "":
		end := planned.Terminator()
		j.planAlso(changeset.Change{At: planned.Len() - len(end), Old: end})
	}
	j.noteNewline(planned)
}

// planAlso adds ch to the plan, a change of the text that the plan leaves. All other edits stay as they are, each in its
// hunk: a new plan, computed from the two texts, might change other lines instead.
func (j *Change) planAlso(ch changeset.Change) {
	j.Plan.Edits = changeset.Of(j.Plan.Edits, j.Text).Then(changeset.Changeset{ch}).Edits()
	j.After = j.Plan.Edits.Apply(j.Text)
}

// fitNewFile plans the first text of a file for an editor in which the file begins as a lone newline.
func (j *Change) fitNewFile() {
	planned := j.After
	j.After = withNewline(planned)
	j.Plan.Edits = edits.Edits{{New: strings.TrimSuffix(j.After.String(), "\n")}}
	j.noteNewline(planned)
}

func (j *Change) noteNewline(planned text.Text) {
	if !j.After.Equal(planned) {
		j.Plan.Notes = append(j.Plan.Notes, "The newline at the end of the text belongs to the buffer in this editor, and is left as it is.")
	}
}

func withNewline(t text.Text) text.Text {
	if t.Terminator() != "" {
		return t
	}
	return text.New(t.String() + "\n")
}

package apply

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// TextEdits returns es, which are edits of t, in the form of LSP.
func TextEdits(t text.Text, es edits.Edits, enc text.Encoding) []protocol.TextEdit {
	return lists.Map(es.WholeLineEnds(t).BeforeEnd(t), func(e edits.Edit) protocol.TextEdit {
		return protocol.TextEdit{Range: protocol.Range{Start: Position(t, e.Start, enc), End: Position(t, e.End, enc)}, NewText: e.New}
	})
}

// Position returns the LSP position of a byte of a text, in the units of enc.
func Position(t text.Text, off int, enc text.Encoding) protocol.Position {
	p := t.Position(off, enc)
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}

// sentOn reinterprets the ranges that are sent for the edit as edits of t, which may be another text than the one that they
// were computed for. ok is false if they are out of bounds or overlap, or if none has an effect.
func (j *Change) sentOn(t text.Text, enc text.Encoding) (es edits.Edits, ok bool) {
	for _, e := range j.Plan.Edits.WholeLineEnds(j.Text).BeforeEnd(j.Text) {
		start := t.Offset(j.Text.Position(e.Start, enc), enc)
		end := t.Offset(j.Text.Position(e.End, enc), enc)
		if start == end && e.New == "" {
			continue // there is no text to delete at this place
		}
		if n := len(es); n > 0 && es[n-1].End == start {
			es[n-1].End, es[n-1].New = end, es[n-1].New+e.New
			continue
		}
		es = append(es, edits.Edit{Start: start, End: end, New: e.New})
	}
	return es, len(es) > 0 && es.Validate(t.Len()) == nil
}

// WorkspaceEdit returns what the client is asked to apply: always documentChanges, one document, and an explicit version
// (hazards: explicit-version, both-changes, second-document).
func (j *Change) WorkspaceEdit(c *editor.Editor) protocol.WorkspaceEdit {
	var changes []protocol.DocumentChange
	if op := j.fileOperation(); op != nil {
		return protocol.WorkspaceEdit{DocumentChanges: append(changes, op)}
	}
	if j.Kind == editor.Create && c.CreateFiles && (!c.Quirks.CreatesByEdit || len(j.Plan.Edits) == 0) {
		ignore := !j.MustBeNew
		changes = append(changes, &protocol.CreateFile{
			Kind: "create", URI: uri.URI(j.URI), Options: &protocol.CreateFileOptions{IgnoreIfExists: &ignore},
		})
	}
	edit := &protocol.TextDocumentEdit{}
	edit.TextDocument.URI = uri.URI(j.URI)
	if j.Doc != nil {
		version := j.Doc.Version
		if version == 0 && c.Quirks.ZeroUnchecked {
			version = 1
		}
		edit.TextDocument.Version = &version
	}
	for _, e := range TextEdits(j.Text, j.Plan.Edits, c.Encoding) {
		edit.Edits = append(edit.Edits, &e)
	}
	if len(edit.Edits) > 0 {
		changes = append(changes, edit)
	}
	return protocol.WorkspaceEdit{DocumentChanges: changes}
}

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
		j.Plan.Edits = inLF(j.Plan.Edits)
		j.After = j.Plan.Edits.Apply(j.Text)
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
		fits = fits && put == e.New
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

// inLF returns edits whose new text has LF line ends, which a file has once an editor has opened it that decodes it.
func inLF(es edits.Edits) edits.Edits {
	es = slices.Clone(es)
	for i, e := range es {
		es[i].New = strings.ReplaceAll(e.New, "\r\n", "\n")
	}
	return es
}

// fitFinalNewline leaves the newline at the end of the buffer as it is.
func (j *Change) fitFinalNewline() {
	planned := j.After
	switch {
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

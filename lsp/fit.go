package lsp

import (
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// Some editors hold a text in a way that no edit can change: in Neovim the
// newline at the end is a property of the buffer, not a character, and a buffer
// without a line does not exist (hazards 26 and 27).

// seenBy returns the snapshot as the person sees it: where the editor has a lone
// newline for a text that is empty, nothing.
func (s *server) seenBy(snap workspace.Snapshot) workspace.Snapshot {
	if s.client.Load().traits.keepsNewline && snap.Doc != nil && isBlank(snap) {
		snap.Text = text.Text{}
	}
	return snap
}

// isBlank reports whether a buffer that consists of a newline is an empty one.
func isBlank(snap workspace.Snapshot) bool {
	if s := snap.Text.String(); s != "\n" && s != "\r\n" {
		return false
	}
	if snap.Abs == "" {
		return true
	}
	empty, exists := workspace.SameOnDisk(snap.Abs, text.Text{})
	return empty || !exists
}

// fitted makes the plan of a job one that the editor can carry out.
func (s *server) fitted(j *job) (*job, error) {
	if !s.client.Load().traits.keepsNewline {
		return j, nil
	}
	planned := j.after
	switch {
	case j.Doc == nil && !j.Exists: // it begins as a lone newline
		j.after = withNewline(planned)
		if len(j.plan.Edits) > 0 {
			j.plan.Edits = edits.Edits{{New: strings.TrimSuffix(j.after.String(), "\n")}}
		}
	case j.Doc != nil && !j.Text.Equal(j.Doc.Text): // it is one
		j.Text, j.after = j.Doc.Text, withNewline(planned)
		j.plan.Edits = edits.Difference(j.Text, j.after).Edits()
	case hasNewline(j.Text) && !hasNewline(planned):
		j.after = text.New(planned.String() + text.Terminator(j.Text.String()))
		j.plan.Edits = edits.Difference(j.Text, j.after).Edits()
	case !hasNewline(j.Text) && hasNewline(planned):
		j.after = text.New(strings.TrimSuffix(planned.String(), text.Terminator(planned.String())))
		j.plan.Edits = edits.Difference(j.Text, j.after).Edits()
	default:
		return j, nil
	}
	if j.after.Equal(planned) {
		return j, nil
	}
	const why = "The newline at the end of the text belongs to the buffer in this editor, and is left as it is"
	if len(j.plan.Edits) == 0 && j.kind == changeUpdate {
		return nil, about(&edits.Error{Kind: edits.NoChange, Message: fmt.Sprintf("%s: nothing else would change in %s.", why, j.Path)}, j.Snapshot)
	}
	j.plan.Notes = append(j.plan.Notes, why+".")
	return j, nil
}

func hasNewline(t text.Text) bool { return text.Terminator(t.String()) != "" }

func withNewline(t text.Text) text.Text {
	if hasNewline(t) {
		return t
	}
	return text.New(t.String() + "\n")
}

package transaction

import (
	"slices"

	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
)

// methodEdited is the notification of an edit to a plugin.
const methodEdited = "patchls/edited"

// tellEdited tells the editor's plugin which edit it has just applied; it adds who did it, and
// the files. It is called while the command still has its turn: so all that the editor was sent
// for these texts since the last time is of this edit.
func (s *Session) tellEdited(news editedParams, jobs ...*apply.Change) {
	if !s.Editor().Plugin.Edited {
		return
	}
	news.Agent, news.Files = s.Name(), []editedFile{}
	for _, j := range jobs {
		f := editedFile{j.URI}
		if j.Kind == editor.Rename {
			f.URI = j.To.URI
		}
		if !slices.Contains(news.Files, f) {
			news.Files = append(news.Files, f)
		}
	}
	s.Client.Notify(methodEdited, news)
}

// editedParams are those of patchls/edited.
type editedParams struct {
	EditID  string       `json:"edit_id"` // "" for an edit that failed halfway
	Agent   string       `json:"agent"`
	Command string       `json:"command"`
	Undone  bool         `json:"undone"`          // it was taken back
	Hunks   []int        `json:"hunks,omitempty"` // that alone were taken back
	Files   []editedFile `json:"files"`
}

type editedFile struct {
	URI string `json:"uri"`
}

// tell tells the editor's plugin what became of the files of a patch, or of an undo.
func (p *patching) tell(id string, undone bool) {
	var jobs []*apply.Change
	for _, st := range p.done {
		jobs = append(jobs, st.Change)
	}
	if p.doubtful != nil {
		jobs = append(jobs, p.doubtful.Change)
	}
	p.s.tellEdited(editedParams{EditID: id, Command: p.command, Undone: undone}, jobs...)
}

// tellTakenBack tells the plugin of each edit which of its hunks are gone.
func (p *patching) tellTakenBack(parts []review.Part) {
	for first := 0; first < len(parts); {
		id := parts[first].Edit.ID
		news := editedParams{EditID: id, Command: p.command, Undone: true}
		var jobs []*apply.Change
		for ; first < len(parts) && parts[first].Edit.ID == id; first++ {
			for _, n := range parts[first].Hunks {
				news.Hunks = append(news.Hunks, n+parts[first].Step.Before)
			}
			jobs = append(jobs, p.done[first].Change)
		}
		p.s.tellEdited(news, jobs...)
	}
}

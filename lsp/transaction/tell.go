package transaction

import (
	"slices"

	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/review"
)

// methodEdited is the notification of an edit to a plugin.
const methodEdited = "patchls/edited"

// tellEdited tells the editor's plugin which edit it has just applied; undone says that
// the edit was taken back. It is called while the command still has its turn: so all
// that the editor was sent for these texts since the last time is of this edit. An id
// of "" is that of an edit that failed halfway.
func (s *Session) tellEdited(id, command string, undone bool, jobs ...*apply.Change) {
	s.tellNews(editedParams{EditID: id, Command: command, Undone: undone}, jobs...)
}

// tellNews is tellEdited; it adds who did it, and the files.
func (s *Session) tellNews(news editedParams, jobs ...*apply.Change) {
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
	EditID  string       `json:"edit_id"`
	Agent   string       `json:"agent"`
	Command string       `json:"command"`
	Undone  bool         `json:"undone"`
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
	p.s.tellEdited(id, p.command, undone, jobs...)
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
		p.s.tellNews(news, jobs...)
	}
}

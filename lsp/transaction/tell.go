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

// tellTakenBack tells the plugin of each edit which of its hunks are gone, once for all of its
// texts. texts are the parts that each of the changes took back.
func (p *patching) tellTakenBack(texts [][]review.Part) {
	var news []editedParams
	jobs := map[string][]*apply.Change{} // by edit
	for i, parts := range texts {
		for _, pt := range parts {
			id := pt.Edit.ID
			if jobs[id] == nil {
				news = append(news, editedParams{EditID: id, Command: p.command, Undone: true})
			}
			for _, n := range pt.Hunks {
				news[len(news)-1].Hunks = append(news[len(news)-1].Hunks, n+pt.Step.Before)
			}
			jobs[id] = append(jobs[id], p.done[i].Change)
		}
	}
	for _, n := range news {
		p.s.tellEdited(n, jobs[n.EditID]...)
	}
}

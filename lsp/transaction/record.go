package transaction

import (
	"context"
	"errors"
	"hash/maphash"

	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// record records a change that was made in the history of its document. From then on it can be taken back as a part
// of the transaction's edit.
func (t *transaction) record(st *step) {
	s, l, err := t.s, *st.outcome, error(nil)
	if st.replan != nil {
		st.replan(l)
	}
	made := stepOf(st.Change)
	made.Number, made.Unseen = len(t.done), l.Doc == nil
	t.done, t.edit.Steps = append(t.done, st), append(t.edit.Steps, made)
	t.nameEdit()
	switch st.Kind {
	case editor.Rename:
		s.Documents.Renamed(st.Key, st.To.Key)
		s.EditLog.Rename(st.Key, st.To)
		t.edit = t.edit.Renamed(st.Key, st.To)
	case editor.Create, editor.Update:
		if l.OpenedToEdit() {
			s.Documents.SetDisk(st.Key, l.Landing.Text, st.Text, l.Doc.Seq, false)
		}
		if l.Doc != nil || st.Kind == editor.Update { // without a document, the editor may not have made the file
			st.history, st.landing, err = t.attribute(l)
		}
	}
	if err != nil {
		s.Log.WarnContext(t.Bounded, "an edit cannot be undone", "command", t.command, "error", err)
	}
}

// nameEdit gives the edit its id.
func (t *transaction) nameEdit() {
	if t.edit.ID == "" {
		t.edit.ID = t.s.EditLog.NewID()
	}
}

// finish adds the edit to the log of edits, sets its id in the answer, and notifies the editor's plugin.
func (t *transaction) finish(r *Result) {
	s := t.s
	t.nameEdit()
	for i, st := range t.done {
		for _, f := range t.files {
			if f.part < st.part {
				t.edit.Steps[i].Before += len(f.Plan.Hunks)
			}
		}
	}
	s.EditLog.Add(t.edit, s.forget)
	r.EditID = t.edit.ID
	t.call.SetEdit(r.EditID)
	t.tellEdited(editedParams{EditID: r.EditID}, t.done...)
	for _, st := range t.done {
		if l := st.outcome; l.Landing != nil && l.Doc.History != nil { // the agent is given the rev
			l.Doc.History.Mark(l.Landing.Seq, l.Landing.Text.Hash())
		}
	}
	s.ReviewChanged()
}

// remember records what the agent knows of the texts after the steps.
func (t *transaction) remember() {
	left := maxSnippets
	for _, st := range t.done {
		met := lines.Meeting{Text: st.After, Shown: t.shown}
		rows, first, last := page.Snippet(st.After, st.Plan.Hunks)
		if left -= len(rows); !t.says && !t.s.Unseen && left >= 0 {
			met.Shown = lines.Spans{{From: first, To: last}}
		}
		switch ledger := t.s.Ledger; {
		case st.Kind == editor.Rename:
			ledger.Renamed(st.Key, st.To.Key)
		case st.Kind == editor.Delete || st.outcome.Doc == nil:
			ledger.Forget(st.Key)
		case st.Kind == editor.Create:
			ledger.Wrote(st.Key, st.After.String(), met)
		case t.content != nil:
			ledger.Wrote(st.Key, *t.content, met)
			t.s.Sent(st.Key, *t.content)
		default:
			ledger.Edited(st.Key, st.Text, st.Plan, met, t.takesBack != "")
		}
	}
}

// maxSnippets is how many bytes of snippets an agent is sure to be shown of an answer.
const maxSnippets = 5 << 10

// forget has the histories treat an edit that is not in the log any more like any other change: it is no
// longer marked and takes up no room of its own.
func (s *Server) forget(e *review.Edit) {
	for _, st := range e.Steps {
		if h := s.Documents.History(st.Target.Key); h != nil {
			h.End(e.ID, false)
		}
	}
}

// stepOf returns a change as a step of the log of edits.
func stepOf(j *apply.Change) review.Step {
	st := review.Step{Change: j.Kind, Target: j.Target, ShownPath: j.Path, BOM: j.BOM, Hunks: len(j.Plan.Hunks), Effects: effects(j)}
	switch j.Kind {
	case editor.Create:
		st.Text = j.After
	case editor.Delete:
		st.Hunks, st.Text = 1, j.Text
	case editor.Rename:
		st.Target, st.Was, st.Hunks = j.To, j.Target, 0 // the hunks belong to the update that comes with the rename
	}
	return st
}

// maxHunks is how many hunks of a change have an effect.
const maxHunks = 1000

// seed is the seed of the hashes, so that equal ones come from the same process only.
var seed = maphash.MakeSeed()

// effects returns the effects of the first hunks of a change.
func effects(j *apply.Change) (all []review.Effect) {
	grown := 0 // the lines that the hunks before have added
	for _, h := range j.Plan.Hunks[:min(len(j.Plan.Hunks), maxHunks)] {
		from := max(h.StartLine-2, 0) // the line above, from 0
		was := j.Text.Slice(j.Text.LineStart(from-grown), j.Text.LineStart(h.StartLine-1-grown+h.OldLines))
		now := j.After.Slice(j.After.LineStart(from), j.After.LineStart(h.StartLine-1+h.NewLines))
		all, grown = append(all, review.Effect(maphash.Comparable(seed, [3]string{string(j.Key), was, now}))), grown+h.NewLines-h.OldLines
	}
	return all
}

// attribute records in the history of a document that a change is of the transaction's edit, and returns that history and
// the change's place in it. If the text was seen before and after the edit but not in between, the edit is the newest change.
// The history begins with the edit if the editor has opened the document with the edit made.
func (t *transaction) attribute(l apply.Outcome) (*history.History, apply.Landing, error) {
	j, numbers := l.Change, diff.HunkNumbers(l.Change.Plan, l.Change.Text)
	at := apply.Landing{Own: changeset.Of(j.Plan.Edits, j.Text)}
	switch {
	case l.Doc == nil || l.Doc.History == nil: // the editor may open the document later
		if j.Kind == editor.Create { // the plan may leave the newline at the end to the editor
			at.Own = changeset.Changeset{{New: j.After.String()}}
		}
		h := t.s.Documents.CatchUp(j.Key, j.Text)
		if h == nil {
			return nil, at, errors.New("the file was opened meanwhile")
		}
		at.Seq = h.Record(at.Own, j.After)
		at.From = at.Seq - 1
		err := h.Attribute(at.From, at.Seq, t.edit.ID, nil, at.Own, numbers...)
		return h, at, err
	case l.Landing.From >= 0:
		at = *l.Landing
		l.Doc.History.Mark(at.From, at.Was.Hash()) // the rev may have been shown while the file was closed
	case l.Doc.History.Seq() == 0:
		l.Doc.History.AttributeBase(t.edit.ID, at.Own, numbers...)
		return l.Doc.History, at, nil
	default:
		at.From, at.Seq, at.Own = l.Landing.Seq-1, l.Landing.Seq, l.Landing.Own
		if since, ok := l.Doc.History.SinceSeq(at.From); ok && j.Kind == editor.Create && l.Doc.History.Seq() == at.Seq {
			at.Own, numbers = since, []int{1} // a document of that name existed before, and its history goes on
		}
	}
	return l.Doc.History, at, l.Doc.History.Attribute(at.From, at.Seq, t.edit.ID, at.Before, at.Own, numbers...)
}

// Reloaded reports whether an agent's edit was made between two states of a document; then the editor has not reread the
// file. It waits for its turn, since an edit may be in flight. If there was no edit and record is set, the whole change is
// recorded as an edit of the program that has written the file. It can then be undone and reviewed like an agent's edit.
func (s *Session) Reloaded(ctx context.Context, place paths.Target, was, now *workspace.Document, record bool) (edited bool) {
	turn := s.queues.Take(place.Identity())
	defer turn.Done()
	if turn.Wait(ctx) != nil || was.History != now.History || was.Text.Equal(now.Text) {
		return false
	}
	es := diff.Rewrite(was.Text, 0, was.Text.Len(), now.Text.String())
	own := changeset.Of(es, was.Text)
	if now.History.Clone().Attribute(was.Seq, now.Seq, "reload", nil, own) != nil {
		return true
	}
	if !record {
		return false
	}
	c := &apply.Change{Kind: editor.Update, Plan: diff.PlanOf(was.Text, es), After: now.Text}
	c.Target, c.Text = place, was.Text
	e := &review.Edit{ID: s.EditLog.NewID(), Command: "reload", Agent: s.Name(), Conversation: s.Conversation, Steps: []review.Step{stepOf(c)}}
	if now.History.Attribute(was.Seq, now.Seq, e.ID, nil, own, diff.HunkNumbers(c.Plan, was.Text)...) == nil { // else it has changed meanwhile
		s.EditLog.Add(e, s.forget)
		s.ReviewChanged()
	}
	return false
}

// methodEdited notifies a plugin of an edit.
const methodEdited = "patchls/edited"

// tellEdited notifies the editor's plugin of the edit that the editor has just applied in these steps.
// It adds the agent, the command and the files to news. It is called while the command still has its
// turn, so everything sent to the editor for these texts since the last notification belongs to this edit.
func (t *transaction) tellEdited(news editedParams, steps ...*step) {
	if !t.s.Editor().Plugin.Edited || len(steps) == 0 {
		return
	}
	news.Agent, news.Command = t.s.Name(), t.command
	news.Files = lists.Unique(lists.Map(steps, func(st *step) editedFile { return editedFile{st.at().URI} }))
	t.s.Client.Notify(methodEdited, news)
}

// editedParams are the parameters of patchls/edited.
type editedParams struct {
	EditID  string       `json:"edit_id"` // "" for an edit that failed halfway
	Agent   string       `json:"agent"`
	Command string       `json:"command"`
	Undone  bool         `json:"undone"`          // the edit was taken back
	Hunks   []int        `json:"hunks,omitempty"` // the hunks taken back, if not all were
	Files   []editedFile `json:"files"`
}

type editedFile struct {
	URI string `json:"uri"`
}

// tellTakenBack notifies the plugin, once for each edit, of the hunks that were taken back in all of its texts.
func (t *transaction) tellTakenBack() {
	var news []editedParams
	steps := map[string][]*step{} // by edit
	for _, st := range t.done {
		for _, pt := range st.takesBack {
			id := pt.Edit.ID
			if steps[id] == nil {
				news = append(news, editedParams{EditID: id, Undone: true})
			}
			newest := &news[len(news)-1]
			newest.Hunks = append(newest.Hunks, lists.Map(pt.Hunks, func(n int) int { return n + pt.Step.Before })...)
			steps[id] = append(steps[id], st)
		}
	}
	for _, n := range news {
		t.tellEdited(n, steps[n.EditID]...)
	}
}

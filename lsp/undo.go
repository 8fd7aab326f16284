package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/workspace"
)

// The kinds of failure that taking back can give (contract 4).
const (
	undoConflict  edits.Kind = "undo_conflict"
	nothingToUndo edits.Kind = "nothing_to_undo"
)

type undoArgs struct {
	EditID string `json:"edit_id,omitempty" jsonschema:"the edit to take back, as its result called it"`
	Path   string `json:"path,omitempty" jsonschema:"take back the newest edit of this file; without edit_id and path the newest of all"`
	editOptions
}

// undoer declares the command that takes edits back.
func undoer(name, title, doc string) Command {
	return Command{
		Name: name, Title: title, Doc: doc, Edits: true, arguments: reflect.TypeFor[undoArgs](),
		start: func(s *caller, arguments []json.RawMessage) (work, error) {
			var args undoArgs
			if err := decodeArguments(name, arguments, &args); err != nil {
				return nil, err
			}
			turn := s.arrivals.Take()
			return func(ctx context.Context) (any, error) {
				defer turn.Done()
				return s.undo(ctx, turn, name, args)
			}, nil
		},
	}
}

// undo is the journey of taking back: find the edit, plan what takes it out of
// each text as it is now, apply. If one of its texts keeps it, all do.
func (s *caller) undo(ctx context.Context, arrival *workspace.Turn, name string, args undoArgs) (*Result, error) {
	r, err := s.begin(ctx, arrival, s.undoTexts(args))
	if err != nil {
		return nil, err
	}
	defer r.end()
	e, err := s.edited(args)
	if err != nil {
		return nil, err
	}
	// Which texts that are is only known now; the turns so far are for those before.
	r.turns.Done()
	r.turns = s.textQueues.Take(e.texts()...)
	if r.turns.Wait(r.ctx) != nil {
		return nil, waitError(r.ctx, "other edits went first")
	}
	if s.made.find(e.id, "") == nil {
		return nil, s.nothingToUndo(args)
	}
	p := &patching{s: s, command: name, holds: &r.holds, label: s.label(name, args.editOptions)}
	for _, st := range slices.Backward(e.steps) {
		f := &patchedFile{given: st.given}
		p.files = append(p.files, f)
		if j, err := s.takeBackJob(e, st); err != nil {
			return nil, err
		} else if args.DryRun {
			p.done = append(p.done, &patchStep{file: f, job: j})
		}
	}
	if args.DryRun {
		return p.undoResult(e, unapplied{}), nil
	}
	forward, end := r.forward(s.server, len(e.steps))
	defer end()
	for i, st := range slices.Backward(e.steps) {
		err := p.applyPlanned(r.ctx, forward, p.files[len(e.steps)-1-i], func() (*job, error) { return s.takeBackJob(e, st) })
		if err != nil {
			return nil, p.putBack(p.files[len(e.steps)-1-i], err)
		}
	}
	s.made.remove(e)
	for _, st := range p.done {
		s.undone(e, st.landed)
	}
	p.tell(e.id, true)
	return p.undoResult(e, landed{}), nil
}

// undoTexts takes turns for what comes before an undo: all edits of the text, or
// of any.
func (s *caller) undoTexts(args undoArgs) func() *workspace.Turns {
	return func() *workspace.Turns {
		if args.EditID != "" {
			if e := s.made.find(args.EditID, ""); e != nil {
				return s.textQueues.Take(e.texts()...)
			}
		} else if args.Path != "" {
			return s.texts(args.Path)()
		}
		return s.textQueues.TakeAll()
	}
}

// edited finds the edit that is to be taken back.
func (s *caller) edited(args undoArgs) (*madeEdit, error) {
	var identity workspace.Key
	if args.Path != "" {
		place, err := s.workspace().Resolve(args.Path)
		if err != nil {
			return nil, err
		}
		identity = place.Identity()
	}
	e := s.made.find(args.EditID, identity)
	if e == nil {
		return nil, s.nothingToUndo(args)
	}
	return e, nil
}

// nothingToUndo is the error for an edit that there is not, or no more.
func (s *caller) nothingToUndo(args undoArgs) error {
	what := "There is no edit of an agent that can be taken back"
	switch {
	case args.EditID != "" && args.Path != "":
		what = fmt.Sprintf("There is no edit %s of %s that can be taken back", args.EditID, args.Path)
	case args.EditID != "":
		what = fmt.Sprintf("There is no edit %s that can be taken back", args.EditID)
	case args.Path != "":
		what = fmt.Sprintf("There is no edit of %s that can be taken back", args.Path)
	}
	var ids []string
	for _, e := range slices.Backward(s.made.list()) {
		ids = append(ids, e.id)
	}
	if len(ids) > 0 {
		what += "; there are " + listed(ids)
	}
	return &edits.Error{Kind: nothingToUndo, Path: args.Path, Message: what + "."}
}

// undone takes the edit out of the history of a document.
func (s *server) undone(e *madeEdit, l landed) {
	j := l.job
	switch j.kind {
	case changeRename:
		s.made.mu.Lock()
		defer s.made.mu.Unlock()
		s.docs.Renamed(j.Key, j.to.Key)
		s.made.renamed(e, j.Key, j.to)
	case changeUpdate:
		if err := s.historyUndone(e.id, l); err != nil {
			s.log.Warn("undo is not in the history", "edit", e.id, "error", err)
		}
	}
}

// historyUndone says in the history of a document that an edit was taken back.
func (s *server) historyUndone(id string, l landed) error {
	if l.how != nil && l.how.from >= 0 {
		return l.doc.History.Undone(id, l.how.from, l.how.seq, l.how.before, l.how.own, l.how.rest)
	}
	h, seq, own, err := s.unseen(l)
	if err != nil {
		return err
	}
	return h.Undone(id, seq-1, seq, nil, own, nil)
}

// undoResult returns the answer of an undo.
func (p *patching) undoResult(e *madeEdit, o outcome) *Result {
	r := &Result{Notes: []string{}, EditID: e.id}
	renamed := map[workspace.Key]FileResult{} // by the key of the name that it had
	for i, st := range slices.Backward(p.done) {
		one := o
		if _, ok := o.(landed); ok {
			one = st.landed
			p.remember(st)
		}
		part := st.result(p.s.server, one)
		r.Applied, r.Verified, r.Rebased = part.Applied, part.Verified && (r.Verified || i == len(p.done)-1), r.Rebased || part.Rebased
		r.Notes = append(r.Notes, part.Notes...)
		file := &part.Files[0]
		if now, ok := renamed[st.Key]; ok { // after this step
			file.URI, file.NewPath, file.Open, file.Dirty, file.Saved = now.URI, now.NewPath, now.Open, now.Dirty, now.Saved
		} else if st.kind == changeRename {
			renamed[st.Key] = *file
		}
		r.Files = append(r.Files, *file)
		r.Diff += part.Diff
	}
	r.Message = undoMessage(r)
	if !r.Applied {
		r.Message = "Dry run, nothing was changed: " + r.Message
	}
	return r
}

// undoMessage words an undo.
func undoMessage(r *Result) string {
	var names []string
	for _, f := range r.Files {
		if !slices.Contains(names, f.Path) {
			names = append(names, f.Path)
		}
	}
	return fmt.Sprintf("Undid edit %s in %s.", r.EditID, listed(names))
}

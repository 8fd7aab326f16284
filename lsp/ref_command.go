package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/workspace"
)

// A reference tool is one that agents know from elsewhere. Its
// command takes that tool's arguments and answers in that tool's words, and runs
// on the planners and the journey of all the others: so its faults are not here.

// toolCall is one call of a reference tool: a toolReading, a toolEdit or a
// toolUndo.
type toolCall interface {
	// refused returns e in the tool's words; e is its own to change. The kind
	// stays the contract's.
	refused(e *edits.Error) *edits.Error
}

// toolReading is a call that shows a text.
type toolReading interface {
	toolCall
	read(s *caller) (*Reading, error)
}

// toolEdit is a call that edits a text.
type toolEdit interface {
	toolCall
	editArguments
	// said words what the edit of j came to, after which the text is now.
	said(j *job, now text.Text) string
}

// toolUndo is a call that takes the newest edit of a text back.
type toolUndo interface {
	toolCall
	undo() undoArgs
	// undone words what it came to.
	undone(r *Result) string
}

// snapshotPlanner is a toolEdit whose plan depends on what the agent was shown.
// planOn is called in place of plan.
type snapshotPlanner interface {
	planOn(s *caller, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error)
	// carried reports whether line numbers were carried over to a newer text.
	carried() bool
}

// Reading is the answer of a reference tool that shows a text or a directory.
// Message is what the tool itself would have said; the rest is as in [View], and
// the lines are those that Message shows.
type Reading struct {
	Message    string   `json:"message"`
	Path       string   `json:"path"`
	URI        string   `json:"uri"`
	Rev        string   `json:"rev"`
	Version    int32    `json:"version"`
	Open       bool     `json:"open"`
	Dirty      bool     `json:"dirty"`
	TotalLines int      `json:"total_lines"`
	StartLine  int      `json:"start_line"`
	EndLine    int      `json:"end_line"`
	Notes      []string `json:"notes"`
}

// tool declares the command of a reference tool. A declares its arguments; parse
// reads them, on the reading goroutine, into a toolReading or a toolEdit.
func tool[A any](name, title, doc string, changes bool, parse func(arguments []json.RawMessage) (toolCall, error)) Command {
	if changes {
		doc += inBuffer
	}
	return Command{
		Name: name, Title: title, Doc: doc, Edits: changes, arguments: reflect.TypeFor[A](),
		start: func(s *caller, arguments []json.RawMessage) (work, error) {
			call, err := parse(arguments)
			if err == nil {
				err = s.checkBounds(call)
			}
			if err != nil {
				return nil, err
			}
			if c, ok := call.(toolReading); ok {
				return func(context.Context) (any, error) {
					r, err := c.read(s)
					return r, reworded(c, err)
				}, nil
			}
			turn := s.arrivals.Take()
			return func(ctx context.Context) (any, error) {
				defer turn.Done()
				r, err := s.change(ctx, turn, name, call)
				return r, reworded(call, err)
			}, nil
		},
	}
}

// change runs a call that changes a text.
func (s *caller) change(ctx context.Context, arrival *workspace.Turn, name string, call toolCall) (*Result, error) {
	c, ok := call.(toolUndo)
	if !ok {
		edit, _ := call.(toolEdit)
		return s.edit(ctx, arrival, name, edit)
	}
	r, err := s.undo(ctx, arrival, name, c.undo())
	if err == nil {
		r.Message = strings.TrimSuffix(r.Message, undoMessage(r)) + c.undone(r)
	}
	return r, err
}

// reworded returns err in the words of the tool.
func reworded(c toolCall, err error) error {
	var e *edits.Error
	if !errors.As(err, &e) {
		return err
	}
	own := *e
	return c.refused(&own)
}

// reading returns the answer about snap, whose lines [from,to] it shows, and
// remembers that they were shown.
func (s *caller) reading(snap workspace.Snapshot, from, to int, message string) *Reading {
	s.shown.showed(snap.Key, snap.Text, from, to)
	r := &Reading{
		Message: message, Path: snap.Path, URI: snap.URI, Rev: snap.Text.Hash(), Open: snap.Doc != nil,
		TotalLines: snap.Text.Lines(), StartLine: from, EndLine: to, Notes: []string{},
	}
	if snap.Doc != nil {
		r.Version = snap.Doc.Version
		r.Dirty = isDirty(snap.Target, snap.Text)
	}
	return r
}

// planOn plans args on snap.
func (s *caller) planOn(args editArguments, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error) {
	if p, ok := args.(snapshotPlanner); ok {
		return p.planOn(s, snap, work)
	}
	return args.plan(s.limitsNow().source(snap.Path, snap.Text, work))
}

// answer returns the answer of a job that came to o, in the words of the tool
// that it is for, and remembers what the agent has made of the text.
func (j *job) answer(s *caller, o outcome) *Result {
	r := j.result(s.server, o)
	if l, ok := o.(landed); ok {
		r.EditID = s.made.add(s, j.command, l)
		s.tellEdited(r.EditID, j.command, false, j)
		l.told()
		s.reviewChanged()
		if l.doc != nil {
			s.shown.edited(j, j.after, j.args.target().create != nil)
		} else {
			s.shown.forget(j.Key)
		}
	}
	if t, ok := j.args.(toolEdit); ok {
		r.Message = strings.TrimSuffix(r.Message, j.plan.Message) + t.said(j, j.after)
	}
	if p, ok := j.args.(snapshotPlanner); ok {
		r.Rebased = r.Rebased || p.carried()
	}
	if r.Applied {
		s.logEdit(r, j.command)
	}
	return r
}

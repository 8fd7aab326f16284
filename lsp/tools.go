package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/workspace"
)

// tool declares the command of a reference tool. A declares its arguments; parse
// reads them, on the reading goroutine, into a [reference.Call].
func tool[A any](name, title, doc string, changes bool, parse func(arguments []json.RawMessage) (reference.Call, error)) Command {
	if changes {
		doc += inBuffer
	}
	return Command{
		Name: name, Title: title, Doc: doc, Edits: changes, arguments: reflect.TypeFor[A](),
		start: func(s *caller, arguments []json.RawMessage) (work, error) {
			call, err := parse(arguments)
			if err == nil {
				err = s.limitsNow().Check(call)
			}
			if err != nil {
				return nil, err
			}
			if c, ok := call.(reference.Reader); ok {
				return func(ctx context.Context) (any, error) {
					return s.reads(ctx, func() (any, error) {
						r, err := c.Read(s.toolSession())
						return r, reworded(c, err)
					})
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
func (s *caller) change(ctx context.Context, arrival *workspace.Turn, name string, call reference.Call) (*Result, error) {
	c, ok := call.(reference.Undo)
	if !ok {
		edit, _ := call.(reference.Edit)
		return s.edit(ctx, arrival, name, edit)
	}
	path, options := c.Undo()
	r, err := s.undo(ctx, arrival, name, undoArgs{Path: path, EditOptions: options})
	if err == nil {
		snippet := ""
		if len(r.Files) > 0 {
			snippet = r.Files[0].Snippet
		}
		r.Message = strings.TrimSuffix(r.Message, undoMessage(r)) + c.Undone(snippet)
	}
	return r, err
}

// reworded returns err in the words of the tool.
func reworded(c reference.Call, err error) error {
	var e *edits.Error
	if !errors.As(err, &e) {
		return err
	}
	own := *e
	return c.Refused(&own)
}

// toolSession is what the caller's calls of reference tools are made in.
func (s *caller) toolSession() reference.Session {
	return reference.Session{Workspace: s.workspace, Read: s.read, Shown: &s.shown, Source: func(path string, t text.Text, work *edits.Work) edits.Source {
		return s.limitsNow().Source(path, t, work)
	}}
}

// planOn plans args on snap.
func (s *caller) planOn(args commands.Edit, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error) {
	if p, ok := args.(reference.SnapshotPlanner); ok {
		return p.PlanOn(s.toolSession(), snap, work)
	}
	return args.Plan(s.limitsNow().Source(snap.Path, snap.Text, work))
}

// answer returns the answer of a command about its job, which landed as l if it was applied,
// in the words of the tool that it is for, and remembers what the agent has made of the text.
func (s *caller) answer(ctx context.Context, command string, j *job, how outcome, l apply.Outcome) *Result {
	r := s.result(j.Change, how, l)
	if how == outcomeApplied {
		r.EditID = s.remember(ctx, command, &patchStep{landed: l})
		s.tellEdited(r.EditID, command, false, j.Change)
		l.RecordRev()
		s.reviewChanged()
		if l.Doc != nil {
			s.shown.Edited(j.Key, j.Text, j.After, j.Plan, j.args.Target().Create != nil)
		} else {
			s.shown.Forget(j.Key)
		}
	}
	if t, ok := j.args.(reference.Edit); ok {
		r.Message = strings.TrimSuffix(r.Message, j.Plan.Message) + t.Said(j.Kind, j.Plan, j.After)
	}
	if p, ok := j.args.(reference.SnapshotPlanner); ok {
		r.Rebased = r.Rebased || p.Carried()
	}
	if r.Applied {
		s.logEdit(r, command)
	}
	return r
}

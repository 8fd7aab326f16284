package transaction

import (
	"context"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/reference"
	"github.com/patchls/patchls/workspace"
)

// ToolSession is what the session's calls of reference tools are made in.
func (s *Session) ToolSession() reference.Session {
	return reference.Session{Workspace: s.Workspace, Read: s.Engine.Read, Shown: s.Shown, Source: func(path string, t text.Text, work *edits.Work) edits.Source {
		return s.Limits().Source(path, t, work)
	}}
}

// planOn plans args on snap.
func (s *Session) planOn(args commands.Edit, snap workspace.Snapshot, work *edits.Work) (edits.Plan, error) {
	if p, ok := args.(reference.SnapshotPlanner); ok {
		return p.PlanOn(s.ToolSession(), snap, work)
	}
	return args.Plan(s.Limits().Source(snap.Path, snap.Text, work))
}

// answer returns the answer of a command about its job, which landed as l if it was applied,
// in the words of the tool that it is for, and remembers what the agent has made of the text.
func (s *Session) answer(ctx context.Context, command string, j *job, how outcome, l apply.Outcome) *Result {
	r := s.result(j.Change, how, l)
	if how == outcomeApplied {
		r.EditID = s.remember(ctx, command, &patchStep{landed: l})
		s.tellEdited(editedParams{EditID: r.EditID, Command: command}, j.Change)
		l.RecordRev()
		s.ReviewChanged()
		if l.Doc != nil {
			s.Shown.Edited(j.Key, j.Text, j.After, j.Plan, j.args.Target().Create != nil)
		} else {
			s.Shown.Forget(j.Key)
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

package transaction

import (
	"context"
	"errors"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/history"
	"github.com/patchls/patchls/workspace/paths"
)

// transaction holds the changes of one command. The editor makes them one after the other; if one
// fails, the earlier ones are rolled back.
type transaction struct {
	*Run
	agreement      *proposal.Agreement
	last           *job // the last plan of an edit of one document, to whose text line numbers refer; nil for other commands
	command, label string
	save           bool // save the edited files, even if the setting does not ask for it
	dryRun         bool
	takesBack      string  // the edit that it takes back, if any: the agent has not written what comes to be there
	several        bool    // if one change fails, those made before are taken back
	content        *string // the whole text that the agent sent; nil if it sent none
	says           bool    // the answer's message shows the lines shown, and there is no snippet
	shown          lines.Spans
	steps          []*step      // all changes that the editor is to be asked to make
	done           []*step      // the changes made, in order
	edit           *review.Edit // the same, under the id by which the histories have them
	files          []*step      // the files of the answer
	// inDoubt is the step that was sent and failed. The editor may have made it all the same.
	inDoubt *step
}

// step is one change. The steps in a transaction's done list have been made.
type step struct {
	name string // the name of its file in errors
	part int    // of a patch: the first part about its file, from 1; 0 for other commands
	// plan plans the change on the current text. It returns nil if there is nothing to do.
	plan          func() (*apply.Change, error)
	*apply.Change                // nil, then as planned, and then as it landed
	outcome       *apply.Outcome // nil until the change is made
	// replan, if not nil, replaces the plan by that of the text on which the change landed.
	replan    func(apply.Outcome)
	takesBack []review.Part    // what the change takes back, if anything
	history   *history.History // of an update that was made
	landing   apply.Landing    // its place there
}

// at returns the target of the file after the step.
func (st *step) at() paths.Target {
	if st.Kind == editor.Rename {
		return st.To
	}
	return st.Target
}

// perFile returns one step for each file. A renaming and an edit of the same file, which follow each other in either
// order, become one step with the outcome of the later one.
func perFile(steps []*step) (files []*step) {
	for _, st := range steps {
		last := len(files) - 1
		if last < 0 || files[last].at().Key != st.Key || (files[last].Kind == editor.Rename) == (st.Kind == editor.Rename) {
			files = append(files, st)
			continue
		}
		first, edit, rename := files[last], st, files[last]
		if st.Kind == editor.Rename {
			edit, rename = files[last], st
		}
		both := *edit.Change
		both.Kind, both.Target, both.To, both.BOM = editor.Rename, rename.Target, rename.To, first.BOM
		files[last] = &step{part: st.part, Change: &both, outcome: st.outcome}
	}
	return files
}

// onlyPlans reports whether the transaction makes nothing: in a dry run, or if the client applies the edit itself.
func (t *transaction) onlyPlans() bool { return t.dryRun || !t.s.Editor().ApplyEdit }

// check returns an error if the user has to be asked about the changes of steps, which message describes in a sentence, or
// if the steps would make again what others took back of the agent's edits, and were not refused for that before.
func (t *transaction) check(message string, steps ...*step) error {
	if t.takesBack == "" && t.s.Conversation != nil && !t.s.Unseen {
		does := lists.FlatMap(steps, func(st *step) []review.Effect { return effects(st.Change) })
		if again := t.s.Conversation.Repeats(does, t.s.EditLog, t.s.Documents); again != "" {
			return edits.ErrorIn(edits.Reverted, steps[0].Path, "Nothing was done: this would make again what edit %s did, and that was taken back since. Ask the user, or send it once more to have it made all the same.", again)
		}
	}
	return t.agreement.Check(t.s.Workspace(), message, lists.Map(steps, func(st *step) *apply.Change { return st.Change })...)
}

// run makes the changes. If one fails, the earlier ones are rolled back, and the error reports that.
func (t *transaction) run(steps ...*step) error {
	t.steps = steps
	if t.several = len(steps) > 1; t.several {
		t.limit(t.s.forwardTime())
	}
	for _, st := range steps {
		// A panic must not leave a part of the changes behind.
		_, err := rpc.Fenced(st.name, func() (any, error) {
			return nil, t.apply(st)
		})
		if err != nil {
			return t.rollback(st, err)
		}
	}
	return nil
}

// apply has the editor make one change, on its newest text. If that text changes before the edit lands, the change is
// planned again.
func (t *transaction) apply(st *step) error {
	for retry := (apply.Retry{}); ; {
		var c *apply.Change
		var err error
		t.share.Compute(func() {
			if c, err = st.plan(); err == nil && c != nil {
				if err = t.agreement.Covers(t.s.Workspace(), &c.Target, &c.To); err == nil {
					err = t.agreement.Keeps(c)
				}
			}
		})
		if ended := t.ended(retry.Any()); ended != nil {
			return retry.Ended(ended)
		}
		if err == nil && c != nil && (c.Kind != editor.Update || t.s.Editor().Quirks.Writes) {
			err = t.mayWrite(c.Target, c.To)
		}
		if err != nil || c == nil {
			return retry.Ended(err)
		}
		st.Change, t.inDoubt = c, st
		c.Pins, c.WithOthers = &t.pins, t.several
		t.s.Log.DebugContext(t.Ctx, "planned", "path", c.Path, "change", c.Kind, "edits", len(c.Plan.Edits))
		outcome, err := t.s.Engine.Apply(t.Bounded, c, t.label)
		if err == nil {
			st.Change, st.outcome = outcome.Change, &outcome
			t.s.Refusal.Store(new(string))
			t.inDoubt = nil
			t.record(st)
			t.advanced()
			return nil
		}
		next := retry.Next(err)
		if _, again := errors.AsType[*apply.NotAppliedError](err); !retry.InDoubt && (again || edits.IsKind(err, edits.Rejected)) {
			t.inDoubt = nil // the editor clearly refused, so the change cannot land later
		}
		if edits.IsKind(next, edits.Rejected) {
			t.s.Refusal.CompareAndSwap(nil, &edits.Failure(next).Message)
		}
		if next != nil {
			return next
		}
	}
}

// ended returns the error of a command that was cancelled or ran out of time before all of its changes were made, and nil
// otherwise. again: the current change was tried before.
func (t *transaction) ended(again bool) error {
	over := t.over()
	if over == nil {
		return nil
	}
	late := errors.Is(context.Cause(over), context.DeadlineExceeded)
	switch made, all := len(t.done), len(t.steps); {
	case made > 0 && late:
		return edits.Errorf(edits.TimedOut, "The command's time (apply_timeout_ms) was up after %d of %d edits.", made, all)
	case made > 0:
		return edits.Errorf(edits.Cancelled, "The command was cancelled after %d of %d edits.", made, all)
	case again && late:
		return edits.Errorf(edits.TimedOut, "The command's time (apply_timeout_ms) was up: each time the text changed before the editor made the edit, and nothing was changed. Send it again when the user pauses.")
	}
	return apply.NotSent(over, "planning it took all of it; send less at once")
}

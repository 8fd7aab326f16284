package transaction

import (
	"context"
	"errors"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/patchplan"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace/paths"
)

// transaction is the changes of one command, which the editor makes one after the other. If one
// fails, those before it are rolled back.
type transaction struct {
	*Run
	command, label string
	save           bool // the files, if the setting does not say so in any case
	dryRun         bool
	several        bool            // it has more than one change
	wholeTexts     bool            // the agent has sent them
	planned        []*apply.Change // where it only plans: all that the editor would be asked for
	done           []*step         // in order
	files          []*step         // of the answer
	// inDoubt was sent and failed: it may have been made all the same.
	inDoubt *step
}

// change is one that is to be made.
type change struct {
	name string          // of its file, as errors call it
	file *patchplan.File // of a patch; nil else
	// plan plans the change on the text as it is now; nil means that there is nothing to do.
	plan func() (*apply.Change, error)
}

// step is a change that was planned, and sent if it is one of a transaction's done.
type step struct {
	*apply.Change // as it landed, once it has
	of            change
	outcome       *apply.Outcome // nil until it was made
	hunksBefore   int            // in the answer, above its own
}

// at is where the file is after the step.
func (st *step) at() paths.Target {
	if st.Kind == editor.Rename {
		return st.To
	}
	return st.Target
}

// begin begins a transaction that is carried out in r.
func (r *Run) begin(command string, o commands.EditOptions) *transaction {
	return &transaction{Run: r, command: command, label: label(command, o), save: o.Save, dryRun: o.DryRun}
}

// onlyPlans reports whether nothing is to be made: of a dry run, and where the client makes it.
func (t *transaction) onlyPlans() bool { return t.dryRun || !t.s.Editor().ApplyEdit }

// run makes the changes. If one fails, those before it are rolled back, and the error says so.
func (t *transaction) run(changes ...change) error {
	if t.several = len(changes) > 1; t.several {
		t.limit(t.s.forwardTime())
	}
	for _, c := range changes {
		// A panic must not leave half of it behind.
		_, err := rpc.Fenced(c.name, func() (any, error) { return nil, t.apply(c, len(changes)) })
		if err != nil {
			return t.rollback(c, err)
		}
	}
	return nil
}

// apply has the editor make one of so many changes, on its newest text, and plans it again where
// that has moved on.
func (t *transaction) apply(of change, total int) error {
	for retry := (apply.Retry{}); ; {
		var c *apply.Change
		var err error
		t.share.Compute(func() { c, err = of.plan() })
		if ended := t.ended(retry.Any(), total); ended != nil {
			return retry.Ended(ended)
		}
		if err != nil || c == nil {
			return retry.Ended(err)
		}
		st := &step{Change: c, of: of}
		t.inDoubt = st
		c.Pins, c.WithOthers = &t.pins, t.several
		t.s.Log.DebugContext(t.Ctx, "planned", "path", c.Path, "change", c.Kind, "edits", len(c.Plan.Edits))
		outcome, err := t.s.Engine.Apply(t.Bounded, c, t.label)
		if err == nil {
			st.Change, st.outcome = outcome.Change, &outcome
			if of.file != nil {
				of.file.Landed(st.Kind, st.Text, st.Plan, st.After)
			}
			t.done, t.inDoubt = append(t.done, st), nil
			return nil
		}
		next := retry.Next(err)
		if _, again := errors.AsType[*apply.NotAppliedError](err); !retry.InDoubt && (again || edits.IsKind(err, editor.Rejected)) {
			t.inDoubt = nil // a clear no is nothing that may still come
		}
		if next != nil {
			return next
		}
	}
}

// ended is the error of a command that was cancelled, or whose time is up, before one of so many
// changes was sent; nil while neither is so. again: that change was tried before.
func (t *transaction) ended(again bool, total int) error {
	over := t.over()
	switch {
	case over == nil || len(t.done) == 0:
		return t.Ended(again)
	case errors.Is(context.Cause(over), context.DeadlineExceeded):
		return edits.Errorf(editor.TimedOut, "The command's time (apply_timeout_ms) was up after %d of %d edits.", len(t.done), total)
	}
	return edits.Errorf(editor.Cancelled, "The command was cancelled after %d of %d edits.", len(t.done), total)
}

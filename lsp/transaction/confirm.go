package transaction

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A command with confirm is planned, and the user is asked (lsp/proposal). Once they agree, the
// command takes a new turn and is made. Until they answer, no other command waits for it and its
// time limit does not run. If the new plan differs from what they agreed to, they are asked again.

// maxAsked bounds how often the user is asked about one command.
const maxAsked = 5

// approval is what the user has agreed to, and is to be asked about.
type approval struct {
	always   bool               // the user is asked about every edit, not only about edits of guarded files
	proposal *proposal.Proposal // what the user has agreed to; nil at first
	question *proposal.Proposal // what the user is to be asked about, since they have not agreed to it
	last     *job               // the last plan of an edit of one document, to whose text line numbers refer; nil for other commands
}

// errUnapproved reports that the user has not agreed to the planned edit.
var errUnapproved = errors.New("the user has not agreed")

// check sets the question and returns errUnapproved if the user has to be asked about the changes
// of steps. message describes them in a sentence.
func (t *transaction) check(message string, steps ...*step) error {
	changes := make([]*apply.Change, len(steps))
	var targets []*paths.Target
	a := t.approval
	for i, st := range steps {
		changes[i] = st.Change
		targets = append(targets, &st.Target, &st.To)
	}
	t.s.Workspace().GuardGit(targets...)
	guarded := slices.ContainsFunc(changes, func(c *apply.Change) bool { return c.Guarded != nil || c.To.Guarded != nil })
	if !a.always && !guarded {
		return nil
	}
	p := proposal.Of(message, changes...)
	if a.proposal != nil && p.Is(a.proposal) {
		return nil
	}
	if err := p.CheckFits(); err != nil {
		return err
	}
	a.question = p
	return errUnapproved
}

// confirmed runs a command. If the command asks for it or edits a guarded file, the user has
// to agree first. run is called with a new transaction each time the command is planned.
func (s *Session) confirmed(ctx context.Context, arrival *workspace.Turn, name string, o commands.EditOptions, run func(*transaction) (*Result, error)) (*Result, error) {
	a := &approval{always: o.Confirm}
	var decision *proposal.Decision
	for range maxAsked {
		r, err := s.inTime(ctx, arrival, name, o, a, run)
		if !errors.Is(err, errUnapproved) {
			if err == nil {
				r.Decision = decision
			}
			return r, err
		}
		if decision, err = s.Asker.Ask(ctx, s.Name(), name, a.question); err != nil {
			return nil, refused(a.question, err, o.Confirm)
		}
		if decision.Answer != proposal.Apply {
			return nil, rejected(a.question, decision)
		}
		a.proposal = a.question
		arrival = s.Arrivals.Take()
	}
	arrival.Done()
	return nil, edits.Errorf(edits.Stale, "Each time that the user had agreed, the text had changed and so had the edit, %d times; nothing was changed.", maxAsked)
}

// inTime runs a command within its time limit.
func (s *Session) inTime(ctx context.Context, arrival *workspace.Turn, name string, o commands.EditOptions, a *approval, run func(*transaction) (*Result, error)) (*Result, error) {
	r := s.Begin(ctx, arrival)
	defer r.End()
	return run(&transaction{
		Run: r, approval: a, command: name, label: label(name, o), save: o.Save, dryRun: o.DryRun,
		edit: &review.Edit{Command: name, Agent: s.Name()},
	})
}

// refused returns the error of a proposal about which the user could not be asked. If
// only the guarded file requires the question, not the command, the error says so.
func refused(p *proposal.Proposal, err error, confirm bool) error {
	if confirm || !edits.IsKind(err, edits.Unsupported) {
		return err
	}
	return &edits.Error{Kind: edits.Protected, Path: p.Changes[0].Path, Message: fmt.Sprintf(
		"%s Such an edit takes the user's agreement, for which this editor cannot ask; nothing was changed. Ask the user to make it.", p.Why())}
}

// RejectedError reports that the user rejected an edit.
type RejectedError struct {
	Full     *edits.Error
	Decision *proposal.Decision
}

func (r *RejectedError) Error() string { return r.Full.Message }
func (r *RejectedError) Unwrap() error { return r.Full }

func rejected(p *proposal.Proposal, d *proposal.Decision) error {
	names := p.Names()
	message := fmt.Sprintf("The user rejected the edit of %s; nothing was changed. Ask what they want before you send another.", edits.Listed(names))
	if d.Text != "" {
		message = fmt.Sprintf("The user rejected the edit of %s, and says: %s", edits.Listed(names), d.Text)
	}
	return &RejectedError{&edits.Error{Kind: edits.Rejected, Path: names[0], Message: message}, d}
}

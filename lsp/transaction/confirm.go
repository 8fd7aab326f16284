package transaction

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/proposal"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A command with confirm is planned, and the user is asked (lsp/proposal); only then
// it takes its turn again and is made. While they think, nobody waits for it and its time
// does not run. If it would come to something else by then, they are asked again.

// maxAsked bounds how often the user is asked about one command.
const maxAsked = 5

// approval is what the user has agreed to: nothing yet, where they were not asked.
type approval struct {
	always bool // the user is asked about any edit, and not just about those of guarded files
	agreed *proposal.Proposal
	last   *job // of an edit of one document that was agreed to: line numbers are about its text
}

// unapprovedError says that the user has not agreed to what was planned.
type unapprovedError struct {
	*proposal.Proposal
	last *job
}

func (*unapprovedError) Error() string { return "the user has not agreed" }

// check returns an [unapprovedError] if the user is to be asked about the changes, of which message
// is the sentence. last is the job where one document is edited, nil else.
func (a *approval) check(message string, last *job, changes ...*apply.Change) error {
	if !a.always && proposal.Guarded(changes...) == nil {
		return nil
	}
	p := proposal.Of(message, changes...)
	if a.agreed != nil && p.Is(a.agreed) {
		return nil
	}
	return &unapprovedError{p, last}
}

// changesOf returns the changes of steps.
func changesOf(steps []*step) []*apply.Change {
	changes := make([]*apply.Change, len(steps))
	for i, st := range steps {
		changes[i] = st.Change
	}
	return changes
}

// confirmed runs a command, after the user has agreed to it if it wants that, or if it
// edits a guarded file. run is called for each time that it is planned.
func (s *Session) confirmed(ctx context.Context, arrival *workspace.Turn, name string, o commands.EditOptions, run func(*Run, *approval) (*Result, error)) (*Result, error) {
	a := &approval{always: o.Confirm}
	var decision *proposal.Decision
	for range maxAsked {
		r, err := s.inTime(ctx, arrival, a, run)
		ask, ok := errors.AsType[*unapprovedError](err)
		if !ok {
			if err == nil {
				r.Decision = decision
			}
			return r, err
		}
		if decision, err = s.Asker.Ask(ctx, s.Name(), name, ask.Proposal); err != nil {
			return nil, refused(ask.Proposal, err, o.Confirm)
		}
		if decision.Answer != proposal.Apply {
			return nil, rejected(ask.Proposal, decision)
		}
		a.agreed, a.last = ask.Proposal, ask.last
		arrival = s.Arrivals.Take()
	}
	arrival.Done()
	return nil, edits.Errorf(edits.Stale, "Each time that the user had agreed, the text had changed and so had the edit, %d times; nothing was changed.", maxAsked)
}

// inTime has a command run within its time.
func (s *Session) inTime(ctx context.Context, arrival *workspace.Turn, a *approval, run func(*Run, *approval) (*Result, error)) (*Result, error) {
	r := s.Begin(ctx, arrival)
	defer r.End()
	return run(r, a)
}

// refused returns the error of a proposal about which the user could not be asked,
// though the file wants it and not the command.
func refused(p *proposal.Proposal, err error, confirm bool) error {
	if confirm || !edits.IsKind(err, editor.Unsupported) {
		return err
	}
	return &edits.Error{Kind: paths.Protected, Path: p.Changes[0].Path, Message: fmt.Sprintf(
		"%s An edit of it takes the user's agreement, for which this editor cannot ask; nothing was changed. Ask the user to make it.", p.Why())}
}

// RejectedError is the user's no.
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
	return &RejectedError{&edits.Error{Kind: editor.Rejected, Path: names[0], Message: message}, d}
}

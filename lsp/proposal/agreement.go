package proposal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A command with confirm is planned, and the user is asked. Once they agree, the command takes a new turn and is made. Until
// they answer, no other command waits for it and its time limit does not run. If the new plan differs from what they
// agreed to, they are asked again.

// Agreement is what the user has agreed to in a command, and is to be asked about.
type Agreement struct {
	always   bool      // the user is asked about every edit, not only about edits of guarded files
	agreed   *Proposal // nil at first
	question *Proposal // what the user is to be asked about, since they have not agreed to it
}

// errUnasked reports that the user has to be asked about the planned edit.
var errUnasked = errors.New("the user has not agreed")

// Check sets the question and returns an error if the user has to be asked about changes that are planned in w. message
// describes them in a sentence.
func (a *Agreement) Check(w *workspace.Workspace, message string, changes ...*apply.Change) error {
	var targets []*paths.Target
	for _, c := range changes {
		targets = append(targets, &c.Target, &c.To)
	}
	w.GuardGit(targets...)
	if !a.always && !slices.ContainsFunc(changes, func(c *apply.Change) bool { return len(guards(c)) > 0 }) {
		return nil
	}
	p := Of(message, changes...)
	if a.agreed != nil && p.Is(a.agreed) {
		return nil
	}
	if err := p.CheckFits(); err != nil {
		return err
	}
	a.question = p
	return errUnasked
}

// maxAsked bounds how often the user is asked about one command.
const maxAsked = 5

// Agreed runs a command of an agent. If the command returns the error of [Agreement.Check], the user is asked, and once they
// agree it is run again. confirm: the user is asked about every edit. It returns what the user has decided, nil if they were
// not asked.
func (a *Asker) Agreed(ctx context.Context, agent, command string, confirm bool, run func(*Agreement) error) (*Decision, error) {
	with := &Agreement{always: confirm}
	var decision *Decision
	for range maxAsked {
		err := run(with)
		if !errors.Is(err, errUnasked) {
			return decision, err
		}
		if decision, err = a.Ask(ctx, agent, command, with.question); err != nil {
			return nil, refused(with.question, err, confirm)
		}
		if decision.Answer != Apply {
			return nil, rejected(with.question, decision)
		}
		with.agreed = with.question
	}
	return nil, edits.Errorf(edits.Stale, "Each time that the user had agreed, the text had changed and so had the edit, %d times; nothing was changed.", maxAsked)
}

// refused returns the error of a proposal about which the user could not be asked. If
// only the guarded file requires the question, not the command, the error says so.
func refused(p *Proposal, err error, confirm bool) error {
	if confirm || !edits.IsKind(err, edits.Unsupported) {
		return err
	}
	return &edits.Error{Kind: edits.Protected, Path: p.Changes[0].Path, Message: fmt.Sprintf(
		"%s Such an edit takes the user's agreement, for which this editor cannot ask; nothing was changed. Ask the user to make it.", p.Why())}
}

// RejectedError reports that the user rejected an edit.
type RejectedError struct {
	Full     *edits.Error
	Decision *Decision
}

func (r *RejectedError) Error() string { return r.Full.Message }
func (r *RejectedError) Unwrap() error { return r.Full }

func rejected(p *Proposal, d *Decision) error {
	names := p.Names()
	message := fmt.Sprintf("The user rejected the edit of %s; nothing was changed. Ask what they want before you send another.", edits.Listed(names))
	if d.Text != "" {
		message = fmt.Sprintf("The user rejected the edit of %s, and says: %s", edits.Listed(names), d.Text)
	}
	return &RejectedError{&edits.Error{Kind: edits.Rejected, Path: names[0], Message: message}, d}
}

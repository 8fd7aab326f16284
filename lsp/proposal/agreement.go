package proposal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/bounds"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/lsp/host"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/lsp/rpc"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A command with confirm is planned, and the user is asked. Once they agree, the command takes a new turn and is made. Until
// they answer, no other command waits for it and its time limit does not run. If the new plan differs from what they
// agreed to, they are asked again.

// Agreement is what the user has agreed to in a command, and is to be asked about.
type Agreement struct {
	always   bool          // the user is asked about every edit, not only about edits of guarded files
	agreed   *Proposal     // nil at first
	question *Proposal     // what the user is to be asked about, since they have not agreed to it
	guarded  []guardedFile // the guarded files of the changes that were checked last
}

// guardedFile is a guarded file as it was when the user was to be asked about it.
type guardedFile struct {
	paths.Target
	folder string // where its folder led
}

// errUnasked reports that the user has to be asked about the planned edit.
var errUnasked = errors.New("the user has not agreed")

// Check sets the question and returns an error if the user has to be asked about changes that are planned in w. message
// describes them in a sentence.
func (a *Agreement) Check(w *workspace.Workspace, message string, changes ...*apply.Change) error {
	targets := lists.FlatMap(changes, func(c *apply.Change) []*paths.Target { return []*paths.Target{&c.Target, &c.To} })
	w.GuardGit(targets...)
	a.guarded = nil
	for _, t := range targets {
		if t.Guarded != nil {
			a.guarded = append(a.guarded, guardedFile{*t, t.Folder()})
		}
	}
	if !a.always && len(guards(changes...)) == 0 {
		return nil
	}
	p := Of(message, changes...)
	if a.agreed != nil && p.Is(a.agreed) {
		return nil
	}
	if utf8.RuneCountInString(p.Why()) > maxWhy {
		return edits.ErrorIn(edits.Protected, p.Changes[0].Path, "The edit is of %d protected files, more than a question to the user can name; nothing was changed. Send it in parts.", len(guards(p.Changes...)))
	}
	a.question = p
	return errUnasked
}

// Covers returns an error if one of the targets has come to be guarded since [Agreement.Check], or leads to another guarded
// file than one of those then: the user was not asked about that. It is called right before the effect.
func (a *Agreement) Covers(w *workspace.Workspace, targets ...*paths.Target) error {
	w.GuardGit(targets...)
	for _, t := range targets {
		if t.Guarded != nil && !slices.ContainsFunc(a.guarded, func(was guardedFile) bool { return was.isAt(*t) }) {
			return edits.ErrorIn(edits.Protected, t.Path, "%s has come to be protected: %s; send the command again.", t.Path, t.Guarded.Why)
		}
	}
	return nil
}

// isAt reports whether t leads where the guarded file was. If that was a link, which the command has moved or deleted since, t may
// have its name.
func (g guardedFile) isAt(t paths.Target) bool {
	if t.Key == g.Key && (t.Leads() == "" || g.folder != "" && t.Leads() == filepath.Join(g.folder, filepath.Base(t.Abs))) {
		return true
	}
	return t.Leads() != "" && t.IsAt(g.Target)
}

// Keeps returns an error if the user has agreed to another edit of the file than c.
func (a *Agreement) Keeps(c *apply.Change) error {
	if a.agreed == nil || slices.ContainsFunc(a.agreed.Changes, func(was *apply.Change) bool { return isPart(c, was) }) {
		return nil
	}
	return edits.ErrorIn(edits.Stale, c.Path, "%s has changed since the user agreed to the edit, which would be another one now; send the command again.", c.Path)
}

// isPart reports whether c is what was agreed to, or a part of that: a file is renamed and edited one after the other.
func isPart(c, agreed *apply.Change) bool {
	switch {
	case agreed.Kind == editor.Rename && c.Kind == editor.Update:
		return (c.Key == agreed.Key || c.Key == agreed.To.Key) && hasResult(c, agreed)
	case c.Kind != agreed.Kind || c.Key != agreed.Key:
		return false
	case c.Kind == editor.Rename:
		return c.IsAt(agreed.Target) && c.To.IsAt(agreed.To)
	}
	return comesTo(c, agreed)
}

// Back returns what the user has agreed to in taking back what was made: the guarded files are the same.
func (a *Agreement) Back() *Agreement { return &Agreement{guarded: a.guarded} }

// maxAsked bounds how often the user is asked about one command.
const maxAsked = 5

// Asker asks the user about proposals. Its fields are set before its first use. It is safe for concurrent use.
type Asker struct {
	*host.Host
	Client    *rpc.Client
	Budget    *rpc.Budget // holds the bytes of a proposal while the user is asked about it
	Documents *Documents  // show it meanwhile
}

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
			if !confirm && edits.IsKind(err, edits.Unsupported) { // only the guarded file requires the question, not the command
				err = edits.ErrorIn(edits.Protected, with.question.Changes[0].Path, "%s Such an edit takes the user's agreement, for which this editor cannot ask; nothing was changed. Ask the user to make it.", with.question.Why())
			}
			return nil, err
		}
		if decision.Answer != Apply {
			return nil, rejected(with.question, decision)
		}
		with.agreed = with.question
	}
	return nil, edits.Errorf(edits.Stale, "Each time that the user had agreed, the text had changed and so had the edit, %d times; nothing was changed.", maxAsked)
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

// Decision is the user's answer to a proposal.
type Decision struct {
	Answer string `json:"answer"` // [Apply] or [Reject]
	Text   string `json:"text,omitempty"`
}

// The answers of a [Decision].
const (
	Apply  = "apply"
	Reject = "reject"
)

// confirmParams are the parameters of patchls/confirm.
type confirmParams struct {
	ID      string        `json:"id"` // the id of the question
	Agent   string        `json:"agent"`
	Command string        `json:"command"`
	Message string        `json:"message"`
	Why     string        `json:"why,omitempty"` // why guarded files require the question; see [Proposal.Why]
	Diff    string        `json:"diff"`
	Files   []confirmFile `json:"files"`
}

// confirmFile is a file of a question. Before and After are the URIs of the documents with its
// text without the edit and with it.
type confirmFile struct {
	URI     string `json:"uri"`
	Path    string `json:"path"`
	Change  string `json:"change"`
	NewPath string `json:"new_path,omitempty"`
	Before  string `json:"before"`
	After   string `json:"after"`
}

// Ask asks the user about the edit that an agent's command has planned, and returns their decision.
// The error says why the user was not asked or did not answer.
func (a *Asker) Ask(ctx context.Context, agent, command string, p *Proposal) (*Decision, error) {
	limits := a.Limits()
	ctx, _, cancel := a.Within(ctx, limits.Wait(bounds.AskTimeoutMS))
	defer cancel()
	fails := func(kind edits.Kind, format string, args ...any) error {
		return edits.ErrorIn(kind, p.Changes[0].Path, format, args...)
	}
	release, ok := a.Budget.Hold(p.size(), limits[bounds.MaxHeldBytes])
	if !ok {
		return nil, fails(edits.Rejected, "The user was not asked, and nothing was changed: with this edit the server would hold %s; send the command again when other questions are answered.", limits.Exceeded(bounds.MaxHeldBytes))
	}
	defer release()
	id, forget := a.Documents.add(p, limits.Of(bounds.MaxQuestions))
	if id == "" {
		return nil, fails(edits.Rejected, "The user was not asked, and nothing was changed: %d questions wait for their answer, and one more would be %s; send the command again when there is one.", limits.Of(bounds.MaxQuestions), limits.Exceeded(bounds.MaxQuestions))
	}
	defer forget()
	by := review.Author(agent)
	var d *Decision
	var err error
	if a.Editor().Plugin.Confirm {
		d, err = a.askPlugin(ctx, confirmParams{ID: id, Agent: by, Command: command, Message: paths.OneLine(p.Message, paths.MaxShownMessage), Why: p.Why(), Diff: p.Diff, Files: p.confirmFiles(id)})
	} else {
		d, err = a.askByMessage(ctx, by, p)
	}
	switch {
	case err == nil:
		return d, nil
	case a.Base.Err() != nil:
		return nil, fails(edits.EditorGone, "The editor went away before the user had answered; nothing was changed.")
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return nil, fails(edits.TimedOut, "The user has not answered within ask_timeout_ms (%d); nothing was changed.", limits.Of(bounds.AskTimeoutMS))
	case ctx.Err() != nil:
		return nil, fails(edits.Cancelled, "The command was cancelled while the user was asked; nothing was changed.")
	}
	return nil, fails(edits.Unsupported, "The editor cannot ask the user (%v); send the command without confirm, or have them look at its dry_run.", err)
}

func (p *Proposal) confirmFiles(id string) []confirmFile {
	files := []confirmFile{}
	for i, c := range p.Changes {
		files = append(files, confirmFile{
			URI: c.URI, Path: c.Path, Change: c.Kind, NewPath: c.To.Path,
			Before: URI(id, Before, p.document(i)), After: URI(id, After, p.document(i)),
		})
	}
	return files
}

// askPlugin has the editor's plugin show the proposal and ask the user.
func (a *Asker) askPlugin(ctx context.Context, params confirmParams) (*Decision, error) {
	var answer struct {
		Decision string `json:"decision"`
		Text     string `json:"text"`
	}
	withdraw := func() { // if the plugin got this before the question, it would never close the question
		a.Client.Notify("patchls/withdraw", map[string]string{"id": params.ID})
	}
	if err := a.Client.CallElse(ctx, "patchls/confirm", params, &answer, withdraw); err != nil {
		return nil, err
	}
	if answer.Decision != Apply {
		answer.Decision = Reject // a user who closes the question does not agree
	}
	return &Decision{Answer: answer.Decision, Text: strings.TrimSpace(answer.Text)}, nil
}

// The choices that a message offers.
const (
	choiceApply  = "Apply"
	choiceDiff   = "Show diff"
	choiceReject = "Reject"
)

// askByMessage asks the user with a message that any editor can show.
func (a *Asker) askByMessage(ctx context.Context, by string, p *Proposal) (*Decision, error) {
	params := &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeInfo, Message: question(by, p), Actions: []protocol.MessageActionItem{{Title: choiceApply}, {Title: choiceDiff}, {Title: choiceReject}},
	}
	for {
		var chosen *protocol.MessageActionItem // nil if the user closes the question
		if err := a.Client.Call(ctx, protocol.MethodWindowShowMessageRequest, params, &chosen); err != nil {
			return nil, err
		}
		switch {
		case chosen != nil && chosen.Title == choiceApply:
			return &Decision{Answer: Apply}, nil
		case chosen == nil || chosen.Title != choiceDiff:
			return &Decision{Answer: Reject}, nil
		}
		params.Message = fmt.Sprintf("%s wants to make this edit:\n%s", by, paths.Sanitize(croppedDiff(p.shown())))
		params.Actions = []protocol.MessageActionItem{{Title: choiceApply}, {Title: choiceReject}}
	}
}

// question returns the question about a proposal, in one line. It says why files are guarded, and how much is added and removed:
// "a.txt: 3 lines added, 1 removed."
func question(by string, p *Proposal) string {
	hunks := lists.FlatMap(p.Changes, func(c *apply.Change) []edits.Hunk { return c.Plan.Hunks })
	said := fmt.Sprintf("%s: %s.", edits.Listed(p.Names()), edits.LinesChanged(hunks))
	return fmt.Sprintf("%s wants to make an edit. %s", by, strings.TrimSpace(p.Why()+" "+said))
}

package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/changeset"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/apply"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/editor"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/paths"
)

// A command with confirm is planned, and the user is asked (confirm_ask.go); only then
// it takes its turn again and is made. While they think, nobody waits for it and its time
// does not run. If it would come to something else by then, they are asked again.

// Decision is what the user said to a command with confirm.
type Decision struct {
	Answer string `json:"answer"` // "apply" or "reject"
	Text   string `json:"text,omitempty"`
}

// The answers of a [Decision].
const (
	answerApply  = "apply"
	answerReject = "reject"
)

// maxAsked bounds how often the user is asked about one command.
const maxAsked = 5

// approval is what the user has agreed to: nothing yet, where they were not asked. nil
// means that nobody needs to.
type approval struct {
	always bool // the user is asked about any edit, and not just about those of guarded files
	agreed *proposal
}

// proposal is what the user is asked about.
type proposal struct {
	message string // what was planned, in a sentence
	diff    string
	files   []proposedFile
	last    *job // of an edit of one document, with the text that line numbers are about; else nil
}

// proposedFile is one of them, with its text before and after.
type proposedFile struct {
	given, uri, change, newPath string
	guarded                     *paths.Guarded
	before, after               text.Text
	was                         workspace.Snapshot // with the text before
	edits                       edits.Edits        // of that
}

// unapprovedError says that the user has not agreed to what was planned.
type unapprovedError struct{ *proposal }

func (*unapprovedError) Error() string { return "the user has not agreed" }

// asks reports whether the user is to be asked about an edit of a file, which may be
// guarded.
func (a *approval) asks(guarded *paths.Guarded) bool {
	return a != nil && (a.always || guarded != nil)
}

// check returns an [unapprovedError] if the user is to be asked about what is planned.
func (a *approval) check(p *proposal) error {
	if !a.asks(p.guarded()) || a.agreed != nil && p.is(a.agreed) {
		return nil
	}
	return &unapprovedError{p}
}

// guarded returns the first guarded file of a proposal, nil if it has none.
func (p *proposal) guarded() *paths.Guarded {
	for _, f := range p.files {
		if f.guarded != nil {
			return f.guarded
		}
	}
	return nil
}

// why says for what reason the user is asked about an edit that need not be confirmed
// else; "" if there is none.
func (p *proposal) why() string {
	g := p.guarded()
	if g == nil {
		return ""
	}
	return fmt.Sprintf("%s is protected: %s.", g.Name, g.Why)
}

// first returns the job that line numbers are about, nil if there is none.
func (a *approval) first() *job {
	if a == nil || a.agreed == nil {
		return nil
	}
	return a.agreed.last
}

// is reports whether a proposal is the one that was agreed to: the same comes and goes, at
// the places at which that stands by now.
func (p *proposal) is(agreed *proposal) bool {
	if len(p.files) != len(agreed.files) || p.changes() != agreed.changes() {
		return false
	}
	for i, f := range p.files {
		if !f.is(agreed.files[i]) {
			return false
		}
	}
	return true
}

func (f proposedFile) is(agreed proposedFile) bool {
	if f.after.Equal(agreed.after) {
		return true
	}
	_, c, meet := changeset.Transform(between(agreed.was, f.was), changeset.Of(agreed.edits, agreed.before))
	return meet == nil && c.Edits().Apply(f.before).Equal(f.after)
}

// changes are the lines that come and go, with the files that they are in and what
// becomes of those, wherever they stand.
func (p *proposal) changes() string {
	var b strings.Builder
	for _, f := range p.files {
		fmt.Fprintf(&b, "%s %q %q\n", f.change, f.given, f.newPath)
	}
	for line := range strings.Lines(p.diff) {
		if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, " ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// proposalOf returns what a change comes to.
func proposalOf(j *apply.Change) *proposal {
	return &proposal{message: j.Plan.Message, diff: j.Diff(), files: []proposedFile{proposedBy(j)}}
}

func proposedBy(j *apply.Change) proposedFile {
	f := proposedFile{given: j.Path, uri: j.URI, change: j.Kind, before: j.Text, after: j.After, was: j.Snapshot, edits: j.Plan.Edits, guarded: guarded(j)}
	if j.Kind == editor.Rename {
		f.newPath = j.To.Path
	}
	return f
}

// guarded returns why an edit of the file takes the user's agreement.
func guarded(j *apply.Change) *paths.Guarded { return cmp.Or(j.Guarded, j.To.Guarded) }

// proposal returns what a patch comes to.
func (p *patching) proposal() *proposal {
	files := p.plan.Changed()
	all := &proposal{message: p.plan.Message(len(files)), diff: p.plan.Diff()}
	for _, f := range files {
		one := proposedFile{given: f.Given, uri: f.At.URI, change: f.Changed(), before: f.Was.Text, after: f.Text, was: f.Was, edits: f.Plan.Edits, guarded: cmp.Or(f.From.Guarded, f.At.Guarded)}
		if !f.Exists {
			one.after = text.Text{}
		}
		if one.change == editor.Rename {
			one.newPath = f.At.Path
		}
		all.files = append(all.files, one)
	}
	return all
}

// confirmed runs a command, after the user has agreed to it if it wants that, or if it
// edits a guarded file. run is called with a turn among the commands that came.
func (s *caller) confirmed(ctx context.Context, arrival *workspace.Turn, name string, o commands.EditOptions, run func(*workspace.Turn, *approval) (*Result, error)) (*Result, error) {
	if o.DryRun {
		return run(arrival, nil)
	}
	a := &approval{always: o.Confirm}
	var decision *Decision
	for n := range maxAsked {
		if n > 0 {
			arrival = s.arrivals.Take()
		}
		r, err := inTurn(arrival, a, run)
		ask, ok := errors.AsType[*unapprovedError](err)
		if !ok {
			if err == nil {
				r.Decision = decision
			}
			return r, err
		}
		if decision, err = s.ask(ctx, name, ask.proposal); err != nil {
			return nil, ask.refused(err, o.Confirm)
		}
		if decision.Answer != answerApply {
			return nil, rejected(ask.proposal, decision)
		}
		a = &approval{always: o.Confirm, agreed: ask.proposal}
	}
	return nil, &edits.Error{Kind: edits.Stale, Message: fmt.Sprintf("Each time that the user had agreed, the text had changed and so had the edit, %d times; nothing was changed.", maxAsked)}
}

// refused returns the error of a proposal about which the user could not be asked,
// though the file wants it and not the command.
func (p *proposal) refused(err error, confirm bool) error {
	if confirm || !edits.IsKind(err, editor.Unsupported) {
		return err
	}
	return &edits.Error{Kind: paths.Protected, Path: p.files[0].given, Message: fmt.Sprintf(
		"%s An edit of it takes the user's agreement, for which this editor cannot ask; nothing was changed. Ask the user to make it.", p.why())}
}

// inTurn runs a command, and ends its turn.
func inTurn(arrival *workspace.Turn, a *approval, run func(*workspace.Turn, *approval) (*Result, error)) (*Result, error) {
	defer arrival.Done()
	return run(arrival, a)
}

// rejectedError is the user's no.
type rejectedError struct {
	full     *edits.Error
	decision *Decision
}

func (r *rejectedError) Error() string { return r.full.Message }
func (r *rejectedError) Unwrap() error { return r.full }

func rejected(p *proposal, d *Decision) error {
	var names []string
	for _, f := range p.files {
		names = append(names, paths.OneLine(f.given, maxPath))
	}
	message := fmt.Sprintf("The user rejected the edit of %s; nothing was changed. Ask what they want before you send another.", edits.Listed(names))
	if d.Text != "" {
		message = fmt.Sprintf("The user rejected the edit of %s, and says: %s", edits.Listed(names), d.Text)
	}
	return &rejectedError{&edits.Error{Kind: editor.Rejected, Path: names[0], Message: message}, d}
}

package rewrite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/words"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace/paths"
)

// Version is a text of a document.
type Version struct {
	Text string // as the editor reports it
	Rev  string // "" if the editor's server does not know it
}

// Change is a change that the agent has made to a text.
type Change struct {
	uri   string
	rev   string // of base, as the editor's server reported it; "" if it is not known
	base  text.Text
	now   string
	edits edits.Edits // of base
}

// Of returns the change from base to now. It ignores the kind of line ends: the size of the change is 0 if nothing
// else differs.
func Of(uri string, base Version, now string) Change {
	was := text.New(base.Text)
	return Change{uri, base.Rev, was, now, diff.Rewrite(was, 0, was.Len(), now)}
}

// byLines returns the change as edit_lines takes it, an edit for each hunk.
func (c Change) byLines() (lines []commands.LineEdit) {
	after := c.edits.Apply(c.base)
	grown := 0
	for _, h := range diff.Hunks(c.edits, c.base, after) {
		e := commands.LineEdit{From: h.StartLine - grown}
		grown += h.NewLines - h.OldLines
		if h.OldLines > 0 {
			e.To = e.From + h.OldLines - 1
		}
		if h.NewLines > 0 {
			content := strings.TrimSuffix(after.Slice(after.LineStart(h.StartLine-1), after.Line(h.EndLine-1).Next), "\n") + "\n"
			e.Content = &content
		}
		lines = append(lines, e)
	}
	return lines
}

// Size is how many bytes a change takes out and puts in.
func (c Change) Size() (n int) {
	for _, e := range c.edits {
		n += e.End - e.Start + len(e.New)
	}
	return n
}

// ErrLater says that nothing was sent, since the editor cannot be reached at the moment.
var ErrLater = errors.New("the editor is not there")

// RefusedError says which part of a change was not made.
type RefusedError struct {
	hunks, of int
	why       error
	// Diff is that part, as a patch.
	Diff string
}

// Make has the editor make all of a change as one edit, or nothing. The error is that of [agent.Editor].
func (c Change) Make(ctx context.Context, e agent.Editor) error { return c.send(ctx, e, c.byLines()) }

// MakeParts has the editor make a change: all hunks as one edit or, if some of the lines have changed since, each hunk
// by itself. It returns nil if all is made, a *RefusedError, or [ErrLater].
func (c Change) MakeParts(ctx context.Context, e agent.Editor) error {
	lines := c.byLines()
	err := c.send(ctx, e, lines)
	switch {
	case errors.Is(err, agent.ErrNotSent):
		return ErrLater
	case err == nil:
		return nil
	case !words.IsKind(err, edits.Stale) || len(lines) == 1 || c.endsOtherwise():
		return c.Refusal(err, nil)
	}
	numbers := map[int]bool{}
	for i, l := range lines {
		if one := c.send(ctx, e, []commands.LineEdit{l}); one != nil {
			err = one
		} else {
			numbers[i+1] = true
		}
	}
	if len(numbers) == len(lines) {
		return nil
	}
	return c.Refusal(err, numbers)
}

// send sends hunks as one command: as line edits or, if the line end at the end of the text changes, as a patch.
func (c Change) send(ctx context.Context, e agent.Editor, hunks []commands.LineEdit) error {
	if c.rev == "" {
		return errors.New("the text was edited and typed in before the agent wrote this")
	}
	call := agent.Call{Command: "edit_lines", Arguments: commands.EditLines{Path: c.uri, Edits: hunks, Based: commands.Based{Rev: c.rev}}}
	if c.endsOtherwise() {
		_, body, _ := strings.Cut(diff.Unified("a", "b", c.base, c.edits.Apply(c.base), c.edits), "\n@@")
		call = agent.Call{Command: "apply_patch", Arguments: transaction.PatchArgs{Path: c.uri, Patch: "@@" + body, Match: commands.MatchExact}}
	}
	_, err := e.Execute(ctx, call)
	if words.IsKind(err, edits.NoChange) {
		return nil // the user has made the same change
	}
	return err
}

// endsOtherwise reports whether one of the two texts ends with a line end and the other does not.
func (c Change) endsOtherwise() bool {
	ended := func(s string) bool { return s == "" || strings.HasSuffix(s, "\n") }
	return ended(c.base.String()) != ended(c.now)
}

// Refusal returns the error for a change of which the editor made only the hunks with these numbers, which count
// from 1. nil means that it made none.
func (c Change) Refusal(why error, numbers map[int]bool) *RefusedError {
	plan := diff.PlanOf(c.base, c.edits)
	r := &RefusedError{hunks: len(plan.Hunks) - len(numbers), of: len(plan.Hunks), why: why}
	var left edits.Edits
	for i, hunk := range diff.HunkNumbers(plan, c.base) {
		if !numbers[hunk] {
			left = append(left, c.edits[i])
		}
	}
	path := c.uri
	if key, err := paths.KeyOf(c.uri); err == nil {
		path = string(key)
	}
	r.Diff = diff.Unified(path, path, c.base, left.Apply(c.base), left)
	return r
}

// Error is one line for the user.
func (r *RefusedError) Error() string {
	message, _ := words.ErrorData(r.why)
	return fmt.Sprintf("%d of %s of the agent not made: %s", r.hunks, edits.Count(r.of, "change"), paths.OneLine(message, paths.MaxShownMessage))
}

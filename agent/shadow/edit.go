//go:build linux

package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/transaction"
	"github.com/patchls/patchls/workspace/paths"
)

// editor is where the edits are made; an [agent.Conn] is one.
type editor interface {
	Execute(ctx context.Context, call agent.Call) (json.RawMessage, error)
}

// change is what the agent has made of a text.
type change struct {
	uri   string
	rev   string // of base, as the editor's server has told it; "" if it is not known
	base  text.Text
	now   string
	edits edits.Edits // of base
}

// changeOf returns how a text has become another one, the kind of its line ends left out of account. It
// has no edits if nothing else is different.
func changeOf(uri string, base version, now string) change {
	was := text.New(base.text)
	return change{uri, base.rev, was, now, diff.Rewrite(was, 0, was.Len(), now)}
}

// byLines returns the change as edit_lines takes it, an edit for each hunk.
func (c change) byLines() (lines []commands.LineEdit) {
	after := c.edits.Apply(c.base)
	grown := 0
	for _, h := range diff.Hunks(c.edits, c.base, after) {
		e := commands.LineEdit{From: h.StartLine - grown}
		grown += h.NewLines - h.OldLines
		if h.OldLines > 0 {
			to := e.From + h.OldLines - 1
			e.To = &to
		}
		if h.NewLines > 0 {
			content := strings.TrimSuffix(after.Slice(after.LineStart(h.StartLine-1), after.Line(h.EndLine-1).Next), "\n") + "\n"
			e.Content = &content
		}
		lines = append(lines, e)
	}
	return lines
}

// size is how many bytes a change takes out and puts in.
func (c change) size() (n int) {
	for _, e := range c.edits {
		n += e.End - e.Start + len(e.New)
	}
	return n
}

// errLater says that nothing was sent: the editor is not there at the moment.
var errLater = errors.New("the editor is not there")

// refusal is what was not made of a change.
type refusal struct {
	hunks, of int
	why       error
	diff      string // what was not made
}

// make has the editor make a change: all hunks as one edit or, where some of the lines are others by now, each
// hunk for itself. It returns nil if all is made, a *refusal, or [errLater].
func (c change) make(ctx context.Context, e editor) error {
	lines := c.byLines()
	err := c.send(ctx, e, lines)
	switch {
	case errors.Is(err, agent.ErrNotSent):
		return errLater
	case err == nil:
		return nil
	case !isKind(err, edits.Stale) || len(lines) == 1 || c.endsOtherwise():
		return c.refusal(err, all)
	}
	missing := map[int]bool{}
	for i, l := range lines {
		if one := c.send(ctx, e, []commands.LineEdit{l}); one != nil {
			missing[i+1], err = true, one
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return c.refusal(err, func(hunk int) bool { return missing[hunk] })
}

// send sends hunks as one command. Line edits say nothing of the end of the text, so that a change of that goes as a patch.
func (c change) send(ctx context.Context, e editor, hunks []commands.LineEdit) error {
	if c.rev == "" {
		return errors.New("the text was edited and typed in before the agent wrote this")
	}
	call := agent.Call{Command: "edit_lines", Arguments: commands.EditLines{Path: c.uri, Edits: hunks, EditOptions: commands.EditOptions{Rev: c.rev}}}
	if c.endsOtherwise() {
		_, body, _ := strings.Cut(diff.Unified("a", "b", c.base, c.edits.Apply(c.base), c.edits), "\n@@")
		call = agent.Call{Command: "apply_patch", Arguments: transaction.PatchArgs{Path: c.uri, Patch: "@@" + body, Match: commands.MatchExact}}
	}
	_, err := e.Execute(ctx, call)
	if isKind(err, edits.NoChange) {
		return nil // the user has made it
	}
	return err
}

// isKind reports whether an editor's server has answered with an error of that kind.
func isKind(err error, kind edits.Kind) bool {
	if err == nil {
		return false
	}
	_, data := agent.ErrorData(err)
	return data.Kind == kind
}

// endsOtherwise reports whether one of the two texts ends with a line end and the other does not.
func (c change) endsOtherwise() bool {
	ended := func(s string) bool { return s == "" || strings.HasSuffix(s, "\n") }
	return ended(c.base.String()) != ended(c.now)
}

// all is every hunk of a change.
func all(int) bool { return true }

// refusal returns what was not made: those hunks.
func (c change) refusal(why error, missing func(hunk int) bool) *refusal {
	plan := diff.PlanOf(c.base, c.edits)
	r := &refusal{of: len(plan.Hunks), why: why}
	for i := range plan.Hunks {
		if missing(i + 1) {
			r.hunks++
		}
	}
	var left edits.Edits
	for i, hunk := range diff.HunkNumbers(plan, c.base) {
		if missing(hunk) {
			left = append(left, c.edits[i])
		}
	}
	path := c.uri
	if key, err := paths.KeyOf(c.uri); err == nil {
		path = string(key)
	}
	r.diff = diff.Unified(path, path, c.base, left.Apply(c.base), left)
	return r
}

// Error is one line for the user.
func (r *refusal) Error() string {
	message, _ := agent.ErrorData(r.why)
	return fmt.Sprintf("%d of %s of the agent not made: %s", r.hunks, edits.Count(r.of, "change"), paths.OneLine(message, paths.MaxShownMessage))
}

// keep writes what was not made to a file of its own, and returns its name.
func (r *refusal) keep(path string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(home, ".local", "state", "patchls", "refused")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, "*-"+short(filepath.Base(path), 100)+".patch") // of mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(r.diff)
	return f.Name(), errors.Join(err, f.Close())
}

// short cuts a name after some bytes, at a rune.
func short(name string, most int) string {
	if len(name) <= most {
		return name
	}
	for most > 0 && !utf8.RuneStart(name[most]) {
		most--
	}
	return name[:most]
}

// form is what a file has beside the text that the editor tells of.
type form struct{ bom, crlf bool }

// formOf returns the form of a file, from what is on disk.
func formOf(disk, now string) form {
	f := form{bom: strings.HasPrefix(disk, text.BOM) && !strings.HasPrefix(now, text.BOM)}
	lines := strings.Count(disk, "\n")
	f.crlf = lines > 0 && strings.Count(disk, "\r\n") == lines && !strings.Contains(now, "\r")
	return f
}

// saved returns a text as the editor would save it.
func (f form) saved(s string) string {
	if f.crlf {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	if f.bom {
		s = text.BOM + s
	}
	return s
}

// text returns what the editor would tell of what is saved.
func (f form) text(saved string) string {
	if f.bom {
		saved = strings.TrimPrefix(saved, text.BOM)
	}
	if f.crlf {
		saved = diff.UnixLines(saved)
	}
	return saved
}

// isText reports whether bytes are a text in UTF-8: how an editor saves another one is not known here.
func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

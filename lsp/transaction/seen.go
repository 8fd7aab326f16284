package transaction

import (
	"fmt"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/workspace"
)

// carry returns args with line numbers that refer to snap, and the map by which they were carried over. As given,
// the numbers refer to the text of the previous try, to the text that rev names, or to what the agent was shown last.
func (s *Session) carry(args commands.Edit, snap workspace.Snapshot, prior *job, work *edits.Work) (commands.Edit, *lines.Map, error) {
	t := args.Target()
	rev := t.Rev
	lined, ok := args.(commands.ByLines)
	if !ok || !t.ByLine {
		return args, nil, nil
	}
	page, met := s.Ledger.Page(snap.Key)
	var m *lines.Map
	was, known := page.At, true
	switch {
	case prior != nil && prior.seen.Text.Equal(snap.Text):
		return prior.args, prior.moved, nil
	case prior != nil:
		lined, _ = prior.args.(commands.ByLines) // as args are
		was = prior.seen.Text
		m = lines.NewMap(was, snap.Text, workspace.Between(prior.seen, snap))
	case rev != "" && text.IsHash(snap.Text.Hash(), rev):
		return args, nil, nil
	case rev != "":
		was, m, known = since(rev, snap, page)
	case t.Unread != "" && page.Unread:
		return nil, nil, staleLines(snap, t, t.Unread)
	case !met:
		return args, nil, nil
	default:
		_, m, _ = since(was.Hash(), snap, page)
		m.Careful(page.Numbers, page.Moved || t.Unread != "", !page.Moved)
	}
	if !known {
		return nil, nil, unknownRev(snap, rev)
	}
	if prior == nil {
		then := workspace.Snapshot{Target: snap.Target, Text: was}
		if _, _, err := s.planOn(args, then, work); err != nil {
			return nil, nil, workspace.About(err, then) // the numbers were already wrong in that text
		}
	}
	now, ok := lined.At(m)
	if !ok && prior == nil && !m.Unknown { // as after an editor has replaced the whole text, all but equal
		m = lines.Since(was, snap.Text).Like(m)
		now, ok = lined.At(m)
	}
	switch {
	case !ok && m.Unknown && t.Unread != "" && !page.Moved:
		return nil, nil, staleLines(snap, t, t.Unread)
	case !ok:
		return nil, nil, staleLines(snap, t, fmt.Sprintf("The lines of %s that you name have changed since you saw them, or those beside them have. "+
			"These lines are there now; send the numbers that you mean, with rev %s.", edits.Printable(snap.Path), snap.Text.Hash()))
	case was.Equal(snap.Text):
		return args, nil, nil
	}
	return now, m, nil
}

// since returns the text that a rev names, and where its lines are now. ok is false if the text is not known.
func since(rev string, snap workspace.Snapshot, page lines.Page) (was text.Text, m *lines.Map, ok bool) {
	if then, changes, ok := snap.At(rev); ok {
		return then, lines.NewMap(then, snap.Text, changes), true
	}
	if text.IsHash(page.At.Hash(), rev) { // the file was closed
		return page.At, lines.Since(page.At, snap.Text), true
	}
	return was, nil, false
}

// staleLines returns an error for line numbers, with the lines that have these numbers now and those around them.
func staleLines(snap workspace.Snapshot, t commands.Target, message string) error {
	from := max(t.From-lines.SnippetAround, 1)
	to := min(t.To+lines.SnippetAround, snap.Text.Lines(), from+lines.MaxSnippet)
	return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: message, Snippet: edits.Numbered(snap.Text, from, to)}
}

// unknownRev returns the error for a rev that is not one of a text of snap's document.
func unknownRev(snap workspace.Snapshot, rev string) error {
	return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
		"The rev %s is not one that %s has or is known to have had; view the file, and send the rev that it has now.", edits.Printable(rev), edits.Printable(snap.Path))}
}

package transaction

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/lsp/commands"
	"github.com/patchls/patchls/lsp/lines"
	"github.com/patchls/patchls/lsp/page"
	"github.com/patchls/patchls/lsp/review"
	"github.com/patchls/patchls/workspace"
	"github.com/patchls/patchls/workspace/history"
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
	p, m, err := shown(s.Ledger, rev, snap)
	was := p.At
	switch {
	case prior != nil && prior.seen.Text.Equal(snap.Text):
		return prior.args, prior.moved, nil
	case prior != nil:
		lined, _ = prior.args.(commands.ByLines) // as args are
		was = prior.seen.Text
		m = lines.NewMap(was, snap.Text, workspace.Between(prior.seen, snap))
	case err != nil:
		return nil, nil, err
	case rev == "" && t.Unread != "" && p.Unread:
		return nil, nil, staleLines(snap, t, t.Unread)
	case m == nil:
		return args, nil, nil
	}
	if prior == nil {
		m.Asked.Strict = m.Asked.Strict || rev == "" && t.Unread != ""
		then := workspace.Snapshot{Target: snap.Target, Text: was}
		if _, _, err := s.planOn(args, then, work); err != nil {
			s.Ledger.Refused(snap.Key, was, err)        // it shows lines of that text
			return nil, nil, workspace.About(err, then) // the numbers were already wrong in that text
		}
	}
	now, ok := lined.At(m)
	if !ok && prior == nil && !m.Unknown { // as after an editor has replaced the whole text, all but equal
		asked := m.Asked
		m = lines.Since(was, snap.Text)
		m.Asked, m.Asked.Careful = asked, true
		now, ok = lined.At(m)
	}
	switch {
	case !ok && m.Unknown && t.Unread != "" && !p.Moved:
		return nil, nil, staleLines(snap, t, t.Unread)
	case !ok:
		return nil, nil, staleLines(snap, t, fmt.Sprintf("The lines of %s that you name have changed since you saw them, or those beside them have. "+
			"These lines are there now; send the numbers that you mean, with rev %s.", edits.Printable(snap.Path), snap.Text.Hash()))
	case was.Equal(snap.Text):
		return args, nil, nil
	}
	return now, m, nil
}

// shown returns the text that line numbers are of, what the agent knows of it, and where its lines are now: the text that rev
// names or, without one, the text that the agent was shown last. m is nil if it is the present text.
func shown(of *lines.Ledger, rev string, snap workspace.Snapshot) (p lines.Page, m *lines.Map, err error) {
	p, met := of.Page(snap.Key)
	switch {
	case rev == "" && !met, rev != "" && text.IsHash(snap.Text.Hash(), rev):
		return p, nil, nil
	case rev != "":
		was, since, known := since(rev, snap, p)
		if !known {
			return p, nil, unknownRev(snap, rev)
		}
		return lines.Page{Base: lines.All(was), At: was}, since, nil
	}
	_, m, _ = since(p.At.Hash(), snap, p)
	m.Asked = lines.Asked{Careful: true, Known: p.Numbers, Strict: p.Moved, Beside: !p.Moved}
	return p, m, nil
}

// source returns t, which the command has made of snap, for planning. It sets m once a number is asked for that may have moved.
func (s *Session) source(rev string, snap workspace.Snapshot, path string, t text.Text, work *edits.Work, m **lines.Map) edits.Source {
	src := s.Limits().Source(path, t, work)
	src.Shown = sync.OnceValue(func() *edits.Shown {
		p, carried, err := shown(s.Ledger, rev, snap)
		if err != nil || carried == nil || p.At.Equal(t) && !p.Moved {
			return nil
		}
		if *m = carried; !t.Equal(snap.Text) {
			*m = lines.Since(p.At, t)
			(*m).Asked = carried.Asked
		}
		return &edits.Shown{Texts: slices.Concat(p.Past, []text.Text{p.At, p.Text}), Now: (*m).Lines}
	})
	return src
}

// since returns the text that a rev names, and where its lines are now. ok is false if the text is not known.
func since(rev string, snap workspace.Snapshot, p lines.Page) (was text.Text, m *lines.Map, ok bool) {
	if then, changes, is := snap.At(rev); is {
		return then, lines.NewMap(then, snap.Text, changes), true
	}
	if was, ok = p.Met(rev); ok { // the file was closed
		m = lines.Since(was, snap.Text)
		m.Asked.Careful = true // of equal lines beside a change, any may be the one that stayed
	}
	return was, m, ok
}

// staleLines returns an error for line numbers, with the lines that have these numbers now and those around them.
func staleLines(snap workspace.Snapshot, t commands.Target, message string) error {
	from := max(t.From-page.SnippetAround, 1)
	to := min(t.To+page.SnippetAround, snap.Text.Lines(), from+page.MaxSnippet)
	return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: message, Snippet: edits.Numbered(snap.Text, from, to)}
}

// unknownRev returns the error for a rev that is not one of a text of snap's document.
func unknownRev(snap workspace.Snapshot, rev string) error {
	return &edits.Error{Kind: edits.Stale, Path: snap.Path, Rev: snap.Text.Hash(), Message: fmt.Sprintf(
		"The rev %s is not one that %s has or is known to have had; view the file, and send the rev that it has now.", edits.Printable(rev), edits.Printable(snap.Path))}
}

// planWhole plans to make content the whole text of snap, but keeps what others have changed since the agent saw
// it. merged: there is such a change.
func (s *Session) planWhole(content, rev string, snap workspace.Snapshot, src edits.Source) (p edits.Plan, merged bool, err error) {
	m := lines.Merged{Text: content}
	if rev == "" || !text.IsHash(snap.Text.Hash(), rev) {
		base, err := s.base(content, rev, snap)
		if err != nil {
			return edits.Plan{}, false, err
		}
		m = base.Merge(snap.Text, content)
	}
	switch {
	case len(m.Lost)+len(m.Clashes) > 0:
		return edits.Plan{}, false, m.Stale(snap.Path, snap.Text)
	case len(m.Kept) == 0:
		p, err = command.Write{Content: content}.Plan(src)
		return p, false, err
	}
	p, err = command.Write{Content: m.Text}.Plan(src)
	if edits.IsKind(err, edits.NoChange) {
		return p, false, m.Stale(snap.Path, snap.Text)
	}
	p.Notes = append(p.Notes, fmt.Sprintf("Kept what %s since you saw the text: %s.", s.haveChanged(snap, m.Others), lines.Words(m.Kept)))
	return p, true, err
}

// base returns the text on which content, a whole text, is based. A rev says that the agent has seen all of that text. An
// agent that has seen nothing is taken to know the file.
func (s *Session) base(content, rev string, snap workspace.Snapshot) (lines.Base, error) {
	p, _ := s.Ledger.Page(snap.Key)
	switch {
	case rev != "":
		was, _, known := since(rev, snap, p)
		if !known {
			return lines.Base{}, unknownRev(snap, rev)
		}
		return lines.All(was), nil
	case s.Ledger.Dropped(snap.Key):
		return lines.Base{}, edits.Errorf(edits.Stale, "It is too long ago that you saw %s to tell what has changed since, so nothing was changed; view it, and send the text again.", edits.Printable(snap.Path))
	case !p.Unread:
		return p.BaseOf(content), nil
	case snap.Doc == nil:
		return lines.All(snap.Text), nil
	case !snap.Doc.DiskSeen(): // the editor may have opened the file with text that was never saved
		if f, err := s.Workspace().Terse().Policy.ReadClosed(snap.Target); err == nil {
			return lines.All(f.Text), nil
		}
	}
	return lines.All(snap.Doc.Disk), nil
}

// haveChanged says who has changed lines of a text: "the user has changed", "claude and the user have changed". An agent is
// named for lines that are as its edit left them. Where others may have changed them since, no agent is named.
func (s *Session) haveChanged(snap workspace.Snapshot, changed []lines.Span) string {
	marks, now := s.EditLog.Marks(s.Documents, snap.Key)
	var traces []history.Hunk // of the hunks that the user has kept there are no marks
	if h := s.Documents.History(snap.Key); h != nil {
		traces, now = h.Traces()
	}
	var who []string
	for _, c := range changed {
		isAt := func(h history.Hunk) bool { return now.Equal(snap.Text) && review.Mark{Hunk: h}.IsAt(now, c.From, c.To) }
		isNow := strings.TrimSuffix(text.Plain(snap.Text.Slice(snap.Text.LineStart(c.From-1), snap.Text.LineStart(c.To))), "\n")
		isAs := func(m review.Mark) bool {
			_, left, ok := s.Documents.History(snap.Key).Sides(m.Edit.ID)
			return ok && isAt(m.Hunk) && c.From <= c.To && strings.Contains("\n"+text.Plain(left.String())+"\n", "\n"+isNow+"\n")
		}
		by := "the user"
		switch i := slices.IndexFunc(marks, isAs); {
		case i >= 0:
			by = marks[i].Edit.Author()
		case slices.ContainsFunc(traces, isAt), snap.Doc != nil && len(traces) > 0 && !now.Equal(snap.Text):
			by = "others"
		case snap.Doc == nil:
			by = "another program"
		}
		who = append(who, by)
	}
	slices.Sort(who)
	if who = slices.Compact(who); len(who) == 1 && who[0] != "others" {
		return who[0] + " has changed"
	}
	return edits.Listed(who) + " have changed"
}

package lines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/lists"
	"github.com/patchls/patchls/lsp/page"
)

// Base is a text as an agent knows it: each line as the agent last saw or wrote it. What the agent sends is
// based on this text, which need never have existed as a whole:
//
//	view                     one   two   three
//	the user types           one!  two   three     Base: one two three
//	the agent edits          one!  two   THREE     Base: one two THREE
type Base struct {
	Text text.Text
	// Seen are the lines that the agent has seen or written. The others are as they were when the agent last met the text.
	Seen Spans
}

// All returns the base of an agent that has seen all of t.
func All(t text.Text) Base { return Base{t, Spans{{1, t.Lines()}}.Joined()} }

// met returns what the agent knows after it was shown lines of now. It takes over the changes among these
// lines, and those among lines that the agent has never seen.
func (b Base) met(now text.Text, shown Spans) Base {
	if len(b.Seen) == 0 || b.Text.Equal(now) {
		return Base{now, slices.Concat(b.Seen, shown).Joined()}
	}
	s := splice{base: b}
	var kept []run // lines of now in the new base
	for _, g := range Since(b.Text, now).gaps() {
		switch {
		case shown.show(g.new, now.Lines()):
			s.put(g.old, now, g.new, true)
		case !b.Seen.meets(g.old.From, g.old.To) && (g.old.From <= g.old.To || !b.Seen.meets(g.old.To, g.old.From)):
			s.put(g.old, now, g.new, false)
		}
		kept = append(kept, run{g.then.new, g.then.old + s.shift, g.then.n})
	}
	next := s.result()
	next.Seen = slices.Concat(next.Seen, shown.carried(kept)).Joined()
	return next
}

// wrote returns what the agent knows after an edit of its own, which made before into after; seen says whether it knows the
// new lines. Changes of others that it has not seen are not in its base, so the edit is moved to where its lines are there.
func (b Base) wrote(before, after text.Text, hunks []edits.Hunk, seen bool) Base {
	if len(b.Seen) == 0 {
		b.Text = before
	}
	m, s, grown, gone := Since(before, b.Text), splice{base: b}, 0, map[string]bool{}
	for _, h := range hunks {
		old := Span{h.StartLine - grown, h.StartLine - grown + h.OldLines - 1}
		grown += h.NewLines - h.OldLines
		at, ok := m.Before(old.From)
		if h.OldLines > 0 {
			at, ok = m.Lines(old.From, old.To)
		}
		if ok {
			s.put(Span{at, at + h.OldLines - 1}, after, Span{h.StartLine, h.EndLine}, seen)
			continue
		}
		for row := range (Base{before, Spans{old}}).rows() {
			gone[row] = row != ""
		}
	}
	next := s.result()
	for row, i := range next.rows() { // others have moved the line that the edit removed: if it is there again, that is not known
		if gone[row] {
			next.Seen = next.Seen.without(Spans{{i, i}})
		}
	}
	return next
}

// splice makes a base into another one by changes of lines, from the top down.
type splice struct {
	base  Base
	edits edits.Edits // of its text
	seen  Spans       // of the lines that are put in, in the new text
	shift int         // how many lines the changes add
}

// put replaces the lines old by the lines of t.
func (s *splice) put(old Span, t text.Text, lines Span, seen bool) {
	b := s.base.Text
	e := edits.Edit{Start: b.LineStart(old.From - 1), End: b.LineStart(old.To), New: t.Slice(t.LineStart(lines.From-1), t.LineStart(lines.To))}
	if old.From > old.To && lines.From > lines.To {
		return
	}
	if e.New != "" && e.Start == b.Len() && e.Start > 0 && b.Terminator() == "" {
		e.New = "\n" + e.New
	}
	if e.New != "" && e.End < b.Len() && text.Terminator(e.New) == "" {
		e.New += "\n"
	}
	s.edits = append(s.edits, e)
	if seen {
		s.seen = append(s.seen, Span{old.From + s.shift, old.From + s.shift + lines.To - lines.From})
	}
	s.shift += lines.To - lines.From - (old.To - old.From)
}

func (s *splice) result() Base {
	es := edits.Coalesce(s.edits)
	now := es.Apply(s.base.Text)
	kept := keptLines(s.base.Text, now, es)
	return Base{now, slices.Concat(s.base.Seen.carried(kept), s.seen).Joined()}
}

// show reports whether an agent that is shown the lines s of a text of n lines sees all of now; if now is
// empty, whether it sees that there is nothing.
func (s Spans) show(now Span, n int) bool {
	if now.From <= now.To {
		return s.Holds(now.From, now.To)
	}
	return s.Holds(max(now.To, 1), min(now.From, n))
}

// Merged is a whole text that an agent has sent, merged with what others have changed since it saw the text.
type Merged struct {
	Text string
	// Kept are lines of Text that the agent did not send: others have written them. A span is empty where
	// others have deleted lines that the agent sent.
	Kept []Span
	// Others are the lines of the present text that others have changed since, in the same form.
	Others []Span
	// Lost are lines of the present text that the agent has never seen, and that what it sent lacks.
	Lost Spans
	// Clashes are the places that others have changed, and the agent too. There, Text has the agent's lines.
	Clashes []Clash
}

// Clash is a place that both have changed.
type Clash struct {
	Now  Span   // its lines in the present text
	Sent string // the lines that the agent sent for it
}

// Merge merges content, a whole text that an agent with this base sends, with the present text. Line ends do not
// count, and where others have changed only blanks, as formatters do, the lines of content are taken.
func (b Base) Merge(now text.Text, content string) Merged {
	if b.Text.Equal(now) && b.Seen.Holds(1, now.Lines()) {
		return Merged{Text: content}
	}
	sent, ends := unixLines(content)
	base := b.met(now, nil)
	was, wasEnding := unixLines(base.Text.String())
	is, isEnding := unixLines(now.String())
	wasLines, isLines, sentLines := split(was), split(is), split(sent)
	all, since := merge.Texts(was, is, sent), Since(base.Text, now)
	m := Merged{Text: all.Text}
	for i, at := range diff.SameLines(was, sent) {
		if line, ok := since.Lines(i+1, i+1); ok && at < 0 && !base.Seen.meets(i+1, i+1) {
			m.Lost = append(m.Lost, Span{line, line})
		}
	}
	m.Lost = m.Lost.Joined()
	m.Others = lists.FilterMap(since.gaps(), func(g gap) (Span, bool) { return g.new, g.old.From <= g.old.To || g.new.From <= g.new.To })
	for _, c := range all.Conflicts {
		others := inked(isLines, c.Ours)
		if c.Moved || others != inked(wasLines, c.Base) && others != inked(sentLines, c.Theirs) {
			m.Clashes = append(m.Clashes, Clash{Span{c.Ours.From + 1, c.Ours.To}, strings.Join(sentLines[c.Theirs.From:c.Theirs.To], "")})
		}
	}
	after, before := text.New(m.Text), text.New(sent)
	m.Kept = lists.Map(diff.Hunks(diff.Rewrite(before, 0, before.Len(), m.Text), before, after), linesOf)
	if ends == wasEnding {
		ends = isEnding
	}
	if !ends {
		m.Text = strings.TrimSuffix(m.Text, "\n")
	}
	return m
}

// unixLines returns a text without a byte order mark, in which each line ends with "\n", and whether the
// text ends with a line end.
func unixLines(s string) (lines string, ended bool) {
	lines = text.Plain(s)
	if ended = diff.EndsLine(lines); !ended {
		lines += "\n"
	}
	return lines, ended
}

func split(s string) []string { return slices.Collect(strings.Lines(s)) }

// inked returns the characters of lines without the blanks.
func inked(lines []string, of merge.Lines) string {
	return strings.Join(strings.Fields(strings.Join(lines[of.From:of.To], "")), "")
}

// Stale returns the error for a whole text that cannot be merged into now, the text of path, with what others have changed
// and the agent has not seen.
func (m Merged) Stale(path string, now text.Text) error {
	rev := now.Hash()
	e := &edits.Error{Kind: edits.Stale, Path: path, Rev: rev}
	path = edits.Printable(path)
	shown := slices.Concat(m.Lost, m.Others) // all that the rev says that the agent has seen
	slices.SortFunc(shown, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	switch {
	case len(m.Lost) > 0:
		e.Message = fmt.Sprintf("What you sent lacks lines of %s that you have not seen, as far as is known (%s), so nothing was changed; put them in or, to replace them, send rev %s.", path, Words(m.Lost), rev)
	case len(m.Clashes) > 0:
		e.Message = fmt.Sprintf("%s has changed since you saw it, in %s that you change too, so nothing was changed; put those changes into yours, and send all of it with rev %s.", path, edits.Count(len(m.Clashes), "place"), rev)
	default:
		e.Kind = edits.NoChange
		e.Message = fmt.Sprintf("What you sent is what you have seen of %s, and it has changed since, so nothing was changed; to take that back, send rev %s.", path, rev)
	}
	var b strings.Builder
	left := page.MaxSnippet
	for _, at := range shown {
		if left -= at.To - at.From + 1; left < 0 {
			b.WriteString("There is more; view the file.\n")
			break
		}
		fmt.Fprintf(&b, "Now, %s:\n%s\n", Words([]Span{at}), edits.Numbered(now, at.From, at.To))
	}
	for _, c := range m.Clashes {
		sent := text.New(c.Sent)
		fmt.Fprintf(&b, "You sent, for %s:\n%s\n", Words([]Span{c.Now}), strings.TrimSuffix(sent.Slice(0, sent.LineStart(min(maxSent, sent.Lines()))), "\n"))
	}
	e.Snippet = strings.TrimSuffix(b.String(), "\n")
	return e
}

// maxSent is how many lines of its own an agent is shown of each place.
const maxSent = 10

// Words lists lines: "line 3", "lines 5-10 and lines deleted after line 12".
func Words(spans []Span) string {
	return edits.Listed(lists.Map(spans, func(at Span) string {
		if at.From > at.To {
			return fmt.Sprintf("lines deleted after line %d", at.To)
		}
		return edits.LineRange(at.From, at.To)
	}))
}

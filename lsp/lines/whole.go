package lines

import (
	"slices"
	"strings"

	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/merge"
	"github.com/patchls/patchls/edits/text"
)

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
	sent, ends := unixLines(content)
	base := b.met(now, nil)
	was, wasEnding := unixLines(base.Text.String())
	is, isEnding := unixLines(now.String())
	wasLines, isLines, sentLines := split(was), split(is), split(sent)
	all, since := merge.Texts(was, is, sent), Since(base.Text, now)
	m := Merged{Text: all.Text}
	for i, at := range diff.AlignLines(was, sent) {
		isSent := at >= 0 && sentLines[at] == wasLines[i]
		if line, ok := since.Lines(i+1, i+1); ok && !isSent && !base.Seen.meets(i+1, i+1) {
			m.Lost = append(m.Lost, Span{line, line})
		}
	}
	m.Lost = m.Lost.Joined()
	for _, g := range since.gaps() {
		if g.old.From <= g.old.To || g.new.From <= g.new.To {
			m.Others = append(m.Others, g.new)
		}
	}
	for _, c := range all.Conflicts {
		others := inked(isLines, c.Ours)
		if c.Moved || others != inked(wasLines, c.Base) && others != inked(sentLines, c.Theirs) {
			m.Clashes = append(m.Clashes, Clash{Span{c.Ours.From + 1, c.Ours.To}, strings.Join(sentLines[c.Theirs.From:c.Theirs.To], "")})
		}
	}
	after, before := text.New(m.Text), text.New(sent)
	for _, h := range diff.Hunks(diff.Rewrite(before, 0, before.Len(), m.Text), before, after) {
		m.Kept = append(m.Kept, Span{h.StartLine, h.EndLine})
	}
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

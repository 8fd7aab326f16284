package lines

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/lsp/page"
)

// model is an agent with a memory of its own, beside a text that others change as well.
type model struct {
	*rand.Rand
	ledger Ledger
	now    text.Text
	unseen map[string]bool // lines that others wrote and that the agent was not shown
	lines  int
}

func (m *model) line(who string) string {
	m.lines++
	return fmt.Sprint(who, m.lines)
}

func textLines(t text.Text) []string {
	var all []string
	for i := range t.Lines() {
		all = append(all, lineOf(t, i+1))
	}
	return all
}

func joined(lines []string) text.Text {
	if len(lines) == 0 {
		return text.Text{}
	}
	return text.New(strings.Join(lines, "\n") + "\n")
}

// change changes a few lines at one place, or moves one.
func (m *model) change(lines []string, who string) []string {
	lines = slices.Clone(lines)
	at := m.IntN(len(lines) + 1)
	if at < len(lines) && m.IntN(4) == 0 {
		row := lines[at]
		lines = slices.Delete(lines, at, at+1)
		return slices.Insert(lines, m.IntN(len(lines)+1), row)
	}
	to := min(len(lines), at+m.IntN(3))
	var put []string
	for range m.IntN(3) {
		put = append(put, m.line(who))
	}
	if m.IntN(4) == 0 {
		put = append(put, "")
	}
	return slices.Replace(lines, at, to, put...)
}

// others has others change the text.
func (m *model) others() {
	was := textLines(m.now)
	is := m.change(was, "user")
	for _, l := range is {
		if l != "" && !slices.Contains(was, l) {
			m.unseen[l] = true
		}
	}
	m.now = joined(is)
}

// shown has the agent see lines of the text.
func (m *model) shown(from, to int) Meeting {
	for i := from; i <= to; i++ {
		delete(m.unseen, lineOf(m.now, i))
	}
	return Meeting{Text: m.now, Shown: Spans{{from, to}}}
}

func (m *model) view() {
	n := m.now.Lines()
	from := 1 + m.IntN(n+1)
	to := min(n, from+m.IntN(n+1))
	m.ledger.Showed("/a", m.shown(from, to))
}

// edits has the agent edit a line that it knows, as str_replace does.
func (m *model) edits() {
	n := m.now.Lines()
	if n == 0 {
		return
	}
	at := m.IntN(n) + 1
	if l := lineOf(m.now, at); l == "" || m.unseen[l] {
		return
	}
	before := m.now
	is := textLines(before)
	is = slices.Replace(is, at-1, at, m.line("agent"), m.line("agent"))
	m.now = joined(is)
	es := diff.Rewrite(before, 0, before.Len(), m.now.String())
	plan := diff.PlanOf(before, es)
	_, first, last := page.Snippet(m.now, plan.Hunks)
	m.ledger.Edited("/a", before, plan, m.shown(first, last), false)
}

// write has the agent send a whole text: what the ledger says that it knows, changed. It returns what was lost.
func (m *model) write(t *testing.T) {
	p, met := m.ledger.Page("/a")
	if !met {
		return
	}
	for _, s := range p.Seen {
		for i := s.From; i <= s.To; i++ {
			if m.unseen[lineOf(p.Text, i)] {
				t.Fatalf("the agent was not shown %q", lineOf(p.Text, i))
			}
		}
	}
	var knows []string
	for i, l := range textLines(p.Text) {
		if p.Seen.Holds(i+1, i+1) || m.IntN(3) > 0 {
			knows = append(knows, l)
		}
	}
	sent := joined(m.change(knows, "agent"))
	for _, l := range textLines(sent) { // the agent knows them from elsewhere
		delete(m.unseen, l)
	}
	got := p.Merge(m.now, sent.String())
	if len(got.Lost)+len(got.Clashes) > 0 {
		return
	}
	is := textLines(text.New(got.Text))
	for i, l := range is {
		if l != "" && slices.Contains(is[i+1:], l) && strings.Count(sent.String(), l+"\n") == 1 {
			t.Fatalf("%q is there twice: base %q, seen %v, now %q, sent %q, merged %q", l, p.Text, p.Seen, m.now, sent, got.Text)
		}
	}
	for l := range m.unseen {
		if slices.Contains(textLines(m.now), l) && !slices.Contains(is, l) {
			t.Fatalf("%q is lost: base %q, seen %v, now %q, sent %q, merged %q", l, p.Text, p.Seen, m.now, sent, got.Text)
		}
	}
	m.now = text.New(got.Text)
	hunks := []edits.Hunk{}
	_, first, last := page.Snippet(m.now, hunks)
	m.ledger.Wrote("/a", sent.String(), m.shown(first, last))
}

// Whatever an agent is shown, edits and writes, no line is lost that others wrote and that it was not shown.
func TestWholeTextsLoseNothing(t *testing.T) {
	seed := chance.Seed(t)
	for i := range 3000 {
		m := &model{Rand: rand.New(rand.NewPCG(seed, uint64(i))), unseen: map[string]bool{}}
		for range 12 {
			m.now = joined(append(textLines(m.now), m.line("old")))
		}
		for range 12 {
			switch m.IntN(5) {
			case 0, 1:
				m.others()
			case 2:
				m.view()
			case 3:
				m.edits()
			case 4:
				m.write(t)
			}
		}
	}
}

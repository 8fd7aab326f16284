package place

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// driftLine is a line of a [driftCase], and what becomes of it:
//
//	' '  it stays
//	'-'  the diff deletes it
//	'+'  the diff adds it
//	'>'  it was added to the text after the diff was made
//	'<'  it was deleted from the text after the diff was made
type driftLine struct {
	kind byte
	text string
}

// driftCase is a text, a diff of it, and how the text has changed since, as the lines of all of them.
type driftCase []driftLine

// text returns the lines of the given kinds.
func (c driftCase) text(kinds string) string {
	var b strings.Builder
	for _, l := range c {
		if strings.IndexByte(kinds, l.kind) >= 0 {
			b.WriteString(l.text + "\n")
		}
	}
	return b.String()
}

// now returns the text that the diff is applied to, and meant what it is then to become.
func (c driftCase) now() string   { return c.text(" ->") }
func (c driftCase) meant() string { return c.text(" +>") }

// driftContext is how many lines of context a diff has.
const driftContext = 3

// driftHunk is a hunk of a diff, as lines [from,to) of a case.
type driftHunk struct{ from, to int }

// hunks returns the hunks of the diff. What has changed since the diff was made is part of a hunk where it is within its lines.
func (c driftCase) hunks() (all []driftHunk) {
	sent := func(i int) bool { return strings.IndexByte(" -<+", c[i].kind) >= 0 }
	old := func(i int) bool { return c[i].kind != '+' && sent(i) }
	for i, l := range c {
		if l.kind != '-' && l.kind != '+' {
			continue
		}
		h := driftHunk{i, i + 1}
		for k, n := i-1, 0; k >= 0 && n < driftContext; k-- {
			if old(k) {
				h.from, n = k, n+1
			}
		}
		for k, n := i+1, 0; k < len(c) && n < driftContext; k++ {
			if old(k) {
				h.to, n = k+1, n+1
			}
		}
		if n := len(all); n > 0 && all[n-1].to >= h.from {
			all[n-1].to = max(all[n-1].to, h.to)
		} else {
			all = append(all, h)
		}
	}
	return all
}

// diff returns the diff, for a file with the given name.
func (c driftCase) diff(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", name, name)
	for _, h := range c.hunks() {
		var body strings.Builder
		olds, news := 0, 0
		for _, l := range c[h.from:h.to] {
			switch l.kind {
			case '>':
				continue
			case '<':
				l.kind = ' '
			}
			if l.kind != '+' {
				olds++
			}
			if l.kind != '-' {
				news++
			}
			body.WriteString(string(l.kind) + l.text + "\n")
		}
		start := func(kinds string, lines int) int {
			return strings.Count(c[:h.from].text(kinds), "\n") + min(lines, 1)
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s", start(" -<", olds), olds, start(" +<", news), news, body.String())
	}
	return b.String()
}

// isTouched reports whether the text has changed within a hunk, or below one that is at its end.
func (c driftCase) isTouched(h driftHunk) bool {
	to := h.to
	if c[to:].text(" -<") == "" {
		to = len(c)
	}
	return slices.ContainsFunc(c[h.from:to], func(l driftLine) bool { return l.kind == '>' || l.kind == '<' })
}

// drift returns how much the numbers of the hunks are off, if the hunks stand where at says: for each hunk in turn,
// how much more or less than for the hunk above it, and the first hunk's as it is.
func drift(offsets []int) (sum int) {
	last := 0
	for _, off := range offsets {
		sum, last = sum+max(off-last, last-off), off
	}
	return sum
}

// offsets returns how many lines below its number each hunk stands.
func (c driftCase) offsets() (all []int) {
	for _, h := range c.hunks() {
		all = append(all, strings.Count(c[:h.from].text(" ->"), "\n")-strings.Count(c[:h.from].text(" -<"), "\n"))
	}
	return all
}

// judge applies the diff, and says what came of it and whether that is wrong: another text than what is meant. It is
// not wrong if the text has changed within a hunk, which then has no place but another; nor if the numbers of
// all hunks are nearer to the places that were taken than to those that are meant, so that nothing tells.
func (c driftCase) judge() (why string, wrong bool) {
	if len(c.hunks()) == 0 || c.text(" -<") == "" {
		return "nothing to place", false
	}
	sent, err := patch.Parse(c.diff("a"))
	if err != nil {
		return err.Error(), true
	}
	src := edits.Source{Path: "a", Text: text.New(c.now())}
	found := Find(sent.Files[0], src, Options{})
	plan, err := found.Plan()
	touched := slices.ContainsFunc(c.hunks(), c.isTouched)
	if e, refused := errors.AsType[*edits.Error](err); refused {
		// A hunk that has no place but another may take back there what the next one does.
		return string(e.Kind), e.Kind == edits.NoChange && c.text(" -<") != c.text(" +<") && !touched
	}
	got := plan.Edits.Apply(src.Text).String()
	if got == c.meant() {
		return "as meant", false
	}
	var offsets []int
	for i, h := range sent.Files[0].Hunks {
		at := found.Places[i]
		if at.State != Placed {
			if h.Start == 1 && strings.HasPrefix(c.now(), draft.JoinLines(h.New())) {
				return "nothing tells", false // the same text as if the hunk had been applied
			}
			if stood := strings.Contains("\n"+c.now(), "\n"+draft.JoinLines(h.New())); !stood || !touched {
				return fmt.Sprintf("hunk %d is in place, and not as meant: %q", i+1, plan.Notes), true
			}
			continue
		}
		head := slices.IndexFunc(h.Lines, func(l patch.Line) bool { return l.Kind != patch.KeptLine })
		offsets = append(offsets, at.Line-head-h.Start)
	}
	if touched {
		return "changed within a hunk", false
	}
	if drift(offsets) < drift(c.offsets()) {
		return "nothing tells", false
	}
	return fmt.Sprintf("the hunks are off by %d, not %d: %q", offsets, c.offsets(), plan.Notes), true
}

// TestDriftRandom applies diffs to texts of repeated lines that have changed since the diff was made: above the hunks,
// between them, or within their context. PATCHLS_SEED repeats a run, and PATCHLS_DRIFT_CASES makes it longer.
func TestDriftRandom(t *testing.T) {
	t.Parallel()
	seed, cases := chance.Seed(t), chance.Cases(t, "PATCHLS_DRIFT_CASES", 10_000)
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[string]int{}
	for range cases {
		c := randomDriftCase(r)
		why, wrong := c.judge()
		if wrong {
			c = c.shrunk()
			why, _ := c.judge()
			t.Fatalf("PATCHLS_SEED=%d: %s\n%s\n%s", seed, why, c, c.diff("a"))
		}
		seen[why]++
	}
	t.Logf("seed %d: %v", seed, seen)
	if uint64(seen["as meant"]) < cases/4 {
		t.Errorf("seed %d: only %d of %d were applied", seed, seen["as meant"], cases)
	}
}

// randomDriftCase makes a text in which a block occurs several times, a diff of it, and changes since.
func randomDriftCase(r *rand.Rand) (c driftCase) {
	alphabet := []string{"", "}", "a", "b", "c", "d", "e"}
	r.Shuffle(len(alphabet), func(i, j int) { alphabet[i], alphabet[j] = alphabet[j], alphabet[i] })
	alphabet = alphabet[:1+r.IntN(len(alphabet))]
	unique := 0
	line := func(share int) string {
		if r.IntN(100) < share {
			unique++
			return fmt.Sprintf("line %d", unique)
		}
		return alphabet[r.IntN(len(alphabet))]
	}
	var lines []string
	add := func(n, share int) {
		for range n {
			lines = append(lines, line(share))
		}
	}
	var block []string
	for range 1 + r.IntN(7) {
		block = append(block, line(20))
	}
	for range 1 + r.IntN(3) {
		add(r.IntN(8), []int{0, 30, 100}[r.IntN(3)])
		for range r.IntN(6) {
			lines = append(lines, block...)
		}
	}
	for _, l := range lines {
		c = append(c, driftLine{' ', l})
	}
	for range 1 + r.IntN(3) { // the edit
		at, deletes := r.IntN(len(c)+1), r.IntN(3)
		var adds []driftLine
		for range r.IntN(3) {
			adds = append(adds, driftLine{'+', line(40)})
		}
		for again := r.IntN(3); again >= 0 && at < len(c); again-- { // and in the next block
			for i := at; i < min(len(c), at+deletes); i++ {
				c[i].kind = '-'
			}
			c = slices.Insert(c, at, adds...)
			at += len(adds) + len(block)
		}
	}
	within := r.IntN(8) == 0
	for range 1 + r.IntN(3) { // what has changed since
		at := r.IntN(len(c) + 1)
		if r.IntN(3) == 0 {
			at = 0
		}
		hunks := c.hunks()
		if !within && slices.ContainsFunc(hunks, func(h driftHunk) bool { return h.from < at && at < h.to }) {
			continue
		}
		n := []int{1 + r.IntN(4), len(block), r.IntN(14)}[r.IntN(3)]
		if r.IntN(3) == 0 {
			for i := at; i < min(len(c), at+n) && c[i].kind == ' '; i++ {
				if within || !slices.ContainsFunc(hunks, func(h driftHunk) bool { return h.from <= i && i < h.to }) {
					c[i].kind = '<'
				}
			}
			continue
		}
		share := []int{0, 50, 100}[r.IntN(3)]
		for i := range n {
			l := driftLine{'>', line(share)}
			if n == len(block) && share > 0 {
				l.text = block[n-1-i]
			}
			c = slices.Insert(c, at, l)
		}
	}
	return c
}

// shrunk returns a smaller case that is wrong as well.
func (c driftCase) shrunk() driftCase {
	for size := len(c) / 2; size > 0; {
		smaller := false
		for i := 0; i+size <= len(c); i++ {
			less := slices.Delete(slices.Clone(c), i, i+size)
			if _, wrong := less.judge(); wrong {
				c, smaller = less, true
				break
			}
		}
		if !smaller {
			size--
		}
	}
	return c
}

func (c driftCase) String() string {
	var b strings.Builder
	for _, l := range c {
		b.WriteString(string(l.kind) + l.text + "\n")
	}
	return b.String()
}

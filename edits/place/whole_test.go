package place

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/match"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// wholeCase is a text, what it is meant to become, and the patch that a model sends.
type wholeCase struct {
	now, meant, patch string
	with              []string // what the patch has that a diff has not
}

// wholeText is a text of classes and functions whose bodies repeat each other's lines.
type wholeText struct {
	lines  []string
	inside []int // for each line the one that opens its function, -1 for none
}

func randomWholeText(r *rand.Rand) (t wholeText) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	add := func(opens int, line string) {
		t.lines, t.inside = append(t.lines, line), append(t.inside, opens)
	}
	unique := 0
	line := func(deep string) string {
		if unique++; r.IntN(6) == 0 {
			return fmt.Sprintf("%svalue_%d = %d", deep, unique, r.IntN(9))
		}
		return deep + pick("return x", "x = 1", "x += 1", "log(x)", "check(x, y)", "y = f(x)")
	}
	if r.IntN(2) == 0 {
		add(-1, "import sys")
		add(-1, "")
	}
	for c := range 1 + r.IntN(3) {
		add(-1, fmt.Sprintf("class C%d:", c))
		for f := range 1 + r.IntN(4) {
			opens := len(t.lines)
			add(opens, fmt.Sprintf("    def %s%d(self, x):", pick("run", "load"), f))
			for range 1 + r.IntN(4) {
				if add(opens, line("        ")); r.IntN(4) == 0 {
					add(opens, "        if x:")
					add(opens, line("            "))
				}
				if r.IntN(5) == 0 {
					add(opens, "")
				}
			}
			add(-1, "")
		}
	}
	for len(t.lines) > 0 && t.lines[len(t.lines)-1] == "" {
		t.lines, t.inside = t.lines[:len(t.lines)-1], t.inside[:len(t.inside)-1]
	}
	return t
}

// wholeEdit replaces the lines [from,to) of a text by others.
type wholeEdit struct {
	from, to int
	put      []string
}

// wholeHunk is the hunk of an edit: the lines [from,to) of the text, and the anchors above it.
type wholeHunk struct {
	wholeEdit
	from, to int
	anchors  []string
}

// places returns the lines at which the old lines of a hunk stand in [from,to) of the text.
func (t wholeText) places(old []string, from, to int) (at []int) {
	for i := from; i+len(old) <= to; i++ {
		if slices.Equal(t.lines[i:i+len(old)], old) {
			at = append(at, i)
		}
	}
	return at
}

// hunk returns the hunk of an edit as models are told to write it: with one to three lines of context and, if these stand at
// several places, with the lines that open the class and the function above it, or with more context.
func (t wholeText) hunk(r *rand.Rand, e wholeEdit) (h wholeHunk) {
	for context := 1 + r.IntN(3); ; context++ {
		h = wholeHunk{wholeEdit: e, from: max(0, e.from-context), to: min(len(t.lines), e.to+context)}
		old := t.lines[h.from:h.to]
		if match.AllBlank(old) {
			continue
		}
		if len(t.places(old, 0, len(t.lines))) == 1 {
			if opens := t.inside[min(e.from, len(t.lines)-1)]; opens >= 0 && opens < h.from && r.IntN(3) == 0 {
				h.anchors = []string{t.lines[opens]}
			}
			return h
		}
		opens := t.inside[min(e.from, len(t.lines)-1)]
		if opens < 0 || opens >= h.from {
			continue
		}
		end := opens + 1
		for end < len(t.lines) && t.inside[end] == opens {
			end++
		}
		class := opens
		for !strings.HasPrefix(t.lines[class], "class") {
			class--
		}
		if h.to <= end && len(t.places(old, opens, end)) == 1 {
			if h.anchors = []string{t.lines[class], t.lines[opens]}; len(t.places(t.lines[opens:opens+1], 0, len(t.lines))) == 1 {
				h.anchors = h.anchors[1:]
			}
			return h
		}
	}
}

// randomWholeCase makes some edits of a text, and the patch of them: with hunks of context alone in place of anchors, blank
// lines that are only layout, lines without a sign where they are empty, and without the first "@@".
func randomWholeCase(r *rand.Rand) (c wholeCase) {
	t := randomWholeText(r)
	var all []wholeHunk
	for at := r.IntN(len(t.lines)); at < len(t.lines); at += 1 + r.IntN(15) {
		e := wholeEdit{from: at, to: min(len(t.lines), at+r.IntN(3))}
		indent := t.lines[at][:len(t.lines[at])-len(strings.TrimLeft(t.lines[at], " "))]
		for i := range r.IntN(4) {
			l := fmt.Sprintf("%snew_%d_%d(x)", indent, at, i)
			if i > 0 && r.IntN(4) == 0 {
				l = ""
			}
			e.put = append(e.put, l)
		}
		for len(e.put) > 0 && e.put[len(e.put)-1] == "" { // it could be layout
			e.put = e.put[:len(e.put)-1]
		}
		if e.from == e.to && len(e.put) == 0 || slices.Equal(e.put, t.lines[e.from:e.to]) {
			continue
		}
		// No hunk quotes what another one changes.
		h := t.hunk(r, e)
		if n := len(all); n == 0 || all[n-1].wholeEdit.to <= h.from && all[n-1].to <= e.from {
			all, at = append(all, h), e.to
		}
	}
	meant := slices.Clone(t.lines)
	for _, h := range slices.Backward(all) {
		meant = slices.Replace(meant, h.wholeEdit.from, h.wholeEdit.to, h.put...)
	}
	c.now, c.meant = draft.JoinLines(t.lines), draft.JoinLines(meant)
	var b strings.Builder
	says := func(one int, what string) bool {
		if r.IntN(one) > 0 {
			return false
		}
		if !slices.Contains(c.with, what) {
			c.with = append(c.with, what)
		}
		return true
	}
	b.WriteString("*** Begin Patch\n*** Update File: a\n")
	for i, h := range all {
		e := h.wholeEdit
		switch {
		case len(h.anchors) == 1 && says(3, "context alone"):
			fmt.Fprintf(&b, "@@\n %s\n@@\n", h.anchors[0])
		case len(h.anchors) > 0:
			for _, a := range h.anchors {
				if says(3, "anchor without indentation") {
					a = strings.TrimSpace(a)
				}
				fmt.Fprintf(&b, "@@ %s\n", a)
			}
		case i > 0 || !says(3, "no @@"):
			b.WriteString("@@\n")
		}
		// Where the text has an empty line, one among new lines may be that.
		mayBeThere := slices.Contains(t.lines[max(0, e.from-1):min(len(t.lines), e.to+1)], "")
		row := func(sign byte, l string) {
			if l == "" && !(sign == '+' && mayBeThere) && says(2, "no sign of an empty line") {
				b.WriteString("\n")
				return
			}
			fmt.Fprintf(&b, "%c%s\n", sign, l)
		}
		for _, l := range t.lines[h.from:e.from] {
			row(' ', l)
		}
		for _, l := range t.lines[e.from:e.to] {
			fmt.Fprintf(&b, "-%s\n", l)
		}
		for _, l := range e.put {
			row('+', l)
		}
		for _, l := range t.lines[e.to:h.to] {
			row(' ', l)
		}
		if h.to == len(t.lines) && says(3, "end of file") {
			b.WriteString("*** End of File\n")
		} else if says(5, "layout") {
			b.WriteString("\n")
		}
	}
	b.WriteString("*** End Patch\n")
	c.patch = b.String()
	if len(all) > 1 {
		c.with = append(c.with, "hunks")
	}
	return c
}

// judge applies the patch, and says what came of it.
func (c wholeCase) judge() string {
	sent, err := patch.Parse(c.patch)
	if err != nil {
		return "refused: " + err.Error()
	}
	src := edits.Source{Path: "a", Text: text.New(c.now)}
	plan, err := Plan(sent.Files[0], src, Options{})
	if e, refused := errors.AsType[*edits.Error](err); refused {
		return "refused: " + e.Message
	}
	got := plan.Edits.Apply(src.Text).String()
	if got == c.meant {
		return "right"
	}
	return fmt.Sprintf("wrong: %q\n%s", plan.Notes, diff.Unified("meant", "made", text.New(c.meant), text.New(got), diff.Rewrite(text.New(c.meant), 0, len(c.meant), got)))
}

// TestWholePatchesRandom applies patches of several hunks as models write them to texts in which lines and functions recur.
// None may be placed elsewhere than meant, and 2 % be refused. PATCHLS_SEED repeats a run, and PATCHLS_WHOLE_CASES makes it longer.
func TestWholePatchesRandom(t *testing.T) {
	t.Parallel()
	seed, cases := chance.Seed(t), chance.Cases(t, "PATCHLS_WHOLE_CASES", 5_000)
	r := rand.New(rand.NewPCG(seed, 3))
	all, right := map[string]int{}, map[string]int{}
	n, made, shown := 0, 0, 0
	for range cases {
		c := randomWholeCase(r)
		if c.now == c.meant {
			continue
		}
		n++
		why := c.judge()
		switch {
		case why == "right":
			made++
		case strings.HasPrefix(why, "wrong"):
			t.Fatalf("PATCHLS_SEED=%d: %s\n%s\n%s\nmeant\n%s", seed, why, c.now, c.patch, c.meant)
		case shown < 3:
			shown++
			t.Logf("%s\n%s\n%s", why, c.now, c.patch)
		}
		for _, with := range c.with {
			if all[with]++; why == "right" {
				right[with]++
			}
		}
	}
	t.Logf("seed %d: %d of %d right; with %v, right %v", seed, made, n, all, right)
	if made*100 < n*98 {
		t.Errorf("seed %d: only %d of %d were made", seed, made, n)
	}
}

package command

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/diff"
	"github.com/patchls/patchls/edits/draft"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
	"github.com/patchls/patchls/internal/testkit/chance"
)

// trueHunk is a change that was made to a file of this repository.
type trueHunk struct {
	file  string
	lines []string // of the file before
	at    int      // the first line of hunk, from 0
	hunk  []patch.Line
}

// trueHunks returns the hunks of testdata/changes.txtar, each with up to three lines of
// context.
func trueHunks(tb testing.TB) []trueHunk {
	tb.Helper()
	archive, err := txtar.ParseFile("../testdata/changes.txtar")
	if err != nil {
		tb.Fatal(err)
	}
	var out []trueHunk
	for i := 0; i+1 < len(archive.Files); i += 2 {
		before, after := linesOfFile(archive.Files[i]), linesOfFile(archive.Files[i+1])
		for _, h := range trueHunksBetween(before, after) {
			h.file, h.lines = archive.Files[i].Name[len("000/before/"):], before
			out = append(out, h)
		}
	}
	return out
}

func linesOfFile(f txtar.File) []string {
	return strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
}

// trueHunksBetween returns the hunks that lead from one text to another.
func trueHunksBetween(before, after []string) (out []trueHunk) {
	const context = 3
	var all []patch.Line
	at := diff.MatchLines(before, after)
	next := 0
	for i, l := range before {
		if at[i] < 0 {
			all = append(all, patch.Line{Kind: patch.DeletedLine, Text: l})
			continue
		}
		for ; next < at[i]; next++ {
			all = append(all, patch.Line{Kind: patch.AddedLine, Text: after[next]})
		}
		all, next = append(all, patch.Line{Kind: patch.KeptLine, Text: l}), at[i]+1
	}
	for _, l := range after[next:] {
		all = append(all, patch.Line{Kind: patch.AddedLine, Text: l})
	}
	line := 0 // of before, at i
	for i := 0; i < len(all); i++ {
		if all[i].Kind == patch.KeptLine {
			line++
			continue
		}
		from, last := i, i
		for k := i; k < len(all) && k <= last+2*context; k++ {
			if all[k].Kind != patch.KeptLine {
				last = k
			}
		}
		start := max(0, from-context)
		for k := start; k < from; k++ {
			if all[k].Kind != patch.KeptLine {
				start = k + 1
			}
		}
		hunk := all[start:min(len(all), last+1+context)]
		for k := last + 1; k < start+len(hunk); k++ {
			if all[k].Kind != patch.KeptLine {
				hunk = hunk[:k-start]
			}
		}
		out = append(out, trueHunk{at: line - (from - start), hunk: hunk})
		for ; i <= last; i++ {
			if all[i].Kind != patch.AddedLine {
				line++
			}
		}
		i--
	}
	return out
}

func (h trueHunk) side(kind patch.LineKind) []string { return (patch.Hunk{Lines: h.hunk}).Side(kind) }

// made is the file after the hunk.
func (h trueHunk) made() string {
	lines := slices.Replace(slices.Clone(h.lines), h.at, h.at+len(h.side(patch.DeletedLine)), h.side(patch.AddedLine)...)
	return draft.JoinLines(lines)
}

// attempt is an edit that is sent for a text, and the text that it should produce; "" if
// it must be refused.
type attempt struct {
	doc, want string
	old, put  []string
	hunk      []patch.Line
	start     int // from 1, of a diff
	unmarked  bool
	noNumbers bool
	around    [2]string
	oldCount  int // of the header of a diff
}

func (h trueHunk) attempt() attempt {
	return attempt{doc: draft.JoinLines(h.lines), want: h.made(), old: h.side(patch.DeletedLine), put: h.side(patch.AddedLine), hunk: h.hunk, start: h.at + 1}
}

// each applies f to all lines that are sent.
func (a attempt) each(f func(i int, l string) string) attempt {
	hunk := slices.Clone(a.hunk)
	for i, l := range hunk {
		hunk[i].Text = f(i, l.Text)
	}
	a.hunk, a.old, a.put = hunk, (patch.Hunk{Lines: hunk}).Side(patch.DeletedLine), (patch.Hunk{Lines: hunk}).Side(patch.AddedLine)
	return a
}

// dialects are the commands by which an edit is sent.
var dialects = []struct {
	name   string
	target float64
	plan   func(a attempt, src edits.Source) (edits.Plan, error)
}{
	{"str_replace", 88, func(a attempt, src edits.Source) (edits.Plan, error) {
		return Replace{Old: draft.JoinLines(a.old), New: joinedLines(a.put), Lenient: true}.Plan(src)
	}},
	{"SEARCH/REPLACE", 84, func(a attempt, src edits.Source) (edits.Plan, error) {
		return planText("a.txt\n"+"<<<<<<< SEARCH\n"+joinedLines(a.old)+"=======\n"+joinedLines(a.put)+">>>>>>> REPLACE\n", src)
	}},
	{"context patch", 90, func(a attempt, src edits.Source) (edits.Plan, error) {
		return planText(a.around[0]+"*** Begin Patch\n*** Update File: a.txt\n@@\n"+a.body()+"*** End Patch\n"+a.around[1], src)
	}},
	{"unified diff", 92, func(a attempt, src edits.Source) (edits.Plan, error) {
		header := "@@"
		if !a.noNumbers {
			header = fmt.Sprintf("@@ -%d,%d +%d,%d @@", a.start, len(a.old)+a.oldCount, a.start, len(a.put))
		}
		return planText(a.around[0]+"--- a/a.txt\n+++ b/a.txt\n"+header+"\n"+a.body()+a.around[1], src)
	}},
}

func joinedLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return draft.JoinLines(lines)
}

// body is the hunk with its signs.
func (a attempt) body() string {
	var b strings.Builder
	for _, l := range a.hunk {
		if !a.unmarked || l.Kind != patch.KeptLine {
			b.WriteByte(byte(l.Kind))
		}
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func planText(written string, src edits.Source) (edits.Plan, error) {
	p, err := patch.Parse(written)
	if err != nil {
		return edits.Plan{}, err
	}
	return place.Plan(p.Files[0], src, place.Options{})
}

// outcome returns the result of an attempt.
func (a attempt) outcome(plan func(attempt, edits.Source) (edits.Plan, error)) string {
	src := edits.Source{Path: "a.c", Text: text.New(a.doc)}
	p, err := plan(a, src)
	if e, refused := errors.AsType[*edits.Error](err); refused {
		if s := e.Suggestion; s != nil && a.want != "" {
			near, _ := s.Arguments["near_line"].(int)
			p, err := Replace{Old: s.Arguments["old_str"].(string), New: s.Arguments["new_str"].(string), NearLine: near}.Plan(src)
			if err != nil {
				return "suggestion that fails"
			}
			if p.Edits.Apply(src.Text).String() == a.want {
				return "refused, right if the suggestion is sent"
			}
		}
		if a.want == "" || e.Kind == edits.AlreadyApplied && a.want == a.doc {
			return "right"
		}
		return "refused"
	}
	if err != nil {
		return err.Error()
	}
	bare := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	switch got := p.Edits.Apply(src.Text).String(); {
	case got == a.want:
		return "right"
	case a.want != "" && bare(got) == bare(a.want):
		return "other blanks"
	}
	return "wrong"
}

// cleanWeight is how often an uncorrupted edit counts, so that the shares match those of a
// survey in which such edits were sent in six forms.
const cleanWeight = 6

// TestCorruptedEdits sends true changes as models send them: with each corruption, in each dialect. It
// prints the shares and the refusals, which docs/matching.md explains, and checks that no edit goes wrong
// and that enough succeed. PATCHLS_CORRUPTED names a corruption whose edits are then printed.
func TestCorruptedEdits(t *testing.T) {
	chance.Long(t)
	t.Parallel()
	hunks := trueHunks(t)
	for _, d := range dialects {
		all, total := map[string]int{}, 0
		refused := map[string]int{} // by the corruption
		for _, c := range corruptions {
			if c.in != "" && !strings.Contains(d.name, c.in) {
				continue
			}
			of, n := map[string]int{}, 0
			for _, h := range hunks {
				a, ok := c.corrupt(h, h.attempt())
				if !ok {
					continue
				}
				what := a.outcome(d.plan)
				of[what], n = of[what]+1, n+1
				if what == "wrong" || what == "suggestion that fails" || os.Getenv("PATCHLS_CORRUPTED") == c.name && what != "right" {
					t.Errorf("%s, %s, %s: %s\n%s", d.name, c.name, h.file, what, a.body())
				}
			}
			weight := 1
			if c.name == "clean" {
				weight = cleanWeight
			}
			for what, k := range of {
				all[what] += weight * k
				if strings.HasPrefix(what, "refused") {
					refused[c.name] += weight * k
				}
			}
			total += weight * n
			t.Logf("%-15s %-22s %s", d.name, c.name, shares(of, n))
		}
		t.Logf("%-15s %-22s %s", d.name, "ALL", shares(all, total))
		for _, c := range slices.Sorted(maps.Keys(refused)) {
			t.Logf("%-15s refused of all edits: %4.1f %% %s", d.name, 100*float64(refused[c])/float64(total), c)
		}
		if right := 100 * float64(all["right"]) / float64(total); right < d.target {
			t.Errorf("%s: %.1f %% are right, not %.0f %%", d.name, right, d.target)
		}
	}
}

func shares(of map[string]int, n int) string {
	s := fmt.Sprintf("%4d:", n)
	for _, what := range []string{"right", "other blanks", "refused, right if the suggestion is sent", "refused", "wrong", "suggestion that fails"} {
		if of[what] > 0 {
			s += fmt.Sprintf(" %.1f %% %s,", 100*float64(of[what])/float64(n), what)
		}
	}
	return strings.TrimSuffix(s, ",")
}

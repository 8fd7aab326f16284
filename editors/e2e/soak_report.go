//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// soakReport is what a worker found.
type soakReport struct {
	Tallies  []*tally
	Failures []string // the violations, each with the file that describes it
}

// tally counts what became of the commands of one scenario, or of the random work.
type tally struct {
	Name    string
	Tries   int
	Answers map[string]int // verified, refused, not_settled
	Kinds   map[string]int // of errors
	Wrongs  map[string]int
	Same    int // verified, and one act of the user made the same change
	Unknown int // documents for which the server's last answer was not_settled
	Took    []time.Duration

	told int // failures
}

func (r *soakReport) tally(name string) *tally {
	for _, t := range r.Tallies {
		if t.Name == name {
			return t
		}
	}
	t := &tally{Name: name, Answers: map[string]int{}, Kinds: map[string]int{}, Wrongs: map[string]int{}}
	r.Tallies = append(r.Tallies, t)
	return t
}

func (t *tally) add(all []*sent, j *judgement) {
	for _, s := range all {
		t.Answers[s.answer()]++
		if s.Kind != "" {
			t.Kinds[s.Kind]++
		}
		t.Took = append(t.Took, time.Duration(s.Ended-s.Began)*time.Microsecond)
	}
	for _, w := range j.wrongs {
		t.Wrongs[w.Kind]++
	}
	t.Same += j.same
}

// failuresMost is how many failures of one kind of work are told; all are counted.
const failuresMost = 4

// fail writes down what went wrong and what was done before it.
func (r *soakReport) fail(s *stint, seen record, j *judgement) {
	if s.tally.told++; s.tally.told > failuresMost {
		return
	}
	var b strings.Builder
	for _, w := range j.wrongs {
		fmt.Fprintf(&b, "%s, %s: %s\n", s.tally.Name, w.Kind, w.Why)
	}
	words := strings.TrimSpace(b.String())
	if s.logs != "" {
		file := filepath.Join(s.logs, fmt.Sprintf("%s-%s-%d.txt", s.kind.name, strings.ReplaceAll(s.tally.Name, " ", "-"), s.tally.Tries))
		fmt.Fprintf(&b, "\n%s", s.story(seen))
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			words += "\n" + err.Error()
		} else {
			words += "\n" + file
		}
	}
	r.Failures = append(r.Failures, words)
}

// storyLine is something that was done, and when.
type storyLine struct {
	at   int64
	what string
}

// story is all that was done in a stint in the order of time, and the texts before and
// after it.
func (s *stint) story(seen record) string {
	var lines []storyLine
	for _, e := range seen.Events {
		what := e.What
		switch e.What {
		case "key":
			what = "key " + e.Key
		case "change":
			what = fmt.Sprintf("%s changes %s from line %d: %q becomes %q", e.Who, e.Doc, e.First+1, e.Old, e.New)
		case "begin", "end":
			what = fmt.Sprintf("call %d of an agent's edit: %s", e.Call, e.What)
		}
		lines = append(lines, storyLine{e.At, what})
	}
	for _, c := range s.sents {
		lines = append(lines,
			storyLine{c.Began, fmt.Sprintf("agent %d sends %s %s", c.Agent, c.Command, shortArgs(c.Args))},
			storyLine{c.Ended, fmt.Sprintf("answer: %s\n%s", c, c.Result.Diff)})
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortStableFunc(lines, func(a, b storyLine) int { return cmp.Compare(a.at, b.at) })
	lines = append(lines, s.messages(lines[0].at, lines[len(lines)-1].at)...)
	slices.SortStableFunc(lines, func(a, b storyLine) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for name, text := range s.texts {
		fmt.Fprintf(&b, "--- %s before\n%s", name, text)
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "%10.3f ms  %s\n", float64(l.at-lines[0].at)/1000, l.what)
	}
	for name, text := range seen.Texts {
		fmt.Fprintf(&b, "--- %s after\n%s", name, text)
	}
	return b.String()
}

// messages are those about edits and changes that editor and server sent in a time.
func (s *stint) messages(from, to int64) []storyLine {
	var lines []storyLine
	logs, _ := filepath.Glob(filepath.Join(s.wire, "*.jsonl")) // the pattern is a good one
	for _, name := range logs {
		raw, err := os.ReadFile(name)
		if err != nil {
			lines = append(lines, storyLine{from, err.Error()})
		}
		for line := range bytes.Lines(raw) {
			var e entry
			if json.Unmarshal(line, &e) != nil {
				continue // it is being written
			}
			at := e.At.UnixMicro()
			about := strings.Contains(e.Body, "applyEdit") || strings.Contains(e.Body, "didChange") || strings.Contains(e.Body, `"applied"`)
			if at >= from && at <= to && about {
				lines = append(lines, storyLine{at, fmt.Sprintf("%s says %s", e.From, e.Body)})
			}
		}
	}
	return lines
}

// wrongKinds are the kinds of what must not be, as columns of the table.
var wrongKinds = []string{wrongFalse, wrongDoubled, wrongAstray, wrongMade, wrongLost, wrongElse, wrongView, wrongWatch}

// printSoak prints what all editors' workers found, and returns what fails the run.
func printSoak(w io.Writer, outcomes []outcome, seed uint64) []string {
	var news []string
	fmt.Fprintf(w, "seed %d\n", seed)
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(table, "editor\tscenario\ttries\tverified\trefused\tnot_settled\tshare\tp50 ms\tp99 ms\tsame act\tunknown\t%s\n", strings.Join(wrongKinds, "\t"))
	for _, o := range outcomes {
		if o.Left != "" {
			fmt.Fprintf(table, "%s\tleft out: %s\n", o.Editor, o.Left)
			continue
		}
		if o.Failed != "" {
			news = append(news, o.Editor+": "+o.Failed)
		}
		for _, t := range o.Soak.Tallies {
			t.print(table, o.Editor)
		}
		for _, f := range o.Soak.Failures {
			news = append(news, o.Editor+", "+f)
		}
	}
	_ = table.Flush() // what the user reads; what counts is returned
	return news
}

func (t *tally) print(w io.Writer, editor string) {
	slices.Sort(t.Took)
	unclear := t.Answers[answerUnclear]
	percent := 100 * float64(unclear) / float64(max(len(t.Took), 1))
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%.2f %%\t%s\t%s\t%d\t%d", editor, t.Name, t.Tries, t.Answers[answerVerified],
		t.Answers[answerRefused], unclear, percent, share(t.Took, 50), share(t.Took, 99), t.Same, t.Unknown)
	for _, kind := range wrongKinds {
		fmt.Fprintf(w, "\t%d", t.Wrongs[kind])
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(t.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, t.Kinds[kind]))
	}
	fmt.Fprintf(w, "\t%s\n", strings.Join(kinds, ", "))
}

//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// printTable prints the outcomes of all editors, and returns the reasons why the run fails.
func printTable(w io.Writer, outcomes []outcome, faults []fault) []string {
	var news []string
	wire := newWireReport()
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "editor\tversion\tcases\tfaults recorded\tp50 ms\tp95 ms\tseconds")
	for _, o := range outcomes {
		if o.Left != "" {
			fmt.Fprintf(table, "%s\tleft out: %s\n", o.Editor, o.Left)
			continue
		}
		j := judge(o.Editor, o.Runs, faults)
		news = append(news, j.news...)
		if o.Failed != "" {
			news = append(news, o.Editor+": "+o.Failed)
		}
		wire.add(o.Wire)
		for _, f := range o.Wire.faults() {
			news = append(news, fmt.Sprintf("%s, on the wire (%d times): %s", o.Editor, o.Wire.Faults[f], f))
		}
		var took []time.Duration
		for _, r := range o.Runs {
			took = append(took, r.Answers...)
		}
		slices.Sort(took)
		fmt.Fprintf(table, "%s\t%s\t%d of %d\t%d\t%s\t%s\t%.0f\n", o.Editor, o.Version, j.passed, j.cases, j.recorded,
			share(took, 50), share(took, 95), o.Took.Seconds())
	}
	_ = table.Flush() // what a user reads; see below for what counts
	fmt.Fprintln(w)
	for _, o := range outcomes {
		if rounds := roundsOf(o.Runs); len(rounds) > 0 {
			fmt.Fprintf(w, "Rounds that went well in %s: %s.\n", o.Editor, strings.Join(rounds, ", "))
		}
		if said := reloadsOf(o); said != "" {
			fmt.Fprintln(w, said)
		}
	}
	switch {
	case wire.Left != "":
		fmt.Fprintf(w, "Of the servers, %d messages: not checked. %s.\n", wire.Messages, wire.Left)
	case wire.Messages > 0:
		fmt.Fprintf(w, "Held against LSP's meta-model: %d messages of the servers, %d kinds of violations.\n", wire.Messages, len(wire.Faults))
	}
	if own := ownMethods(wire.Methods); len(own) > 0 {
		fmt.Fprintf(w, "Methods of ours among them: %s.\n", strings.Join(own, ", "))
	}
	return news
}

// roundsOf returns how often the repeated cases succeeded.
func roundsOf(runs []caseRun) (all []string) {
	for _, r := range runs {
		switch {
		case r.Rounds > 0 && r.failed():
			all = append(all, fmt.Sprintf("%s %d, and one did not", r.Name, r.Rounds))
		case r.Rounds > 0:
			all = append(all, fmt.Sprintf("%s %d", r.Name, r.Rounds))
		}
	}
	return all
}

// ownMethods returns the methods that are not part of LSP.
func ownMethods(methods map[string]int) []string {
	var own []string
	for m, n := range methods {
		if strings.HasPrefix(m, "patchls/") {
			own = append(own, fmt.Sprintf("%s (%d)", m, n))
		}
	}
	slices.Sort(own)
	return own
}

// share is the time within which percent of the answers came.
func share(sorted []time.Duration, percent int) string {
	if len(sorted) == 0 {
		return "-"
	}
	i := (len(sorted)*percent+99)/100 - 1
	return fmt.Sprintf("%.0f", float64(sorted[max(i, 0)])/float64(time.Millisecond))
}

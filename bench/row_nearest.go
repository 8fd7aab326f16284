package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

// nearestRow plans what has no place, and is told what comes nearest to it.
func nearestRow(e *env) (row, error) {
	r := row{
		Why:   "All line hashes of the document are gone through once, for every line of the hunk that is not in its place.",
		Title: "The nearest place",
		About: "What is sent is not in the text, and the error says what comes nearest to it: one hunk of seven lines, of which one differs in one character, in a million lines that the document knows; " +
			"and the near miss of 2 000 lines, of which the last differs, in 200 000 equal lines.",
	}
	was := numbered(1_000_000)
	doc := text.New(was)
	doc.Lines()
	doc.Position(0, text.UTF16)
	at := strings.Index(was, "\tvalue_666666 ")
	var hunk strings.Builder
	hunk.WriteString("*** Begin Patch\n*** Update File: f.txt\n@@\n")
	for i, l := range strings.SplitAfterN(was[at:], "\n", 8)[:7] {
		sign := " "
		if i == 3 {
			sign = "-"
			l = strings.Replace(l, "compute", "computes", 1)
		}
		hunk.WriteString(sign + l)
	}
	hunk.WriteString("*** End Patch\n")
	equal := text.New(strings.Repeat("x = 1\n", 200_000))
	equal.Lines()
	miss := command.Replace{Old: strings.Repeat("x = 1\n", 1999) + "x = 2\n", New: "y\n", Lenient: true}
	const failed, near = "a failed hunk", "the near miss"
	p, err := patch.Parse(hunk.String())
	if err != nil {
		return r, err
	}
	fails := func() (float64, error) {
		return refused(func() error {
			_, err := place.Plan(p.Files[0], edits.Source{Path: "f.txt", Text: doc}, place.Options{})
			return err
		})
	}
	r.work = func() error { _, err := fails(); return err }
	got, err := contest(e.rounds(7, 3),
		contestant{name: failed, run: fails},
		contestant{name: near, run: func() (float64, error) {
			return refused(func() error {
				_, err := miss.Plan(edits.Source{Path: "f.txt", Text: equal})
				return err
			})
		}})
	if err != nil {
		return r, err
	}
	ms := func(s series) ratio { return ratio{s.median() / 1e6, s.quantile(.25) / 1e6, s.quantile(.75) / 1e6} }
	r.Goals = []goal{
		atMost("a failed hunk, in 1 000 000 lines", 2, ms(got[failed]), "ms"),
		atMost("the near miss of 2 000 lines in 200 000 equal ones", 50, ms(got[near]), "ms"),
	}
	t := table{Columns: []string{"work", us}}
	t.add(failed, got[failed].times())
	t.add(near, got[near].times())
	r.Tables = []table{t}
	return r, nil
}

// refused returns the nanoseconds of a plan that ends in an error with candidates.
func refused(plan func() error) (float64, error) {
	began := time.Now()
	err := plan()
	took := time.Since(began)
	var why *edits.Error
	if !errors.As(err, &why) || len(why.Candidates) == 0 {
		return 0, fmt.Errorf("no nearest place: %w", err)
	}
	return float64(took.Nanoseconds()), nil
}

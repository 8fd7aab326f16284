package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
	"github.com/patchls/patchls/edits/text"
)

// findRow looks for an old_str in a large text.
func findRow(e *env) (row, error) {
	size := e.sizes(megabyte, 10*megabyte, 100*megabyte)
	doc := e.source.first(size[len(size)-1])
	r := row{
		Title: "Finding old_str",
		About: fmt.Sprintf("A str_replace is planned in process on %s of Go's own source: old_str has to be unique, so all of it is searched. "+
			"Blocks of 1, 3 and 10 lines, taken at random, beside bytes.Count of the block.", sizeName(size[len(size)-1])),
		Why: "A piece of old_str is looked for with strings.Index, from a byte on that is rare in source and prose, which passes over most of the text as fast as memory is read.",
	}
	open, raw := text.New(doc), []byte(doc)
	open.Position(0, text.UTF16) // makes the tree
	rng := rand.New(rand.NewPCG(7, 7))
	const count = "bytes.Count"
	t := table{Columns: []string{"old_str", us, count}}
	for _, n := range []int{1, 3, 10} {
		old := block(rng, doc, n)
		got, err := contest(e.rounds(5, 1),
			contestant{name: us, run: func() (float64, error) { return planned(open, old) }},
			contestant{name: count, run: func() (float64, error) {
				began := time.Now()
				if found := bytes.Count(raw, []byte(old)); found != 1 {
					return 0, fmt.Errorf("%d places", found)
				}
				return float64(time.Since(began).Nanoseconds()), nil
			}})
		if err != nil {
			return r, err
		}
		what := fmt.Sprintf("%s, %d bytes", edits.Count(n, "line"), len(old))
		t.add(what, got[us].times(), got[count].times())
		r.Goals = append(r.Goals, atLeast(what+", against "+count, 1, got[count].over(got[us])))
		if n == 3 {
			r.felt("finding a text of 3 lines in "+sizeName(size[len(size)-1]), got, count)
		}
	}
	r.Tables = []table{t}
	return r, nil
}

// planned returns the nanoseconds of planning a replacement of what is unique.
func planned(t text.Text, old string) (float64, error) {
	src := edits.Source{Path: "a.go", Text: t}
	began := time.Now()
	p, err := command.Replace{Old: old, New: old + "// changed\n"}.Plan(src)
	took := time.Since(began)
	if err == nil && (p.Places != 1 || len(p.Edits) == 0) {
		err = fmt.Errorf("%d places, %d edits", p.Places, len(p.Edits))
	}
	return float64(took.Nanoseconds()), err
}

// block returns n whole lines at random that stand once in the text.
func block(rng *rand.Rand, doc string, n int) string {
	for {
		start := rng.IntN(len(doc) / 2)
		at := start + strings.IndexByte(doc[start:], '\n') + 1
		end := at
		for range n {
			end += strings.IndexByte(doc[end:], '\n') + 1
		}
		if b := doc[at:end]; len(b) > 20*n && strings.Count(doc, b) == 1 {
			return b
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

const npmDiff, npmDMP = "diff", "diff-match-patch"

// patchRow plans patches in process.
func patchRow(e *env) (row, error) {
	r := row{
		Why:   "diff is told by each hunk where it belongs. Ours are not: every line is looked for in the whole text to prove that the place is the only one, the new lines are given the text's own indentation, and the diff and the lines of each hunk are made for the answer. That is work for each hunk, and for one hunk there is next to none.",
		Title: "Context patches, in process",
		About: "A patch of hunks of 3+1+3 lines is read, placed and applied. patchls has *** Begin Patch, without line numbers, and an open document whose lines it knows; " +
			"the peers have a unified diff, which says where, and the text as a string. Drifted: the patch has blanks where the text has tabs; " +
			"diff is told to compare lines without their indentation, and its result has the patch's own.",
	}
	var node *script
	var err error
	if e.peers.node != "" {
		if node, err = e.peers.start("patch.mjs"); err != nil {
			return r, err
		}
		defer node.close()
	}
	t := table{Columns: []string{"lines", "hunks", "patch", us, npmDiff, npmDMP}}
	c := chart{
		File: "patch.svg", Title: "A patch of a million lines, by its hunks", X: "hunks", Y: "to patch",
		XMarks: []mark{{1, "1"}, {10, "10"}, {50, "50"}, {500, "500"}}, Lines: []line{{Name: us + ", exact"}, {Name: us + ", drifted"}},
	}
	sizes := []int{100_000, 1_000_000}
	for _, n := range sizes {
		was := numbered(n)
		doc := text.New(was)
		doc.Lines()
		doc.Position(0, text.UTF16)
		var alone [2]series
		for _, hunks := range []int{1, 10, 50, 500} {
			for drift, kind := range []string{"exact", "drifted"} {
				p := patchLines(was, hunks, drift == 1)
				if _, err := placed(doc, p); err != nil { // the index is made when it is first wanted
					return r, fmt.Errorf("%d lines, %d hunks, %s: %w", n, hunks, kind, err)
				}
				r.work = func() error { _, err := placed(doc, p); return err }
				who := []contestant{{name: us, run: func() (float64, error) { return placed(doc, p) }}}
				if node != nil {
					more, err := e.nodePatches(node, p, hunks, n, drift == 1)
					if err != nil {
						return r, err
					}
					who = append(who, more...)
				}
				got, err := contest(e.rounds(7, 3), who...)
				if err != nil {
					return r, fmt.Errorf("%d lines, %d hunks, %s: %w", n, hunks, kind, err)
				}
				t.add(number(float64(n)), fmt.Sprint(hunks), kind, got[us].times(), got[npmDiff].times(), got[npmDMP].times())
				name := fmt.Sprintf("%s lines, %s, %s", number(float64(n)), edits.Count(hunks, "hunk"), kind)
				if len(got[npmDiff]) > 0 {
					r.Goals = append(r.Goals, atLeast(name+", against "+npmDiff, 20, got[npmDiff].over(got[us])))
				}
				if hunks == 1 {
					alone[drift] = got[us]
				}
				if n != sizes[len(sizes)-1] {
					continue
				}
				c.Lines[drift].add(float64(hunks), got[us].median())
				if hunks == 500 {
					r.Goals = append(r.Goals, atMost(name+", against 1 hunk", 3, got[us].over(alone[drift]), "×"))
				}
				if len(got[npmDiff]) > 0 && drift == 0 {
					if len(c.Lines) == 2 {
						c.Lines = append(c.Lines, line{Name: npmDiff + ", exact"})
					}
					c.Lines[2].add(float64(hunks), got[npmDiff].median())
				}
			}
		}
	}
	r.Tables, r.Charts = []table{t}, []chart{c}
	return r, nil
}

// placed patches an open document.
func placed(doc text.Text, p patched) (float64, error) {
	began := time.Now()
	parsed, err := patch.Parse(p.begin)
	if err != nil {
		return 0, err
	}
	plan, err := place.Plan(parsed.Files[0], edits.Source{Path: "f.txt", Text: doc}, place.Options{})
	if err != nil {
		return 0, err
	}
	after := plan.Edits.Apply(doc)
	took := time.Since(began)
	if after.Len() != len(p.want) {
		return 0, errors.New("it is another text")
	}
	return float64(took.Nanoseconds()), nil
}

// nodePatches are npm's packages on the same text. diff-match-patch takes seconds,
// and more memory than node has, where there is more to do.
func (e *env) nodePatches(node *script, p patched, hunks, n int, drifted bool) ([]contestant, error) {
	want := p.want
	if drifted { // diff writes the patch's own lines
		want = afterDrift(p)
	}
	if _, err := node.order(map[string]any{"do": "forget"}); err != nil {
		return nil, err
	}
	order := map[string]any{"indented": drifted}
	for key, content := range map[string]string{"was": p.was, "want": want, "patch": p.unified} {
		name, err := e.write("patch-"+key, content)
		if err != nil {
			return nil, err
		}
		order[key] = name
	}
	run := func(do string) func() (float64, error) {
		return func() (float64, error) { order["do"] = do; return node.order(order) }
	}
	who := []contestant{{name: npmDiff, run: run("diff")}}
	if !drifted && n*hunks <= 5_000_000 && !e.quick {
		who = append(who, contestant{name: npmDMP, run: run("dmp"), rounds: 1})
	}
	return who, nil
}

// afterDrift is the text with the changed lines as the patch has them.
func afterDrift(p patched) string {
	var b strings.Builder
	for l := range strings.Lines(p.want) {
		if strings.HasSuffix(l, " // changed\n") {
			l = strings.ReplaceAll(l, "\t", "    ")
		}
		b.WriteString(l)
	}
	return b.String()
}

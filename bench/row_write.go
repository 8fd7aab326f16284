package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/text"
)

// writtenLines is how many lines a file has that is written anew.
const writtenLines = 100_000

// writeRow writes whole files as the least edits.
func writeRow(e *env) (row, error) {
	r := row{
		Title: "Whole-file write",
		About: fmt.Sprintf("A text of %s lines is written anew: what is to be changed is found, and edits are made of that. The bytes are those that the edits take out and put in; "+
			"of git diff, those of the lines that it deletes and adds.", number(writtenLines)),
	}
	udiff, why := e.udiff()
	if why != "" {
		r.Notes = append(r.Notes, why)
	}
	const slowest = "the slowest"
	t := table{Columns: []string{"what is written", us, "edits", "bytes", "git diff, bytes", "go-udiff", "go-udiff, bytes"}}
	var worst series
	worstName := ""
	for _, c := range rewrites(writtenLines) {
		var plan edits.Plan
		got, err := contest(e.rounds(5, 3), contestant{name: us, run: func() (float64, error) {
			src := edits.Source{Path: "f.txt", Text: text.New(c.old)}
			began := time.Now()
			var err error
			plan, err = edits.Write{Content: c.want}.Plan(src)
			return float64(time.Since(began).Nanoseconds()), err
		}})
		if err != nil {
			return r, fmt.Errorf("%s: %w", c.name, err)
		}
		if plan.Edits.Apply(text.New(c.old)).String() != c.want {
			return r, errors.New(c.name + ": it is another text")
		}
		ours := 0
		for _, edit := range plan.Edits {
			ours += edit.End - edit.Start + len(edit.New)
		}
		theirs, err := e.gitDiff(c)
		if err != nil {
			return r, err
		}
		cells := []string{c.name, got[us].times(), number(float64(len(plan.Edits))), number(float64(ours)), "–", "–", "–"}
		if theirs > 0 {
			cells[4] = number(float64(theirs))
		}
		if u, ok := udiff[c.name]; ok {
			cells[5], cells[6] = series(u.NS).times(), number(float64(u.Bytes))
			if c.name == onePlace || c.name == scatteredOne {
				r.Goals = append(r.Goals, atLeast(c.name+", against go-udiff", 5, series(u.NS).over(got[us])))
			}
		}
		t.add(cells...)
		if c.name == onePlace {
			r.Goals = append(r.Goals, atMost("one place: bytes of the edits, of which one is to change", 1, only(float64(ours)), "bytes"))
		}
		if c.name == scatteredOne && theirs > 0 {
			r.Goals = append(r.Goals, atMost("1 % scattered: bytes of the edits, against git diff's", 0.5, only(float64(ours)/float64(theirs)), "×"))
		}
		if len(worst) == 0 || got[us].median() > worst.median() {
			worst, worstName = got[us], c.name
		}
	}
	r.Goals = append(r.Goals, atMost(slowest+" of all cases: "+worstName, 150, ratio{worst.median() / 1e6, worst.quantile(.25) / 1e6, worst.quantile(.75) / 1e6}, "ms"))
	r.Tables = []table{t}
	return r, nil
}

// gitDiff returns how many bytes of lines git deletes and adds, 0 without git.
func (e *env) gitDiff(c rewrite) (int, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return 0, nil //nolint:nilerr // it is among what is left out
	}
	old, err := e.write("write-old", c.old)
	if err != nil {
		return 0, err
	}
	want, err := e.write("write-new", c.want)
	if err != nil {
		return 0, err
	}
	out, err := exec.Command("git", "diff", "--no-index", "--no-color", "-U0", old, want).Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return 0, err
	}
	total := 0
	_, out, _ = bytes.Cut(out, []byte("\n@@"))
	for l := range bytes.Lines(out) {
		if l[0] == '-' || l[0] == '+' {
			total += len(l) - 1
		}
	}
	return total, nil
}

// udiffed is what go-udiff, a module of its own in bench/diff, says of one case.
type udiffed struct {
	Name  string
	NS    []float64
	Bytes int
}

// udiff runs go-udiff on the cases, which it reads from a folder: of the case i,
// i.old and i.new, with the name in i.name. It prints one line of JSON a case.
func (e *env) udiff() (of map[string]udiffed, why string) {
	if _, err := os.Stat(filepath.Join("bench", "diff", "go.mod")); err != nil {
		return nil, "go-udiff is left out: bench/diff is not here."
	}
	folder := filepath.Join(e.temp, "udiff")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err.Error()
	}
	for i, c := range rewrites(writtenLines) {
		for ext, content := range map[string]string{"old": c.old, "new": c.want, "name": c.name} {
			if _, err := e.write(fmt.Sprintf("udiff/%d.%s", i, ext), content); err != nil {
				return nil, err.Error()
			}
		}
	}
	cmd := exec.Command("go", "run", ".", "-cases", folder)
	cmd.Dir = filepath.Join("bench", "diff")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Sprintf("go-udiff is left out: bench/diff: %v.", err)
	}
	of = map[string]udiffed{}
	for l := range bytes.Lines(out) {
		var u udiffed
		if err := json.Unmarshal(l, &u); err != nil {
			return nil, fmt.Sprintf("go-udiff is left out: bench/diff prints %.80q.", l)
		}
		of[u.Name] = u
	}
	return of, ""
}

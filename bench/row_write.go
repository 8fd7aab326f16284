package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/command"
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
	t := table{Columns: []string{"what is written", us, "edits", "bytes", "git diff, bytes"}}
	var worst series
	worstName := ""
	for _, c := range rewrites(writtenLines) {
		var plan edits.Plan
		got, err := contest(e.rounds(5, 3), contestant{name: us, run: func() (float64, error) {
			src := edits.Source{Path: "f.txt", Text: text.New(c.old)}
			began := time.Now()
			var err error
			plan, err = command.Write{Content: c.want}.Plan(src)
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
		cells := []string{c.name, got[us].times(), number(float64(len(plan.Edits))), number(float64(ours)), "–"}
		if theirs > 0 {
			cells[4] = number(float64(theirs))
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
			r.work = func() error {
				_, err := command.Write{Content: c.want}.Plan(edits.Source{Path: "f.txt", Text: text.New(c.old)})
				return err
			}
		}
	}
	r.Goals = append(r.Goals, atMost("the slowest of all cases: "+worstName, 150, ratio{worst.median() / 1e6, worst.quantile(.25) / 1e6, worst.quantile(.75) / 1e6}, "ms"))
	r.Tables = []table{t}
	err := r.udiff(e)
	return r, err
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

// udiff runs bench/diff, which measures patchls beside go-udiff, on texts of its
// own: it is a module of its own. It adds its table and the goals about it.
func (r *row) udiff(e *env) error {
	folder := filepath.Join("bench", "diff")
	if _, none := os.Stat(filepath.Join(folder, "go.mod")); none != nil {
		r.Notes = append(r.Notes, "go-udiff is left out: bench/diff is not here.")
		return nil //nolint:nilerr // what is not here is named
	}
	cmd := exec.Command("go", "run", ".", "-rounds", strconv.Itoa(e.rounds(5, 1)), "-sizes", strconv.Itoa(writtenLines))
	cmd.Dir, cmd.Stderr = folder, e.log
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("bench/diff: %w", err)
	}
	t := table{Title: "Beside go-udiff, on Go's own source"}
	for l := range strings.Lines(string(out)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(l), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case t.Columns == nil:
			t.Columns = cells
		case !strings.HasPrefix(cells[0], "---") && len(cells) == len(t.Columns):
			t.add(cells...)
		}
	}
	r.Tables = append(r.Tables, t)
	const faster = "times faster than Lines"
	at := slices.Index(t.Columns, faster)
	if at < 0 {
		return fmt.Errorf("bench/diff has no column %q", faster)
	}
	for _, l := range t.Lines {
		if l[0] != "one character" && l[0] != "scatter 1 %" {
			continue
		}
		x, err := strconv.ParseFloat(l[at], 64)
		if err != nil {
			return fmt.Errorf("bench/diff: %w", err)
		}
		r.Goals = append(r.Goals, atLeast(l[0]+", against go-udiff", 5, only(x)))
	}
	return nil
}

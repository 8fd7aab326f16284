package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchls/patchls/edits"
)

// applyRow patches files by whole processes.
func applyRow(e *env) (row, error) {
	r := row{
		Why:   "An editor and a server in one process speak LSP: the text goes through JSON twice, is compared with what was planned, and is on disk (fsync) before the command ends. With a hundred thousand lines that is a fifth of a second.",
		Title: "patchls apply, whole process",
		About: "A unified diff is applied to a file, from exec to exit: `patchls apply --save`, which runs the server and the embedded editor in one process, `git apply`, and GNU patch. The result is compared.",
	}
	t := table{Columns: []string{"lines", "hunks", us, "git apply", "GNU patch"}}
	sizes, counts := []int{10_000, 100_000, 1_000_000}, []int{1, 500}
	if e.quick {
		sizes = sizes[:1]
	}
	for _, n := range sizes {
		was := numbered(n)
		for _, hunks := range counts {
			got, err := e.apply(patchLines(was, hunks))
			if err != nil {
				return r, fmt.Errorf("%d lines, %d hunks: %w", n, hunks, err)
			}
			if n == sizes[0] {
				r.felt(fmt.Sprintf("a patch of %s to a closed file of %s lines", edits.Count(hunks, "hunk"), number(float64(n))), got, "git")
			}
			t.add(number(float64(n)), fmt.Sprint(hunks), got[us].times(), got["git"].times(), got["patch"].times())
			if n == 1_000_000 && hunks == 500 {
				if len(got["git"]) > 0 {
					r.Goals = append(r.Goals, atLeast("500 hunks on 1,000,000 lines, against git apply", 5, got["git"].over(got[us])))
				}
				if len(got["patch"]) > 0 {
					r.Goals = append(r.Goals, atMost("500 hunks on 1,000,000 lines, against GNU patch", 5, got[us].over(got["patch"]), "×"))
				}
			}
		}
	}
	r.Tables = []table{t}
	return r, nil
}

// apply has each program make the patch, in a folder of its own.
func (e *env) apply(p patched) (map[string]series, error) {
	var who []contestant
	for _, program := range []struct {
		name, path string
		args       []string
	}{
		{us, e.patchls, []string{"apply", "--save", "../p.patch"}},
		{"git", "git", []string{"apply", "../p.patch"}},
		{"patch", "patch", []string{"-p1", "-s", "-i", "../p.patch"}},
	} {
		path, err := exec.LookPath(program.path)
		if err != nil {
			continue // it is among what is left out
		}
		folder := filepath.Join(e.temp, "apply-"+program.name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		if _, err := e.write("p.patch", p.unified); err != nil {
			return nil, err
		}
		who = append(who, contestant{name: program.name, run: func() (float64, error) { return e.applyOnce(path, program.args, folder, p) }})
	}
	return contest(e.rounds(5, 1), who...)
}

func (e *env) applyOnce(program string, args []string, folder string, p patched) (float64, error) {
	file := filepath.Join(folder, "f.txt")
	if err := os.WriteFile(file, []byte(p.was), 0o600); err != nil {
		return 0, err
	}
	took, err := timeIn(folder, program, args...)
	if err != nil {
		return 0, err
	}
	got, err := os.ReadFile(file)
	if err == nil && string(got) != p.want {
		err = fmt.Errorf("%s wrote another text", program)
	}
	return took, err
}

// timeIn returns the nanoseconds that a program takes in a folder, in whose parents git looks for no work tree.
func timeIn(folder, program string, args ...string) (float64, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(folder))
	var said strings.Builder
	cmd.Stderr = &said
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%w: %.300s", err, said.String())
	}
	return float64(took.Nanoseconds()), nil
}

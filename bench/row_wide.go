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

// wideRow edits many files, many places of a file, and a large file, each by whole processes.
func wideRow(e *env) (row, error) {
	r := row{
		Title: "patchls apply and call, wide",
		About: "From exec to exit. One hunk in each of so many files of ten lines, 100 to a folder: `patchls apply --save -q`, and git apply and GNU patch, " +
			"which leave the disk to the system, so `sync -f` follows them. Then `patchls call str_replace --save` in one file, and sed with the same `sync -f`. Each text is compared.",
		Why: "Each file is opened in the embedded editor, planned, edited, observed and saved there, as in an editor of the user's. A save of many files is all or nothing, so it has a journal, and looks at each file again.",
	}
	files := table{Title: "One hunk in each file", Columns: []string{"files", us, "git apply", "GNU patch"}}
	var fewer series
	for _, n := range e.sizes(100, 1_000, 10_000) {
		got, err := e.wide(manyFiles(n), []string{"apply", "--save", "-q", "../p.patch"}, map[string]string{
			"git": "git apply ../p.patch && sync -f .", "patch": "patch -p1 -s -i ../p.patch && sync -f .",
		})
		if err != nil {
			return r, fmt.Errorf("%d files: %w", n, err)
		}
		files.add(number(float64(n)), got[us].times(), got["git"].times(), got["patch"].times())
		what := fmt.Sprintf("a hunk in each of %s files", number(float64(n)))
		r.felt("a patch of "+what, got, "git")
		r.Goals = append(r.Goals, atMost(what+", against git apply", 3, got[us].over(got["git"]), "×"))
		if n == 10_000 {
			r.Goals = append(r.Goals, atMost("growth from 1,000 to 10,000 files", 12, got[us].over(fewer), "×"))
		}
		fewer = got[us]
	}
	places := table{Title: "Places in a file", Columns: []string{"what", us, "sed"}}
	for _, c := range []struct {
		lines, places int
		goal          float64 // in seconds
	}{{80_000, 80_000, 0.5}, {1_540_000, 1, 2}} {
		if e.quick {
			c.lines, c.places = c.lines/100, min(c.places, c.lines/100)
		}
		w, size := manyPlaces(c.lines, c.places)
		got, err := e.wide(w, []string{"call", "str_replace", "--save", "path=f.txt", "old_str=old(", "new_str=new_name(", "replace_all=true"}, map[string]string{
			"sed": "sed -i 's/old(/new_name(/' f.txt && sync -f .",
		})
		if err != nil {
			return r, fmt.Errorf("%d places: %w", c.places, err)
		}
		what := fmt.Sprintf("%s in %s", edits.Count(c.places, "place"), sizeName(size))
		places.add(what, got[us].times(), got["sed"].times())
		r.felt("replacing "+what, got, "sed")
		s := got[us]
		second := float64(time.Second)
		r.Goals = append(r.Goals, atMost(what, c.goal, ratio{s.median() / second, s.quantile(.25) / second, s.quantile(.75) / second}, "s"))
	}
	r.Tables = []table{files, places}
	return r, nil
}

// widely is what is edited: the texts of files before and after it, and a patch that makes one of the other.
type widely struct {
	was, want map[string]string
	patch     string
}

// manyFiles is a change of one line in each of n files.
func manyFiles(n int) widely {
	w := widely{was: map[string]string{}, want: map[string]string{}}
	p := patchLines(numbered(10), 1)
	var all strings.Builder
	for i := range n {
		name := fmt.Sprintf("d%d/f%d.txt", i/100, i)
		w.was[name], w.want[name] = p.was, p.want
		all.WriteString(strings.ReplaceAll(p.unified, "f.txt", name))
	}
	w.patch = all.String()
	return w
}

// manyPlaces is a change in so many lines of a file, and the size of the file.
func manyPlaces(lines, places int) (w widely, size int) {
	var was strings.Builder
	for i := range lines {
		name := "same"
		if i%(lines/places) == 0 {
			name = "old"
		}
		fmt.Fprintf(&was, "\tvalue_%07d = %s(%07d, %07d)\n", i, name, i+1, i+2)
	}
	text := was.String()
	return widely{was: map[string]string{"f.txt": text}, want: map[string]string{"f.txt": strings.ReplaceAll(text, "old(", "new_name(")}}, len(text)
}

// wide has patchls, with these arguments, and each of the shell's lines make the change, in a folder of its own.
func (e *env) wide(w widely, args []string, others map[string]string) (map[string]series, error) {
	if _, err := e.write("p.patch", w.patch); err != nil {
		return nil, err
	}
	who := []contestant{{name: us, run: func() (float64, error) { return e.wideOnce(w, us, e.patchls, args...) }}}
	for name, line := range others {
		if _, err := exec.LookPath(name); err == nil { // else it is among what is left out
			who = append(who, contestant{name: name, run: func() (float64, error) { return e.wideOnce(w, name, "sh", "-c", line) }})
		}
	}
	return contest(e.rounds(3, 1), who...)
}

func (e *env) wideOnce(w widely, who, program string, args ...string) (float64, error) {
	folder := filepath.Join(e.temp, "wide-"+who)
	if err := os.RemoveAll(folder); err != nil {
		return 0, err
	}
	for name, text := range w.was {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o700); err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return 0, err
		}
	}
	took, err := timeIn(folder, program, args...)
	if err != nil {
		return 0, err
	}
	for name, want := range w.want {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return 0, err
		}
		if string(got) != want {
			return 0, fmt.Errorf("%s made another text of %s", who, name)
		}
	}
	return took, nil
}

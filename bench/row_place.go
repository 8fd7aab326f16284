package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/patchls/patchls/edits"
	"github.com/patchls/patchls/edits/patch"
	"github.com/patchls/patchls/edits/place"
	"github.com/patchls/patchls/edits/text"
)

const jsdiff = "jsdiff"

// placeRow places the hunks of a patch whose line numbers are wrong.
func placeRow(e *env) (row, error) {
	lines, hunks, drift := 100_000, 500, 300
	if e.quick {
		lines, hunks = 10_000, 50
	}
	r := row{
		Title: "A patch for another text",
		About: fmt.Sprintf("A unified diff of %d hunks is read, placed and applied in process, on %s lines, of which %d are new at the top since the diff was made. "+
			"Beside it %s, in node, warm. The results are compared.", hunks, number(float64(lines)), drift, jsdiff),
		Why: "Half of the time is finding each hunk in the whole text, where the other takes the first place from the line number on. 500 hunks take one or two hundredths of a second.",
	}
	p := patchLines(numbered(lines), hunks)
	head := e.source.first(drift * 200)
	above := text.New(head)
	head = above.Slice(0, above.LineStart(drift))
	was, want := head+p.was, head+p.want
	open := text.New(was)
	who := []contestant{{name: us, run: func() (float64, error) { return placed(open, p.unified, want) }}}
	if e.peers.node != "" {
		other, end, err := e.otherPatch(was, p.unified, want)
		if err != nil {
			return r, err
		}
		defer end()
		for range 5 { // until node has compiled
			if _, err := other(); err != nil {
				return r, err
			}
		}
		who = append(who, contestant{name: jsdiff, run: other})
	}
	got, err := contest(e.rounds(15, 2), who...)
	if err != nil {
		return r, err
	}
	t := table{Columns: []string{"hunks", us, jsdiff}}
	t.add(fmt.Sprint(hunks), got[us].times(), got[jsdiff].times())
	r.Tables = []table{t}
	if len(got[jsdiff]) > 0 {
		r.Goals = append(r.Goals, atLeast(fmt.Sprintf("%d hunks, against %s", hunks, jsdiff), 10, got[jsdiff].over(got[us])))
	}
	return r, nil
}

// placed reads, places and applies a patch, and returns the nanoseconds that took.
func placed(t text.Text, unified, want string) (float64, error) {
	began := time.Now()
	p, err := patch.Parse(unified)
	if err != nil {
		return 0, err
	}
	plan, err := place.Plan(p.Files[0], edits.Source{Path: "f.txt", Text: t}, place.Options{})
	if err != nil {
		return 0, err
	}
	after := plan.Edits.Apply(t).String()
	took := time.Since(began)
	if after != want {
		err = errors.New("another text came of the patch")
	}
	return float64(took.Nanoseconds()), err
}

// otherPatch returns what has jsdiff apply the patch.
func (e *env) otherPatch(was, unified, want string) (run func() (float64, error), end func(), err error) {
	file, err := e.write("was.txt", was)
	if err != nil {
		return nil, nil, err
	}
	diff, err := e.write("was.patch", unified)
	if err != nil {
		return nil, nil, err
	}
	cmd, ends, err := spawn(nil, e.peers.node, filepath.Join(e.peers.folder, "patch.mjs"), file, diff)
	if err != nil {
		return nil, nil, err
	}
	said, hash := bufio.NewReader(ends), fmt.Sprintf("%x", sha256.Sum256([]byte(want)))
	return func() (float64, error) {
			if _, err := ends.Write([]byte("\n")); err != nil {
				return 0, err
			}
			var took float64
			var got string
			line, err := said.ReadString('\n')
			if err == nil {
				_, err = fmt.Sscan(line, &took, &got)
			}
			if err == nil && got != hash {
				err = fmt.Errorf("%s made another text", jsdiff)
			}
			return took, err
		}, func() {
			_ = ends.Close()
			_ = cmd.Wait() // it ends with its input
		}, nil
}

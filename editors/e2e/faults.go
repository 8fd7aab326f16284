//go:build unix

package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// faultLines are what editors are known to get wrong, one in each line: the editor, the
// check as CASE/ASPECT, and what happens and why.
//
//go:embed testdata/faults.txt
var faultLines string

type fault struct{ editor, what, why string }

func readFaults(lines string) ([]fault, error) {
	var faults []fault
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 {
			return nil, fmt.Errorf("faults.txt: %q needs an editor, CASE/ASPECT, and why", line)
		}
		faults = append(faults, fault{words[0], words[1], strings.TrimSpace(words[2])})
	}
	return faults, nil
}

// judged is the result of a run, compared with the known faults.
type judged struct {
	cases, passed int
	recorded      int      // known faults that occurred
	news          []string // what fails the run
}

// judge counts the cases of an editor. A case passes if just those checks failed that are
// recorded as faults.
func judge(editor string, runs []caseRun, faults []fault) judged {
	var j judged
	for _, r := range runs {
		news := j.judgeCase(editor, r, faults)
		j.news = append(j.news, news...)
		if j.cases++; len(news) == 0 {
			j.passed++
		}
	}
	return j
}

func (j *judged) judgeCase(editor string, r caseRun, faults []fault) []string {
	failed := map[string]string{}
	for _, c := range r.Checks {
		if c.Why != "" {
			failed[key(c.What)] = c.Why
		}
	}
	var news []string
	for _, f := range faults {
		if f.editor != editor || !strings.HasPrefix(f.what, r.Name+"/") {
			continue
		}
		if failed[f.what] == "" {
			news = append(news, fmt.Sprintf("%s %s: is recorded as a fault (%s) and did not come; take it out of faults.txt", editor, f.what, f.why))
			continue
		}
		delete(failed, f.what)
		j.recorded++
	}
	for what, why := range failed {
		news = append(news, fmt.Sprintf("%s %s: %s", editor, what, why))
	}
	slices.Sort(news)
	return news
}

// key is the name of a check without blanks.
func key(what string) string { return strings.ReplaceAll(what, " ", "-") }

//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFaultsAreOfEditorsAndCasesThatThereAre(t *testing.T) {
	faults, err := readFaults(faultLines)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if _, err := kindNamed(f.editor); err != nil {
			t.Error(err)
		}
		name, _, _ := strings.Cut(f.what, "/")
		if !slices.ContainsFunc(cases, func(c testCase) bool { return c.name == name }) {
			t.Errorf("%s %s: there is no case %s", f.editor, f.what, name)
		}
	}
}

func TestJudge(t *testing.T) {
	faults, err := readFaults("# why\n\nvi undo/one-step merges what was typed\nvi save/disk adds a newline\ned undo/one-step has none\n")
	if err != nil {
		t.Fatal(err)
	}
	passed := caseRun{Name: "undo", Checks: []check{{What: "undo/text"}, {What: "undo/one step"}}}
	failed := caseRun{Name: "undo", Checks: []check{{What: "undo/text"}, {What: "undo/one step", Why: "both went"}}}
	other := caseRun{Name: "undo", Checks: []check{{What: "undo/text", Why: "it is gone"}, {What: "undo/one step", Why: "both went"}}}
	for name, test := range map[string]struct {
		editor           string
		run              caseRun
		passed, recorded int
		news             string
	}{
		"all is well":          {"nano", passed, 1, 0, ""},
		"a known fault":        {"vi", failed, 1, 1, ""},
		"a new fault":          {"nano", failed, 0, 0, "nano undo/one-step: both went"},
		"another beside it":    {"vi", other, 0, 1, "vi undo/text: it is gone"},
		"a fault that is gone": {"vi", passed, 0, 0, "did not come"},
	} {
		t.Run(name, func(t *testing.T) {
			j := judge(test.editor, []caseRun{test.run}, faults)
			if j.cases != 1 || j.passed != test.passed || j.recorded != test.recorded {
				t.Errorf("%+v", j)
			}
			if news := strings.Join(j.news, "\n"); (news == "") != (test.news == "") || !strings.Contains(news, test.news) {
				t.Errorf("news %q, want %q", news, test.news)
			}
		})
	}
}

func TestAFaultNeedsItsReason(t *testing.T) {
	if _, err := readFaults("vi undo/one-step\n"); err == nil {
		t.Error("a line without a reason is taken")
	}
}

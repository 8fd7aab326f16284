package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/chance"
)

const (
	simSteps     = 8_000 // of all runs together, see TestSim
	simRunSteps  = 100
	simShrinking = 20 * time.Second
)

// TestSim lets agents and a person edit the same documents in editors of all
// kinds, and holds server and answers to what the editor really had. PATCHLS_SEED
// repeats a run of the test, PATCHLS_SIM_STEPS makes it longer. With PATCHLS_SIM_KEEP it
// goes on after a failure, and leaves the trace of each in that folder.
func TestSim(t *testing.T) {
	seed := chance.Seed(t)
	runs := chance.Cases(t, "PATCHLS_SIM_STEPS", simSteps) / simRunSteps
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		t.Logf("%d verified answers were for a change of the user's that nobody can tell from the edit; %d were not settled for that", simExempted.Load(), simDoubts.Load())
		t.Logf("other programs wrote %d times: %d merges, %d questions, %d messages, saved over by %d answers that it was merged; %d times the file may not have been known",
			simWrites.Load(), simMerges.Load(), simQuestions.Load(), simTold.Load(), simSavedOver.Load(), simLeft.Load())
	}()
	for n := range runs {
		e := simEditors[int(n)%len(simEditors)]
		run := simRun{editor: e.name, seed: r.Uint64N(1 << 30), steps: drawSteps(r, simRunSteps)}
		if o := simulate(t, run); o.failed != nil {
			trace := reportSim(t, run, o)
			keep := os.Getenv("PATCHLS_SIM_KEEP")
			if keep == "" {
				return
			}
			writeFile(t, filepath.Join(keep, fmt.Sprintf("%s-%s-%d.txt", o.failed.rule, run.editor, run.seed)), trace)
		}
	}
}

// reportSim prints a run that failed, as short as it can be made.
func reportSim(t *testing.T, run simRun, o simOutcome) (trace string) {
	t.Helper()
	rule := o.failed.rule
	run.steps = run.steps[:min(len(run.steps), o.step+1)]
	small := shrink(run, func(less simRun) bool {
		o := simulate(t, less)
		return o.failed != nil && o.failed.rule == rule
	}, simShrinking)
	again := simulate(t, small)
	if again.failed == nil {
		again, small = o, run
	}
	trace = again.print(small)
	t.Errorf("%s\n%s", again.failed, trace)
	return trace
}

// TestSimTraces repeats runs that failed once.
func TestSimTraces(t *testing.T) {
	files, err := filepath.Glob("../testdata/sim/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range chance.Sample(files) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			run, err := parseSim(string(raw))
			if err != nil {
				t.Fatal(err)
			}
			if o := simulate(t, run); o.failed != nil {
				t.Errorf("%s\n%s", o.failed, o.print(run))
			}
		})
	}
}

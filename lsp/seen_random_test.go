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
	seenSteps     = 12_000 // of all runs together, see TestSeenAtRandom
	seenRunSteps  = 120
	seenShrinking = 8 * time.Second
)

// TestSeenAtRandom lets agents edit what the user, other programs and each other change meanwhile. Each agent is a
// model that knows only what it was really shown, or has written: see [seenAgent]. What was never shown to it must
// stay, or its command must be refused. PATCHLS_SEED repeats a run of the test, PATCHLS_SEEN_STEPS makes it longer.
func TestSeenAtRandom(t *testing.T) {
	seed := chance.Seed(t)
	runs := chance.Number(t, "PATCHLS_SEEN_STEPS", seenSteps) / seenRunSteps
	if testing.Short() {
		runs /= 10
	}
	var all seenCounts
	defer func() { t.Log(&all) }()
	r := rand.New(rand.NewPCG(seed, 0))
	for n := range runs {
		run := simRun{editor: seenEditors[int(n)%len(seenEditors)], seed: r.Uint64N(1 << 30), steps: drawSeen(r, seenRunSteps)}
		o, counts := simulateSeen(t, run)
		all.add(counts)
		if o.failed == nil {
			continue
		}
		trace := reportSeen(t, run, o)
		keep := os.Getenv("PATCHLS_SIM_KEEP")
		if keep == "" {
			return
		}
		writeFile(t, filepath.Join(keep, fmt.Sprintf("seen-%s-%d.txt", o.failed.rule, run.seed)), trace)
	}
}

// reportSeen prints a run that failed, as short as it can be made.
func reportSeen(t *testing.T, run simRun, o simOutcome) (trace string) {
	t.Helper()
	rule := o.failed.rule
	run.steps = run.steps[:min(len(run.steps), o.step+1)]
	small := shrink(run, func(less simRun) bool {
		o, _ := simulateSeen(t, less)
		return o.failed != nil && o.failed.rule == rule
	}, seenShrinking)
	again, _ := simulateSeen(t, small)
	if again.failed == nil {
		again, small = o, run
	}
	trace = again.print(small)
	t.Errorf("%s\n%s", again.failed, trace)
	return trace
}

// TestSeenTraces repeats runs that failed once.
func TestSeenTraces(t *testing.T) {
	files, err := filepath.Glob("../testdata/seen/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d traces: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			run, err := parseSim(string(raw))
			if err != nil {
				t.Fatal(err)
			}
			if o, _ := simulateSeen(t, run); o.failed != nil {
				t.Errorf("%s\n%s", o.failed, o.print(run))
			}
		})
	}
}

// seenEditors are the editors that take part: all apply an edit only to the version that it is for.
var seenEditors = []string{"headless", "vscode", "neovim"}

var seenUserDoes = simWeights{
	{"add", 30}, {"change", 25}, {"delete", 15}, {"move", 10}, {"indent", 5}, {"noise", 8}, {"undo", 8}, {"redo", 3}, {"save", 10}, {"close", 2}, {"open", 5},
}

var seenAgentsDo = simWeights{
	{"view", 22}, {"look", 8}, {"replace", 14}, {"lines", 22}, {"insert", 10}, {"equal", 20}, {"write", 30}, {"undo", 4}, {"cat", 5}, {"sed", 4}, {"again", 8}, {"reconnect", 1},
}

// drawSeen draws a run of n steps.
func drawSeen(r *rand.Rand, n int) []simStep {
	docs := r.Perm(len(seenNames))[:1+r.IntN(2)]
	agents := 1 + r.IntN(6)
	steps := make([]simStep, n)
	for i := range steps {
		s := simStep{doc: docs[r.IntN(len(docs))], n: r.Uint32N(1 << 20)}
		switch x := r.IntN(100); {
		case x < 34:
			s.who, s.op = "user", seenUserDoes.draw(r)
		case x < 37:
			s.who, s.op = "disk", "write"
		case x < 92:
			s.who, s.op = fmt.Sprintf("a%d", 1+r.IntN(agents)), seenAgentsDo.draw(r)
		case x < 99:
			s.who, s.op, s.doc, s.n = "time", "sleep", 0, simPause(r)
		default:
			s.who, s.op, s.doc, s.n = "time", "restart", 0, 0
		}
		steps[i] = s
	}
	return steps
}

// seenCounts says what came of the commands of all runs.
type seenCounts struct {
	commands, made, stale, others, merged int
	forgotten, kept, revived              int // lines, of whole texts
}

func (c *seenCounts) add(d seenCounts) {
	c.commands += d.commands
	c.made += d.made
	c.stale += d.stale
	c.others += d.others
	c.merged += d.merged
	c.forgotten += d.forgotten
	c.kept += d.kept
	c.revived += d.revived
}

func (c *seenCounts) String() string {
	return fmt.Sprintf("%d edits: %d made, %d of them merged or carried over; %d (%.1f%%) stale, %d refused for other reasons; of lines, %d went that their agent had put out of its mind, %d stayed that were to go, %d came back",
		c.commands, c.made, c.merged, c.stale, 100*float64(c.stale)/float64(max(1, c.commands)), c.others, c.forgotten, c.kept, c.revived)
}

// TestSeenRepeats: the same steps are the same run, to the last answer and text.
func TestSeenRepeats(t *testing.T) {
	for n := range uint64(3) {
		run := simRun{editor: seenEditors[n], seed: n, steps: drawSeen(rand.New(rand.NewPCG(n, 1)), seenRunSteps)}
		first, _ := simulateSeen(t, run)
		again, _ := simulateSeen(t, run)
		for i := range min(len(first.remarks), len(again.remarks)) {
			if first.remarks[i] != again.remarks[i] {
				t.Errorf("%s: step %d, %v, came to\n%s\nand then to\n%s", run.editor, i, run.steps[i], first.remarks[i], again.remarks[i])
				break
			}
		}
	}
}

package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// simStep is one thing that happens in a simulation: "user type 1 8127" or "a3
// patch 0 99" or "time sleep 0 250". All that is left open is drawn from n, so a
// step means the same again whatever steps are around it.
type simStep struct {
	who string // user, disk, time, or a1 to a8
	op  string
	doc int // of simNames
	n   uint32
}

func (s simStep) String() string { return fmt.Sprintf("%s %s %d %d", s.who, s.op, s.doc, s.n) }

func (s simStep) rand() *rand.Rand { return rand.New(rand.NewPCG(uint64(s.n), 0)) }

// simRun is a simulation that can be done again.
type simRun struct {
	editor string
	seed   uint64 // of the editor
	steps  []simStep
}

func (r simRun) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "editor %s %d\n", r.editor, r.seed)
	for _, s := range r.steps {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}

// parseSim reads what [simRun.String] prints; what follows a # is a remark.
func parseSim(s string) (simRun, error) {
	var r simRun
	for line := range strings.Lines(s) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		var step simStep
		var err error
		switch {
		case line == "":
			continue
		case r.editor == "":
			_, err = fmt.Sscanf(line, "editor %s %d", &r.editor, &r.seed)
		default:
			_, err = fmt.Sscanf(line, "%s %s %d %d", &step.who, &step.op, &step.doc, &step.n)
			r.steps = append(r.steps, step)
		}
		if err != nil {
			return r, fmt.Errorf("%q: %w", line, err)
		}
	}
	return r, nil
}

// simWeights say how often each thing is done.
type simWeights []struct {
	op     string
	weight int
}

var simUserDoes = append(simWeights{
	{"type", 40}, {"del", 14}, {"paste", 4}, {"undo", 9}, {"redo", 5}, {"save", 7}, {"reload", 1}, {"close", 2}, {"open", 4},
}, simUserActs...)

// simUserActs are the acts of the user that may be several changes.
var simUserActs = simWeights{
	{"join", 12}, {"reflow", 5}, {"move", 8}, {"swap", 5}, {"copy", 3}, {"cut", 4}, {"put", 4}, {"indent", 3}, {"sort", 2}, {"filter", 4},
	{"block", 3}, {"subst", 2}, {"global", 1}, {"format", 2}, {"multi", 2}, {"snippet", 2}, {"enter", 3},
}

var simAgentsDo = simWeights{
	{"view", 24}, {"str_replace", 22}, {"insert", 12}, {"delete_lines", 8}, {"edit_lines", 18}, {"patch", 14}, {"patches", 10},
	{"write", 4}, {"create", 4}, {"read", 6}, {"patch_lines", 6}, {"patch_text", 5}, {"undo", 12}, {"undo_path", 5}, {"revert", 6}, {"cancel", 5},
}

func (w simWeights) draw(r *rand.Rand) string {
	all := 0
	for _, x := range w {
		all += x.weight
	}
	n := r.IntN(all)
	for _, x := range w {
		if n -= x.weight; n < 0 {
			return x.op
		}
	}
	panic("the weights do not add up")
}

// drawSteps draws a run of n steps. Most of it is in two documents, so that edits
// meet.
func drawSteps(r *rand.Rand, n int) []simStep {
	docs := r.Perm(simNewDoc)[:2+r.IntN(2)] // and the one that is new
	agents := 1 + r.IntN(8)
	written := r.IntN(3) > 0 // by other programs, too
	if written {
		docs[0] = simLongDoc
	}
	steps := make([]simStep, n)
	for i := range steps {
		s := simStep{doc: docs[r.IntN(len(docs))], n: r.Uint32N(1 << 20)}
		if r.IntN(25) == 0 {
			s.doc = simNewDoc
		}
		before := &simStep{}
		if i > 0 {
			before = &steps[i-1]
		}
		switch x := r.IntN(100); {
		case written && r.IntN(5) == 0:
			s.who, s.op = "disk", simProgramsDo.draw(r)
		case strings.HasPrefix(before.who, "a") && x < 14: // where an agent is at
			s.who, s.op, s.doc = "user", simUserActs.draw(r), before.doc
		case x < 28:
			s.who, s.op = "user", simUserDoes.draw(r)
		case x < 74:
			s.who, s.op = fmt.Sprintf("a%d", 1+r.IntN(agents)), simAgentsDo.draw(r)
		case x < 97:
			s.who, s.op, s.doc, s.n = "time", "sleep", 0, simPause(r)
		default:
			s.who, s.op, s.doc, s.n = "time", "settle", 0, 0
		}
		steps[i] = s
	}
	return steps
}

// simPause draws a number of milliseconds, mostly a small one.
func simPause(r *rand.Rand) uint32 {
	longest := []uint32{3, 20, 200, 500, 3000}
	return 1 + r.Uint32N(longest[r.IntN(len(longest))])
}

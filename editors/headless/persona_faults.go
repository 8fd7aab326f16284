package headless

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Faults are what a hostile editor does, each with its own probability from 0 to
// 1. Those of edits are drawn for each applyEdit, those of changes for each change
// of a buffer, whoever made it. One seed and one order of events give one result.
type Faults struct {
	// Of edits. Ignored: nothing is done and no answer ever comes. Silent: the edit
	// is made and no answer ever comes.
	Ignored, Silent float64
	// SlowEdit and SlowAnswer: the edit, or only its answer, comes up to SlowBy late.
	SlowEdit, SlowAnswer float64
	SlowBy               time.Duration
	// SaysNo: the edit is made, and the answer is no. SaysYes: the other way round.
	SaysNo, SaysYes float64

	// Of changes. The version jumps by more than one, stays what it was, or falls.
	VersionJumps, VersionRepeats, VersionFalls float64
	// Lost: the didChange is never written. The version has grown all the same.
	Lost float64
	// Reopens: the document is closed and opened again after the change.
	Reopens float64
}

// diceOf returns what a persona does by chance: the same for the same seed.
func diceOf(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream)) //nolint:gosec // it is to repeat, not to be secret
}

// draw returns true with a probability.
func draw(dice *rand.Rand, probability float64) bool {
	return probability > 0 && dice.Float64() < probability
}

// editFaults are those of one applyEdit.
type editFaults struct {
	ignored, silent, no, yes bool
	beforeEdit, beforeAnswer time.Duration
}

// drawEdit draws the faults of the next edit.
func (e *Editor) drawEdit() (f editFaults) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := &e.opts.Persona.Faults
	late := func(probability float64) time.Duration {
		if !draw(e.dice, probability) || p.SlowBy <= 0 {
			return 0
		}
		return 1 + time.Duration(e.dice.Int64N(int64(p.SlowBy)))
	}
	f.ignored, f.silent = draw(e.dice, p.Ignored), draw(e.dice, p.Silent)
	f.no, f.yes = draw(e.dice, p.SaysNo), draw(e.dice, p.SaysYes)
	f.beforeEdit, f.beforeAnswer = late(p.SlowEdit), late(p.SlowAnswer)
	return f
}

// suffer performs an edit with the faults that are drawn for it.
func (e *Editor) suffer(ctx context.Context, r *reply, p *ApplyEditParams) ApplyEditResult {
	f := e.drawEdit()
	if f.ignored {
		return e.silence(r)
	}
	if err := sleep(ctx, f.beforeEdit); err != nil {
		return ApplyEditResult{err: err}
	}
	result := ApplyEditResult{Applied: true}
	if !f.yes {
		result = e.perform(ctx, r, p)
	}
	switch {
	case f.silent:
		return e.silence(r)
	case f.no:
		result = e.refusal(nil, errors.New("no"))
	}
	r.pass()
	if err := sleep(ctx, f.beforeAnswer); err != nil {
		return ApplyEditResult{err: err}
	}
	return result
}

// silence leaves a request without an answer until the connection ends.
func (e *Editor) silence(r *reply) ApplyEditResult {
	r.pass()
	<-e.base.Done()
	return ApplyEditResult{err: e.base.Err()}
}

// faultyVersion returns the version of a buffer's next state.
func (b *Buffer) faultyVersion(before, after int32) int32 {
	p := &b.e.opts.Persona.Faults
	switch {
	case draw(b.dice, p.VersionJumps):
		return after + 1 + b.dice.Int32N(9)
	case draw(b.dice, p.VersionRepeats):
		return before
	case draw(b.dice, p.VersionFalls):
		return max(0, before-1-b.dice.Int32N(3))
	}
	return after
}

package personas

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// Faults are the misbehaviors of a hostile editor, each with a probability from 0 to 1. Those of
// edits are drawn for each applyEdit, those of changes for each change of a buffer, by the user or
// by an edit. The same seed and order of events give the same faults.
type Faults struct {
	// Of edits. Ignored: nothing is done and no answer ever comes. Silent: the edit
	// is made and no answer ever comes.
	Ignored, Silent float64
	// SlowEdit and SlowAnswer: the edit, or only its answer, comes up to SlowBy late.
	SlowEdit, SlowAnswer float64
	SlowBy               time.Duration
	// SaysNo: the edit is made, and the answer is no. SaysYes: the other way round.
	SaysNo, SaysYes float64
	// Wrong: the edit is made wrong, in this Way, or in any if that is nil.
	Wrong float64
	Way   *Wrong

	// Of changes. The version jumps by more than one, stays what it was, or falls.
	VersionJumps, VersionRepeats, VersionFalls float64
	// Lost: the didChange is never written. The version has grown all the same.
	Lost float64
	// Reopens: the document is closed and opened again after the change.
	Reopens float64
}

// diceOf returns what a persona does by chance: the same for the same seed.
func diceOf(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream))
}

// draw returns true with a probability.
func draw(dice *rand.Rand, probability float64) bool {
	return probability > 0 && dice.Float64() < probability
}

// editFaults are those of one applyEdit.
type editFaults struct {
	ignored, silent, no, yes bool
	wrong                    *Wrong // nil if it is made right
	beforeEdit, beforeAnswer time.Duration
}

// drawEdit draws the faults of the next edit.
func (q *quirks) drawEdit() (f editFaults) {
	q.e.Lock()
	defer q.e.Unlock()
	p := &q.Faults
	late := func(probability float64) time.Duration {
		if !draw(q.dice, probability) || p.SlowBy <= 0 {
			return 0
		}
		return 1 + time.Duration(q.dice.Int64N(int64(p.SlowBy)))
	}
	f.ignored, f.silent = draw(q.dice, p.Ignored), draw(q.dice, p.Silent)
	f.no, f.yes = draw(q.dice, p.SaysNo), draw(q.dice, p.SaysYes)
	if draw(q.dice, p.Wrong) {
		if f.wrong = p.Way; f.wrong == nil {
			f.wrong = new(Wrong(q.dice.IntN(int(wrongs))))
		}
	}
	f.beforeEdit, f.beforeAnswer = late(p.SlowEdit), late(p.SlowAnswer)
	return f
}

// suffer performs an edit with the faults that are drawn for it.
func (q *quirks) suffer(ctx context.Context, r *reply, p *headless.ApplyEditParams) headless.ApplyEditResult {
	f := q.drawEdit()
	if f.ignored {
		return q.silence(r)
	}
	if err := sleep(ctx, f.beforeEdit); err != nil {
		return headless.ApplyEditResult{Err: err}
	}
	if f.wrong != nil {
		p = q.err(*f.wrong, p)
	}
	result := headless.ApplyEditResult{Applied: true}
	if !f.yes {
		result = q.comply(ctx, r, p)
	}
	switch {
	case f.silent:
		return q.silence(r)
	case f.no:
		result = q.refusal(nil, errors.New("no"))
	}
	r.Pass()
	if err := sleep(ctx, f.beforeAnswer); err != nil {
		return headless.ApplyEditResult{Err: err}
	}
	return result
}

// silence leaves a request without an answer until the connection ends.
func (q *quirks) silence(r *reply) headless.ApplyEditResult {
	r.Pass()
	<-q.e.Done()
	return headless.ApplyEditResult{Err: headless.ErrServerGone}
}

// faultyVersion returns the version of a buffer's next state.
func (d *document) faultyVersion(before, after int32) int32 {
	p := &d.q.Faults
	switch {
	case draw(d.dice, p.VersionJumps):
		return after + 1 + d.dice.Int32N(9)
	case draw(d.dice, p.VersionRepeats):
		return before
	case draw(d.dice, p.VersionFalls):
		return max(0, before-1-d.dice.Int32N(3))
	}
	return after
}

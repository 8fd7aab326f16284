package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// comply does a workspace/applyEdit as the persona does, with the questions to
// the person and what there is to wait for before the answer.
func (q *quirks) comply(ctx context.Context, r *reply, p *ApplyEditParams) ApplyEditResult {
	habits := &q.Edits
	if habits.NullRefused && hasNull(p.raw) {
		return q.refusal(nil, errors.New("attempt to index a userdata value"))
	}
	p, err := q.ask(ctx, p)
	switch {
	case err != nil && ctx.Err() != nil:
		return ApplyEditResult{err: ctx.Err()}
	case err != nil:
		return q.refusal(nil, err)
	}
	if habits.Order == AnswerBeforeEdit {
		r.after(func() { q.apply(r, p) })
		return ApplyEditResult{Applied: true}
	}
	result := q.apply(r, p)
	if habits.Synced && result.Applied {
		q.synced(ctx, p)
	}
	return result
}

// apply is Editor.apply with the persona's habits.
func (q *quirks) apply(r *reply, p *ApplyEditParams) ApplyEditResult {
	q.e.mu.Lock()
	defer q.e.mu.Unlock()
	q.reply, q.hold, q.cut, q.versions = r, q.answersFirst(), map[*target]bool{}, nil
	if at, err := q.carryOut(q.e.newPlan(p)); err != nil {
		return q.refusal(at, err)
	}
	return ApplyEditResult{Applied: true, Versions: q.versions}
}

// answersFirst says whether the didChanges of an edit wait for its answer. It
// needs q.e.mu.
func (q *quirks) answersFirst() bool {
	switch q.Edits.Order {
	case AnswerFirst:
		return true
	case EitherFirst:
		return q.dice.IntN(2) == 0
	case ChangeFirst, AnswerBeforeEdit:
	}
	return false
}

// errDeclined: the person said no.
var errDeclined = errors.New("decision to decline")

// refusal is the answer to an edit that came to err at the documentChange at.
func (q *quirks) refusal(at *uint32, err error) ApplyEditResult {
	habits := &q.Edits
	if habits.AlwaysYes {
		return ApplyEditResult{Applied: true}
	}
	reason := err.Error()
	var stale *staleError
	asError := habits.No == NoError && !errors.Is(err, errDeclined)
	switch {
	case errors.As(err, &stale) && (asError || habits.Stale == StaleError):
		reason = fmt.Sprintf("require version %d, you have %d", stale.want, stale.have)
		fallthrough
	case asError:
		return ApplyEditResult{err: jsonrpc2.NewError(jsonrpc2.InternalError, reason)}
	case habits.No != NoFalse:
		raw, _ := encode(map[string]any{"applied": nil, "failureReason": reason})
		return ApplyEditResult{FailureReason: reason, Raw: json.RawMessage(raw)}
	}
	if habits.WithoutReason {
		reason = ""
	}
	if habits.WithoutIndex {
		at = nil
	}
	return ApplyEditResult{FailureReason: reason, FailedChange: at}
}

// hasNull reports whether a member of a workspace edit is null, other than
// version.
func hasNull(raw json.RawMessage) bool {
	var v any
	_ = json.Unmarshal(raw, &v)
	return nullIn(v)
}

func nullIn(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil && name != "version" || nullIn(member) {
				return true
			}
		}
	case []any:
		for _, member := range v {
			if member == nil || nullIn(member) {
				return true
			}
		}
	}
	return false
}

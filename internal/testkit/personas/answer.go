package personas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// comply does a workspace/applyEdit as the persona does, with the questions to
// the user and what there is to wait for before the answer.
func (q *quirks) comply(ctx context.Context, r *reply, p *headless.ApplyEditParams) headless.ApplyEditResult {
	habits := &q.Edits
	if habits.NullRefused && hasNull(p.Raw) {
		return q.refusal(nil, errors.New("attempt to index a userdata value"))
	}
	p, err := q.ask(ctx, p)
	switch {
	case err != nil && ctx.Err() != nil:
		return headless.ApplyEditResult{Err: ctx.Err()}
	case err != nil:
		return q.refusal(nil, err)
	}
	if habits.Order == AnswerBeforeEdit {
		r.after(func() { q.apply(r, p) })
		return headless.ApplyEditResult{Applied: true}
	}
	result := q.apply(r, p)
	if habits.Synced && result.Applied {
		q.synced(ctx, p)
	}
	return result
}

// answersFirst says whether the didChanges of an edit wait for its answer.
func (q *quirks) answersFirst() bool {
	q.e.Lock()
	defer q.e.Unlock()
	switch q.Edits.Order {
	case AnswerFirst:
		return true
	case EitherFirst:
		return q.dice.IntN(2) == 0
	case ChangeFirst, AnswerBeforeEdit:
	}
	return false
}

// errDeclined: the user said no.
var errDeclined = errors.New("decision to decline")

// refusal returns the answer to an edit that failed with err at the documentChange at.
func (q *quirks) refusal(at *uint32, err error) headless.ApplyEditResult {
	habits := &q.Edits
	if habits.AlwaysYes {
		return headless.ApplyEditResult{Applied: true}
	}
	reason := err.Error()
	var stale *staleError
	asError := habits.No == NoError && !errors.Is(err, errDeclined)
	switch {
	case errors.As(err, &stale) && (asError || habits.Stale == StaleError):
		reason = fmt.Sprintf("require version %d, you have %d", stale.want, stale.have)
		fallthrough
	case asError:
		return headless.ApplyEditResult{Err: jsonrpc2.NewError(jsonrpc2.InternalError, reason)}
	case habits.No != NoFalse:
		raw, _ := json.Marshal(map[string]any{"applied": nil, "failureReason": reason})
		return headless.ApplyEditResult{FailureReason: reason, Raw: raw}
	}
	if habits.WithoutReason {
		reason = ""
	}
	if habits.WithoutIndex {
		at = nil
	}
	return headless.ApplyEditResult{FailureReason: reason, FailedChange: at}
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

// ask asks the user the persona's questions about an edit, and returns the part of the
// edit that the user accepted.
func (q *quirks) ask(ctx context.Context, p *headless.ApplyEditParams) (*headless.ApplyEditParams, error) {
	if uri, ok := q.unvisited(p); ok {
		if yes, err := q.question(ctx, Question{URI: uri}); err != nil || !yes {
			return nil, errors.Join(err, errDeclined)
		}
	}
	habit := q.Edits.Confirm
	if habit == ConfirmIgnored {
		return p, nil
	}
	var annotated struct { // the parts of the edit that the embedded editor has no use for
		DocumentChanges []struct {
			Edits []struct{ AnnotationID string }
		}
		ChangeAnnotations map[string]struct{ NeedsConfirmation bool }
	}
	if err := json.Unmarshal(p.Raw, &annotated); err != nil {
		return nil, err
	}
	left := *p
	left.Edit.DocumentChanges = nil
	for i, c := range p.Edit.DocumentChanges {
		kept := c.Edits[:0:0]
		for k, te := range c.Edits {
			id := annotated.DocumentChanges[i].Edits[k].AnnotationID
			annotation, known := annotated.ChangeAnnotations[id]
			if id != "" && !known && habit == ConfirmSkipped {
				return nil, errors.New("attempt to index a nil value (field '?')")
			}
			if annotation.NeedsConfirmation {
				switch yes, err := q.question(ctx, Question{URI: c.TextDocument.URI, Confirm: true}); {
				case err != nil:
					return nil, err
				case !yes && habit == ConfirmAsked:
					return nil, errDeclined
				case !yes:
					continue
				}
			}
			kept = append(kept, te)
		}
		if c.Kind != "" || len(kept) > 0 || len(c.Edits) == 0 {
			c.Edits = kept
			left.Edit.DocumentChanges = append(left.Edit.DocumentChanges, c)
		}
	}
	return &left, nil
}

// unvisited returns the first document of an edit that is a file and not open, if
// the persona asks about those.
func (q *quirks) unvisited(p *headless.ApplyEditParams) (string, bool) {
	if !q.Files.Asks {
		return "", false
	}
	for _, c := range p.Edit.DocumentChanges {
		if _, open := q.e.Buffer(c.TextDocument.URI); c.Kind == "" && !open {
			return c.TextDocument.URI, true
		}
	}
	return "", false
}

// question asks the user and waits for the answer, which is a key pressed. The
// error is ctx's.
func (q *quirks) question(ctx context.Context, about Question) (yes bool, err error) {
	var takes time.Duration
	yes = true
	if q.User != nil {
		takes, yes = q.User(about)
	}
	err = sleep(ctx, takes)
	q.e.Lock()
	defer q.e.Unlock()
	q.lastInput = time.Now()
	return yes, err
}

// sleep returns after d, or with ctx's error when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

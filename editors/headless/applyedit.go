package headless

import (
	"context"
	"encoding/json"
	"errors"
)

// applyEdit answers workspace/applyEdit.
func (e *Editor) applyEdit(ctx context.Context, params json.RawMessage) (any, error) {
	const method = "workspace/applyEdit"
	var p ApplyEditParams
	var has struct {
		Edit json.RawMessage `json:"edit"`
	}
	if err := json.Unmarshal(params, &has); err != nil {
		return nil, badParams(method, err)
	}
	if has.Edit == nil {
		return nil, badParams(method, errors.New("no edit"))
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, badParams(method, err)
	}
	select { // a server must not ask before initialized, but one may
	case <-e.ready:
	case <-e.base.Done():
	}
	if ctx.Err() != nil { // taken back while it waited for its turn
		return nil, errCancelled
	}
	result, err := e.decide(ctx, &p)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = errCancelled
		}
		return nil, err
	}
	if result.Raw != nil {
		return result.Raw, nil
	}
	return result, nil
}

func (e *Editor) decide(ctx context.Context, p *ApplyEditParams) (ApplyEditResult, error) {
	if e.opts.ApplyEdit != nil {
		return e.opts.ApplyEdit(ctx, e, p, e.apply)
	}
	return e.apply(p), nil
}

// apply does what a compliant editor does: everything is planned first, then
// all of it is done under one lock, so no document changes if one may not. The
// didChange of every document is written before it returns.
func (e *Editor) apply(p *ApplyEditParams) ApplyEditResult {
	e.mu.Lock()
	defer e.mu.Unlock()
	todo := plan{e: e, targets: map[string]*target{}}
	if at, err := todo.check(p.Edit); err != nil {
		return ApplyEditResult{FailureReason: err.Error(), FailedChange: at}
	}
	todo.commit(p.Label)
	return ApplyEditResult{Applied: true}
}

package headless

import (
	"context"
	"encoding/json"
	"errors"
)

// applyEdit answers workspace/applyEdit.
func (e *Editor) applyEdit(ctx context.Context, r *Request, params json.RawMessage) (any, error) {
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
	p.Raw = has.Edit
	select { // a server must not ask before initialized, but one may
	case <-e.ready:
	case <-e.base.Done():
	}
	if ctx.Err() != nil { // taken back while it waited for its turn
		return nil, errCancelled
	}
	result, err := e.decide(ctx, r, &p)
	if err == nil {
		err = result.Err
	}
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

func (e *Editor) decide(ctx context.Context, r *Request, p *ApplyEditParams) (ApplyEditResult, error) {
	if e.opts.ApplyEdit != nil {
		return e.opts.ApplyEdit(ctx, e, p, func(p *ApplyEditParams) ApplyEditResult { return e.habits.Apply(ctx, r, p) })
	}
	return e.habits.Apply(ctx, r, p), nil
}

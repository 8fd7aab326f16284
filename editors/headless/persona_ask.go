package headless

import (
	"context"
	"errors"
	"time"
)

// ask puts the questions to the person that the persona has about an edit, and
// returns what is left of it.
func (q *quirks) ask(ctx context.Context, p *ApplyEditParams) (*ApplyEditParams, error) {
	if uri, ok := q.unvisited(p); ok {
		if yes, err := q.question(ctx, Question{URI: uri}); err != nil || !yes {
			return nil, errors.Join(err, errDeclined)
		}
	}
	habit := q.Edits.Confirm
	if habit == ConfirmIgnored {
		return p, nil
	}
	left := *p
	left.Edit.DocumentChanges = nil
	for _, c := range p.Edit.DocumentChanges {
		kept := c.Edits[:0:0]
		for _, te := range c.Edits {
			annotation, known := p.Edit.ChangeAnnotations[te.AnnotationID]
			if te.AnnotationID != "" && !known && habit == ConfirmSkipped {
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
func (q *quirks) unvisited(p *ApplyEditParams) (string, bool) {
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

// question asks the person and waits for the answer, which is a key pressed. The
// error is ctx's.
func (q *quirks) question(ctx context.Context, about Question) (yes bool, err error) {
	var takes time.Duration
	yes = true
	if q.Person != nil {
		takes, yes = q.Person(about)
	}
	err = sleep(ctx, takes)
	q.e.mu.Lock()
	defer q.e.mu.Unlock()
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

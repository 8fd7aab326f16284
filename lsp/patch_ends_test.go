package lsp_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// The time is up between two files, or during an edit that the editor makes only while
// the others are put back: all is taken back, with a time of its own.
func TestTimeIsUpInTheMiddleOfAPatch(t *testing.T) {
	for _, late := range []bool{false, true} {
		for at := 1; at <= fiveEdits; at++ {
			t.Run(fmt.Sprintf("late %v at %d", late, at), func(t *testing.T) { timeIsUp(t, late, at) })
		}
	}
}

func timeIsUp(t *testing.T, late bool, at int) {
	t.Helper()
	var mu sync.Mutex
	edits := 0
	var came *applyParams
	var s *session
	s = startFive(t, true, func(ctx context.Context, _ *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
		mu.Lock()
		edits++
		here := edits
		mu.Unlock()
		switch {
		case here == at && late:
			came = p
			s.endTime()
			<-ctx.Done()
			return applyResult{}, ctx.Err()
		case here == at:
			next(p)
			if err := s.Call(ctx, "patchls/synced", nil, nil); err != nil { // the server has the text
				return applyResult{}, err
			}
			s.endTime()
			<-ctx.Done() // no answer: the text tells
			return applyResult{}, ctx.Err()
		case here == at+1 && late:
			next(came)
		}
		return next(p), nil
	})
	s.late, s.settles = !late, make(chan struct{}, 100) // the server goes on for its clock alone
	raw, err := s.Execute(context.Background(), "patchls.apply_patch", args{"patch": fivePatch})
	if at == fiveEdits && !late { // that was the last one, and in time
		if err != nil {
			t.Error(err)
		}
		s.wantTexts(fiveNew)
		return
	}
	f := failureOf(t, raw, err)
	want := "Nothing is changed: "
	if at == 1 && late {
		want = "No file was changed." // and nothing is sent after which it would come
	}
	if f.Kind != "timeout" || !strings.Contains(f.Message, "apply_timeout_ms") || !strings.Contains(f.Message, want) {
		t.Errorf("%+v", f)
	}
	s.wantTexts(fiveOld)
}

// A fault of the server itself leaves nothing half done either.
func TestPanicInTheMiddleOfAPatch(t *testing.T) {
	s := startFive(t, true, nil)
	s.faultAt = 4
	f := s.fail("apply_patch", args{"patch": fivePatch})
	if f.Kind != "not_settled" || !strings.Contains(f.Message, "fault of this program") || !strings.Contains(f.Message, "Nothing is changed: ") {
		t.Errorf("%+v", f)
	}
	s.wantTexts(fiveOld)
}

// A cancel between two files takes the patch back.
func TestCancelBetweenFiles(t *testing.T) {
	for name, files := range map[string]int{"after the first": 1, "after the fourth": 4} {
		t.Run(name, func(t *testing.T) {
			edits := 0
			s := startFive(t, true, func(c context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
				if edits++; edits == files {
					// The request's id is the second of this client, after initialize.
					if err := e.Notify(c, "$/cancelRequest", map[string]any{"id": 2}); err != nil {
						return applyResult{}, err
					}
				}
				return next(p), nil
			})
			f := s.fail("apply_patch", args{"patch": fivePatch})
			if f.Kind != "cancelled" || f.Code != -32800 || !strings.Contains(f.Message, fmt.Sprintf("after %d of 6 edits", files)) || !strings.Contains(f.Message, "Nothing is changed") {
				t.Errorf("%+v", f)
			}
			s.wantTexts(fiveOld)
		})
	}
}

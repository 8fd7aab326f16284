package lsp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// A server whose editor dies while it waits for it ends within a second, whatever it
// waits for, and leaves nothing running (the bubble ends when all goroutines have).
func TestServerEndsWithItsEditor(t *testing.T) {
	patch := args{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two\n"}
	for name, c := range map[string]struct {
		command string
		args    args
		dies    func(nth int, e *headless.Editor, p *applyParams, next applyNext) applyResult
	}{
		"before the text has changed": {"str_replace", oneToTwo, func(_ int, e *headless.Editor, _ *applyParams, _ applyNext) applyResult {
			e.Kill()
			return applyResult{}
		}},
		"before the answer": {"str_replace", oneToTwo, func(_ int, e *headless.Editor, p *applyParams, next applyNext) applyResult {
			next(p)
			e.Kill()
			return applyResult{}
		}},
		"after a yes without the text": {"str_replace", oneToTwo, func(_ int, e *headless.Editor, _ *applyParams, _ applyNext) applyResult {
			time.AfterFunc(100*time.Millisecond, e.Kill)
			return applyResult{Applied: true}
		}},
		"in the middle of a patch": {"apply_patch", patch, func(nth int, e *headless.Editor, p *applyParams, next applyNext) applyResult {
			if nth == 2 {
				e.Kill()
				return applyResult{}
			}
			return next(p)
		}},
		"while a patch is put back": {"apply_patch", patch, func(nth int, e *headless.Editor, p *applyParams, next applyNext) applyResult {
			switch nth {
			case 1:
				return next(p)
			case 2:
				return applyResult{FailureReason: "no"}
			}
			e.Kill()
			return applyResult{}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				nth := 0
				var died time.Time
				s := startInBubble(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, answering(
					func(_ context.Context, e *headless.Editor, p *applyParams, next applyNext) (applyResult, error) {
						nth++
						died = time.Now()
						return c.dies(nth, e, p, next), nil
					}))
				s.open("a.txt")
				s.open("b.txt")
				if _, err := s.Execute(context.Background(), "patchls."+c.command, c.args); !errors.Is(err, headless.ErrServerGone) {
					t.Errorf("got %v", err)
				}
				<-s.done
				if took := time.Since(died); took > time.Second {
					t.Errorf("it took %v", took)
				}
				s.done <- nil // for the cleanup
			})
		})
	}
}

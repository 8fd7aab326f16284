package lsp_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/patchls/patchls/internal/testkit/headless"
)

// bubble runs f in a bubble of testing/synctest, where time is virtual: it goes
// on when every goroutine waits, and costs nothing. No other test may run at the
// same time, so a test with a bubble never calls t.Parallel, and f never t.Run.
//
// jsonrpc2 keeps waiters with channels in a pool, and a channel of outside cannot
// be waited for inside, nor the other way round; two collections empty the pool,
// once no goroutine is left that might still put something there.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if err := goleak.Find(); err != nil {
		t.Fatalf("what an earlier test started still runs: %v", err)
	}
	emptyPools()
	defer emptyPools()
	synctest.Test(t, f)
}

func emptyPools() {
	runtime.GC()
	runtime.GC()
}

// startInBubble starts a session on the standard clock, which is the bubble's.
func startInBubble(t *testing.T, files map[string]string, opts headless.Options) *session {
	t.Helper()
	return startSession(t, files, opts, func(*session) func(time.Duration) <-chan time.Time { return nil })
}

// Delays are virtual in a bubble, including those of the server.
func TestTimeInABubbleIsFree(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := startInBubble(t, map[string]string{"a.txt": "one\n"}, answering(silence))
		s.open("a.txt")
		asked := time.Now()
		if f := s.fail("str_replace", oneToTwo); f.Kind != "timeout" {
			t.Errorf("%+v", f)
		}
		if took := time.Since(asked); took != 8*time.Second {
			t.Errorf("the command took %v of the bubble's time", took)
		}
	})
}

// pass lets virtual time pass.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // in a bubble
}

package disk

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchls/patchls/internal/contention"
)

// TestTurn: the second one waits until the first one is done.
func TestTurn(t *testing.T) {
	folder(t)
	done := Disk{}.Turn(t.Context())
	asked := 0
	second := Disk{Call: func(op, _ string, do func() error) error {
		if op == "lock" {
			if asked++; asked == 3 {
				done()
			}
		}
		return do()
	}}
	second.Turn(t.Context())()
	if asked != 3 {
		t.Errorf("it asked %d times; the lock was free the third time", asked)
	}
}

// TestTurnEnds: a process that hangs does not block others forever, and a cancelled wait ends at once.
func TestTurnEnds(t *testing.T) {
	folder(t)
	synctest.Test(t, func(t *testing.T) {
		defer Disk{}.Turn(t.Context())()
		began := time.Now()
		Disk{}.Turn(t.Context())()
		if took := time.Since(began); took != contention.Patience {
			t.Errorf("it took %v", took)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		Disk{}.Turn(gone)()
		if took := time.Since(began); took != contention.Patience {
			t.Errorf("the one that was cancelled took %v", took-contention.Patience)
		}
	})
}

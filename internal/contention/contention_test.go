package contention

import (
	"errors"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"
)

// TestRetry: a call is made again while another program holds the file, for two seconds.
func TestRetry(t *testing.T) {
	held := errors.New("held")
	isHeld := func(err error) bool { return errors.Is(err, held) }
	for _, tt := range []struct {
		name  string
		fails func(calls int) error
		want  error
		took  time.Duration
	}{
		{"free", func(int) error { return nil }, nil, 0},
		{"free the third time", func(calls int) error {
			if calls < 3 {
				return held
			}
			return nil
		}, nil, 2 * Pause},
		{"held for long", func(int) error { return held }, held, Patience},
		{"another error", func(int) error { return fs.ErrNotExist }, fs.ErrNotExist, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, calls := time.Now(), 0
				err := Retry(isHeld, func() error { calls++; return tt.fails(calls) })
				if took := time.Since(began); !errors.Is(err, tt.want) || took != tt.took {
					t.Errorf("got %v after %v, want %v after %v", err, took, tt.want, tt.took)
				}
			})
		})
	}
}

// Package contention repeats system calls that fail because another program has the file open, which happens only on
// Windows, or locked. A virus scanner or an indexer is done with a file in milliseconds.
//
// [Retry] repeats such a call for two seconds at most. [Sharing] and [Denied] report which
// failures another program may cause that has the file open.
//
// What never lives here: what a file is for, and what is reported if it stays held.
package contention

import "time"

const (
	// Patience is how long a call is repeated.
	Patience = 2 * time.Second
	// Pause is the time between two attempts.
	Pause = 5 * time.Millisecond
)

// Retry repeats call while isHeld reports that call failed because another program has the file open or
// locked. It returns the last error.
func Retry(isHeld func(error) bool, call func() error) error {
	late := time.Now().Add(Patience)
	for {
		err := call()
		if err == nil || !isHeld(err) || !time.Now().Before(late) {
			return err
		}
		time.Sleep(Pause)
	}
}

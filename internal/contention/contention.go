package contention

import "time"

const (
	patience = 2 * time.Second
	// Pause is the time until the call is made again.
	Pause = 5 * time.Millisecond
)

// Retry makes a call again while isHeld says that it fails since another program has the file open, and
// returns the last error.
func Retry(isHeld func(error) bool, call func() error) error {
	late := time.Now().Add(patience)
	for {
		err := call()
		if err == nil || !isHeld(err) || !time.Now().Before(late) {
			return err
		}
		time.Sleep(Pause)
	}
}

package disk

import "time"

const (
	heldPatience = 2 * time.Second      // of virus scanners and indexers, which have done with a file in milliseconds
	heldPause    = 5 * time.Millisecond // until the call is made again
)

// insist makes a call again while another program has the file open and lets no other one change it, which
// only Windows knows.
func insist(isHeld func(error) bool, call func() error) error {
	late := time.Now().Add(heldPatience)
	for {
		err := call()
		if err == nil || !isHeld(err) {
			return err
		}
		if !time.Now().Before(late) {
			return errHeld
		}
		time.Sleep(heldPause)
	}
}

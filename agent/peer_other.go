//go:build unix && !linux && !darwin && !freebsd

package agent

import "errors"

func peerOf(int) (uid int, err error) { return 0, errors.ErrUnsupported }

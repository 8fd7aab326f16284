//go:build !linux && !darwin && !freebsd

package agent

import "errors"

func peerOf(int) (uid int, err error) { return 0, errors.ErrUnsupported }

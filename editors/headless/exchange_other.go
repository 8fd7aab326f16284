//go:build !linux && !darwin

package headless

import "errors"

func exchange(_, _ string) error { return errors.ErrUnsupported }

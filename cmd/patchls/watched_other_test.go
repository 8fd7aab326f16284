//go:build !linux

package main

import "errors"

// resident is known on Linux only.
func resident(int) (int, error) { return 0, errors.ErrUnsupported }

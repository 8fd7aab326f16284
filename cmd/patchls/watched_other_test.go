//go:build !linux

package main

import (
	"errors"
	"time"
)

// resident is known on Linux only.
func resident(int) (int, error) { return 0, errors.ErrUnsupported }

// stolen is known on Linux only.
func stolen() time.Duration { return 0 }

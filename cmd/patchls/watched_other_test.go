//go:build !linux

package main

import (
	"errors"
	"testing"
	"time"
)

// resident is known on Linux only.
func resident(int) (int, error) { return 0, errors.ErrUnsupported }

// stolen is known on Linux only.
func stolen() time.Duration { return 0 }

// watchProcessors can do so on Linux only.
func watchProcessors(*testing.T, *stalls) bool { return false }

func runStalls([]string) int { return 2 }

// peak is known on Linux only.
func peak(int) (int, error) { return 0, errors.ErrUnsupported }

func clearPeak(*testing.T, int) {}

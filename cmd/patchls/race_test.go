//go:build race

package main

// raceDetector reports whether this test was built with the race detector.
const raceDetector = true

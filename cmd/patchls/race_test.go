//go:build race

package main

// raceDetector: this test was built with it.
const raceDetector = true

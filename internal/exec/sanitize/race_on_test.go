//go:build race

package sanitize_test

// raceDetector is set under the race detector, to which a race of a kernel is one of Go's.
const raceDetector = true

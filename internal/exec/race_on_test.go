//go:build race

package exec_test

// raceDetector is set under the race detector, which makes pools drop items.
const raceDetector = true

//go:build race

package exec_test

// raceDetector says that the race detector is on, which makes pools forget.
const raceDetector = true

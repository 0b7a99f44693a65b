//go:build race

package vm

// raceDetector says that the race detector is on, which makes pools forget.
const raceDetector = true

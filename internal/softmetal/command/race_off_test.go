//go:build !race

package command

// raceDetector: sync.Pool forgets at random under it, which counts as garbage.
const raceDetector = false

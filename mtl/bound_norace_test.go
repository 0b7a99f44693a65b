//go:build !race

package mtl

// boundRace reports whether the race detector is on; with it, sync.Pool drops items at random.
const boundRace = false

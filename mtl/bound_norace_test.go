//go:build !race

package mtl

// boundRace says that the race detector is on, which makes pools forget.
const boundRace = false

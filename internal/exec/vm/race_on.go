//go:build race

package vm

// raceDetector says that Go's race detector watches the memory of kernels.
const raceDetector = true

//go:build race

package exec

// RaceDetector says whether Go's race detector watches the memory of kernels.
const RaceDetector = true

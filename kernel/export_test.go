package kernel

import "runtime"

// Place returns a file and line as errors have them.
func Place(file string, line int) string { return position(runtime.Frame{File: file, Line: line}) }

// Fields returns the exported fields of a thread.
func Fields(t *Thread) Thread {
	c := *t
	c.fiber = nil
	return c
}

// RaceDetector is set under the race detector.
const RaceDetector = raceDetector

// Bits returns the bits of a number.
func Bits[T Number](v T) uint32 { return bitsOf(v) }

// Package sanitizetest judges the sanitizer. It plants mistakes in correct kernels, decides with an
// oracle which of them show, and compares that with what the sanitizer finds.
//
// The oracle shares no code with the sanitizer and none with the engine that reports events to it:
// it keeps every access to every byte and compares each new one with all of them, by vector clocks,
// over the reference executor.
package sanitizetest

// Package conformance holds tests that say what a Metal device does, written against package mtl
// alone. The same tests run on the software device, on stand-ins for Apple's frameworks and on the
// GPU of a Mac:
//
//	go test ./internal/conformance
//
// Every case has a name and a sentence: what it asserts of Metal. Where one of the worlds is known
// to answer differently, differences_test.go says which side is wrong and why, and the case is
// skipped there with that reason.
package conformance

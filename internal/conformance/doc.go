// Package conformance holds tests that specify the behavior of a Metal device, written against
// package mtl alone. The same tests run on the software device, on stand-ins for Apple's
// frameworks, and on the GPU of a Mac:
//
//	go test ./internal/conformance
//	puremetal doctor --report report.md
//
// Every case has a name and a sentence that states what it asserts about Metal. If one of these
// environments is known to behave differently, differences.go says which side is wrong and
// why, and the case is skipped there with that reason.
package conformance

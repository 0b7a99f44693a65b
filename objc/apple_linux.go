//go:build linux && (amd64 || arm64)

package objc

// testLoader is set by tests that run Apple's driver against stand-ins.
var testLoader *loader

// platformLoader returns nil: there is no Objective-C runtime to open.
func platformLoader() *loader { return testLoader }

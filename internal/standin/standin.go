//go:build !darwin

// Package standin tells tests whether they run against stand-ins of Apple's frameworks, which
// cannot do all that the frameworks can.
package standin

// Running reports whether Apple's frameworks are stand-ins. Off a Mac there are none.
func Running() bool { return false }

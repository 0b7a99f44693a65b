//go:build !darwin

package conformance

// standin reports whether the frameworks are stand-ins; off a Mac there are none.
func standin() bool { return false }

//go:build !darwin

package compute

// standin reports whether the frameworks are stand-ins; off a Mac there are none.
func standin() bool { return false }

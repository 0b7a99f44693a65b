//go:build !darwin

package mtl

// standin reports whether the program runs against stand-in frameworks and not on a Mac.
func standin() bool { return false }

// finalCounts does nothing without stand-in frameworks.
func finalCounts() error { return nil }

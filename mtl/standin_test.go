//go:build !darwin

package mtl

// standin reports whether the program runs against stand-in frameworks and not on a Mac.
func standin() bool { return false }

// finalCounts has nothing to ask off a Mac.
func finalCounts() error { return nil }

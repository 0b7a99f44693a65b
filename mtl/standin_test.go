//go:build !darwin

package mtl

// finalCounts does nothing without stand-in frameworks.
func finalCounts() error { return nil }

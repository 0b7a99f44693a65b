//go:build !darwin

package objc

// finalCounts does nothing without stand-in frameworks.
func finalCounts() error { return nil }

//go:build !unix

package compute

import "testing"

// pages returns nothing: package syscall maps no memory here.
func pages(*testing.T, int) []byte { return nil }

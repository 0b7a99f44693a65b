//go:build puremetal_run

package main

import "os"

// isTerminal reports whether a file is a terminal, or another device of characters than the null
// device: to ask the system takes package golang.org/x/sys, which is dear to compile.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	none, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, none)
}

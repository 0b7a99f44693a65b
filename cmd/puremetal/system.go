//go:build !darwin

package main

import "runtime"

// system describes the machine.
func system() map[string]string {
	return map[string]string{"os": runtime.GOOS, "architecture": runtime.GOARCH}
}

//go:build !amd64

package packed

// bodies returns what this machine can run, the fastest last.
func bodies() []body { return []body{plain()} }

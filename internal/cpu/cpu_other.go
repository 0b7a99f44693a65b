//go:build !amd64

package cpu

func detect() Features { return Features{} }

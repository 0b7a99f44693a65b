//go:build !amd64

package machine

func detectCPU() CPU { return CPU{} }

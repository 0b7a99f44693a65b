//go:build !darwin

package analyze

// findGPU returns what the system tells.
func findGPU() (chipGPU, error) { return chipGPU{}, errUnknownGPU }

//go:build !darwin

package machine

// Find returns what the system tells.
func Find() (GPU, error) { return GPU{}, ErrUnknown }

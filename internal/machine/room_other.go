//go:build !linux

package machine

// FindRoom returns how much memory the process may take. ok is false if the system does not tell.
func FindRoom() (r Room, ok bool) { return Room{}, false }

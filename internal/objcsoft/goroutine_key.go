package objcsoft

// GoroutineKey returns a number that identifies this goroutine among those running. After the
// goroutine has ended, another one may get the same number.
func GoroutineKey() uintptr { return goroutine() }

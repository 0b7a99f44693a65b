package objcsoft

// GoroutineKey returns a number that tells the running goroutines apart. It may be given to another
// goroutine after this one has ended.
func GoroutineKey() uintptr { return goroutine() }

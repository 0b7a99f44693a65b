package softgraph

import "time"

// LimitIterations changes the limit of loops, and returns a function that restores it.
func LimitIterations(n int) (restore func()) {
	was := maxIterations
	maxIterations = n
	return func() { maxIterations = was }
}

// SetClock changes the clock of the time limit of loops, and returns a function that restores it.
func SetClock(now func() time.Time) (restore func()) {
	was := clock
	clock = now
	return func() { clock = was }
}

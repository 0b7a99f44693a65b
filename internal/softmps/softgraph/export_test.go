package softgraph

// LimitIterations changes the limit of loops, and returns a function that restores it.
func LimitIterations(n int) (restore func()) {
	was := maxIterations
	maxIterations = n
	return func() { maxIterations = was }
}

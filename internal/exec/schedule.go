package exec

// Schedule is an order of a launch's threadgroups, and of the simdgroups of each between barriers.
// Results of a correct kernel do not depend on it. One worker executes a launch that has one, so
// that the same schedule gives the same results; it calls the methods.
type Schedule interface {
	// Threadgroup returns the number of the threadgroup, in grid order, that is executed as number i
	// of total.
	Threadgroup(i, total int64) int64
	// Simdgroups returns the order in which the n simdgroups of a threadgroup continue after some
	// barriers. It may use the memory of an earlier order.
	Simdgroups(threadgroup int64, barriers, n int, order []int) []int
}

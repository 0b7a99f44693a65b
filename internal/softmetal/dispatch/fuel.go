package dispatch

// Default fuel of a launch, in units of work (package lir); a core does some 10^9 to 10^10 a
// second. It is enough for any kernel that ends in reasonable time, and small enough to stop one
// that spins. Each strip of threads adds some.
const (
	baseFuel  = 1 << 38
	stripFuel = 1 << 30
	mostFuel  = 1 << 46
)

// DefaultFuel returns the fuel of a launch on a grid of threads, unless the program sets it.
func DefaultFuel(grid [3]int) int64 {
	strips := float64(grid[0]) * float64(grid[1]) * float64(grid[2]) / 256
	return int64(min(baseFuel+strips*stripFuel, mostFuel))
}

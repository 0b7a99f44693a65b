//go:build (darwin || linux) && (amd64 || arm64)

package ccalltest_test

// grow uses so much stack that the goroutine's must move.
//
//go:noinline
func grow(n int) (sum int) {
	var pad [256]int
	for i := range pad {
		pad[i] = n
	}
	if n > 0 {
		sum = grow(n - 1)
	}
	return sum + pad[n%256]
}

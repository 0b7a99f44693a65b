package backend

import (
	"fmt"
	"math"
	"slices"
)

// Names of backends: of this library's own kernels, and those that the rule knows.
const (
	OwnName      = "own"
	MPSName      = "mps"
	MPSGraphName = "mpsgraph"
)

// The least numbers of operations for which the rule chooses Apple's libraries, as powers of two.
// They are cautious estimates; nobody has measured them on a GPU.
const (
	ruleProduct = 24 // matrices of about 200 rows
	ruleConv    = 28
)

// Rule chooses one of the backends with these names for an operation of 2^log2 floating-point
// operations where nothing was measured, and says why.
func Rule(op string, log2 int, names []string) (name, reason string) {
	for _, r := range []struct {
		op, name string
		log2     int
	}{{"matmul", MPSName, ruleProduct}, {"conv", MPSGraphName, ruleConv}} {
		if op == r.op && log2 >= r.log2 && slices.Contains(names, r.name) {
			return r.name, fmt.Sprintf("by rule: %s from 2^%d operations on, as nothing was measured", r.op, r.log2)
		}
	}
	return OwnName, "by rule: not measured"
}

// Log2 returns the binary logarithm of a number of floating-point operations, rounded down.
func Log2(flops float64) int { return int(math.Log2(max(flops, 1))) }

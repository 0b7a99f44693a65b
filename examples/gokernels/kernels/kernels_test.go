package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/kernel"
)

// TestLife: a glider moves by one cell in four generations, across the edge.
func TestLife(t *testing.T) {
	const width, height = 20, 12
	cells, next := make([]uint8, width*height), make([]uint8, width*height)
	glider := func(x, y int) (list []int) {
		for _, at := range [][2]int{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} {
			list = append(list, (y+at[1])%height*width+(x+at[0])%width)
		}
		slices.Sort(list)
		return list
	}
	for _, i := range glider(width-3, height-3) {
		cells[i] = 1
	}
	computetest.EqualOnCPU(t, Life, compute.Threads2D(width, height), cells, next)
	for range 8 {
		require.NoError(t, kernel.Run(kernel.Index{X: width, Y: height}, kernel.Index{X: 8, Y: 8},
			func(t *kernel.Thread) { Life(t, cells, next) }))
		cells, next = next, cells
	}
	var alive []int
	for i, c := range cells {
		if c == 1 {
			alive = append(alive, i)
		}
	}
	assert.Equal(t, glider(width-1, height-1), alive)
}

// TestHistogram: the counts are those of a loop, also of bytes that fill no threadgroup.
func TestHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data, counts, want := make([]uint8, 5000), make([]uint32, 256), make([]uint32, 256)
	for i := range data {
		data[i] = uint8(random.NormFloat64()*20 + 128)
		want[data[i]]++
	}
	computetest.EqualOnCPU(t, Histogram, compute.Threads1D(len(data)), data, counts)
	require.NoError(t, kernel.Run(kernel.Index{X: 5120}, kernel.Index{X: 256},
		func(t *kernel.Thread) { Histogram(t, data, counts) }))
	assert.Equal(t, want, counts)
}

// TestMatMul compares with three loops. Small integers have exact sums in any order.
func TestMatMul(t *testing.T) {
	const n = 48
	a, b, c, want := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = float32(i*7%13-6), float32(i*5%11-5)
	}
	for y := range n {
		for x := range n {
			for k := range n {
				want[y*n+x] += a[y*n+k] * b[k*n+x]
			}
		}
	}
	computetest.EqualOnCPU(t, MatMul, compute.Threads2D(n, n), uint32(n), a, b, c)
	require.NoError(t, kernel.Run(kernel.Index{X: n, Y: n}, kernel.Index{X: 16, Y: 16},
		func(t *kernel.Thread) { MatMul(t, n, a, b, c) }))
	assert.Equal(t, want, c)
}

// TestReduce: each threadgroup writes what a loop over its numbers finds.
func TestReduce(t *testing.T) {
	const n = 1000
	ints, floats := make([]int32, n), make([]float32, n)
	sums, largests := make([]int32, 4), []int32{-1 << 31, -1 << 31, -1 << 31, -1 << 31}
	for i := range ints {
		ints[i], floats[i] = int32(i*37%101-90), 1/float32(i+1)
		sums[i/256] += ints[i]
		largests[i/256] = max(largests[i/256], ints[i])
	}
	computetest.EqualOnCPU(t, SumFloats, compute.Threads1D(1024), floats, make([]float32, 4))
	computetest.EqualOnCPU(t, SumInts, compute.Threads1D(1024), ints, make([]int32, 4))
	computetest.EqualOnCPU(t, Largest, compute.Threads1D(1024), ints, make([]int32, 4))
	out := make([]int32, 4)
	run := func(fn func(t *kernel.Thread)) {
		require.NoError(t, kernel.Run(kernel.Index{X: 1024}, kernel.Index{X: 256}, fn))
	}
	run(func(t *kernel.Thread) { SumInts(t, ints, out) })
	assert.Equal(t, sums, out)
	run(func(t *kernel.Thread) { Largest(t, ints, out) })
	assert.Equal(t, largests, out)
}

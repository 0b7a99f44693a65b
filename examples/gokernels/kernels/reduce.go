package kernels

import "github.com/puremetal/puremetal/kernel"

// group is the number of threads that reduce 256 numbers to one.
const group = 256

// operation combines two numbers; the order does not matter. none changes no number.
type operation[T any] interface {
	none() T
	combine(a, b T) T
}

// reduce combines the numbers of each threadgroup, and writes one for each.
func reduce[T int32 | float32, O operation[T]](t *kernel.Thread, op O, tile *[group]T, x, out []T) {
	i := t.Local.X
	tile[i] = op.none()
	if at := int(t.Global.X); at < len(x) {
		tile[i] = x[at]
	}
	for half := uint32(group / 2); half > 0; half /= 2 {
		t.Barrier()
		if i < half {
			tile[i] = op.combine(tile[i], tile[i+half])
		}
	}
	if i == 0 {
		out[t.Group.X] = tile[0]
	}
}

type sum[T int32 | float32] struct{}

func (sum[T]) none() T          { return 0 }
func (sum[T]) combine(a, b T) T { return a + b }

type largest struct{}

func (largest) none() int32              { return -1 << 31 }
func (largest) combine(a, b int32) int32 { return max(a, b) }

// SumFloats adds up each 256 numbers.
//
//puremetal:kernel group=256
func SumFloats(t *kernel.Thread, x, out []float32) {
	tile := kernel.Shared[[group]float32](t)
	reduce(t, sum[float32]{}, tile, x, out)
}

// SumInts adds up each 256 numbers.
//
//puremetal:kernel group=256
func SumInts(t *kernel.Thread, x, out []int32) {
	tile := kernel.Shared[[group]int32](t)
	reduce(t, sum[int32]{}, tile, x, out)
}

// Largest finds the largest of each 256 numbers.
//
//puremetal:kernel group=256
func Largest(t *kernel.Thread, x, out []int32) {
	tile := kernel.Shared[[group]int32](t)
	reduce(t, largest{}, tile, x, out)
}

package kernel_test

import (
	"fmt"
	"log"

	"github.com/puremetal/puremetal/kernel"
)

// BlockSum adds up the numbers of each threadgroup.
//
//puremetal:kernel group=64
func BlockSum(t *kernel.Thread, x, out []int32) {
	tile := kernel.Shared[[64]int32](t)
	i := t.Local.X
	if t.Global.X < uint32(len(x)) {
		tile[i] = x[t.Global.X]
	}
	for n := uint32(32); n > 0; n /= 2 {
		t.Barrier()
		if i < n && i+n < t.GroupSize.X {
			tile[i] += tile[i+n]
		}
	}
	if i == 0 {
		out[t.Group.X] = tile[0]
	}
}

// Threads of a threadgroup share memory and wait for each other.
func ExampleRun() {
	x, out := make([]int32, 100), make([]int32, 2)
	for i := range x {
		x[i] = int32(i)
	}
	err := kernel.Run(kernel.Index{X: 100}, kernel.Index{X: 64}, func(t *kernel.Thread) { BlockSum(t, x, out) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [2016 2934]
}

// The threads of a simdgroup exchange values without shared memory.
func ExampleSimdPrefixExclusiveSum() {
	out := make([]uint32, 5)
	err := kernel.Run(kernel.Index{X: 5}, kernel.Index{X: 32}, func(t *kernel.Thread) {
		out[t.Global.X] = kernel.SimdPrefixExclusiveSum(t, t.Lane+1)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [0 1 3 6 10]
}

// A barrier that not all threads reach is an error; on a GPU, the others may wait forever.
func ExampleThread_Barrier() {
	err := kernel.Run(kernel.Index{X: 64}, kernel.Index{X: 64}, func(t *kernel.Thread) {
		if t.Local.X < 60 {
			t.Barrier()
		}
	})
	fmt.Println(err != nil)
	// Output: true
}

// Threads may count in the same memory.
func ExampleAtomicAdd() {
	var even int32
	err := kernel.Run(kernel.Index{X: 99}, kernel.Index{X: 32}, func(t *kernel.Thread) {
		if t.Global.X%2 == 0 {
			kernel.AtomicAdd(&even, 1)
		}
	})
	fmt.Println(even, err)
	// Output: 50 <nil>
}

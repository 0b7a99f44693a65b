package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/kernel"
)

// TestGridBarrier: what threads have written before a grid barrier, all threads see after it.
func TestGridBarrier(t *testing.T) {
	const n = 500
	a, b := make([]int32, n), make([]int32, n)
	for i := range a {
		a[i] = int32(i)
	}
	require.NoError(t, kernel.Run(one(n), one(32), func(t *kernel.Thread) {
		own := kernel.Shared[[32]int32](t)
		for range 4 {
			own[t.Local.X] = a[(t.Global.X+1)%n]
			t.GridBarrier()
			b[t.Global.X] = own[t.Local.X]
			t.Barrier()
			t.GridBarrier()
			a[t.Global.X] = b[t.Global.X]
			t.GridBarrier()
		}
	}))
	for i, v := range a {
		assert.EqualValues(t, (i+4)%n, v)
	}
}

func TestGridBarrierMistakes(t *testing.T) {
	run := func(n uint32, fn func(t *kernel.Thread)) string {
		err := kernel.Run(one(n), one(32), fn)
		require.Error(t, err)
		return err.Error()
	}
	assert.Equal(t, "kernel: grid barrier at "+place(3)+": threadgroup (0, 0, 0) waits, threadgroup (2, 0, 0) has ended",
		run(100, func(t *kernel.Thread) {
			if t.Group.X != 2 {
				t.GridBarrier()
			}
		}))
	assert.Equal(t, "kernel: threadgroup (0, 0, 0) waits at the grid barrier at "+place(4)+", threadgroup (1, 0, 0) at "+
		place(5),
		run(100, func(t *kernel.Thread) {
			if t.Group.X != 1 {
				t.GridBarrier()
			} else {
				t.GridBarrier()
			}
		}))
	assert.Equal(t, "kernel: threadgroup (0, 0, 0): barrier at "+place(3)+": 1 thread waits there, 31 threads have ended",
		run(32, func(t *kernel.Thread) {
			if t.Local.X == 3 {
				t.GridBarrier()
			}
		}))
	assert.Contains(t, run(1<<17+1, func(t *kernel.Thread) { t.GridBarrier() }),
		place(-1)+": a grid of 131073 threads exceeds the limit 131072 of grids with barriers")
}

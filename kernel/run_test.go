package kernel_test

import (
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/puremetal/puremetal/kernel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func one(n uint32) kernel.Index { return kernel.Index{X: n} }

// place returns the file and line of the caller plus a number of lines, as Run's errors have it.
func place(lines int) string {
	_, file, line, _ := runtime.Caller(1)
	return kernel.Place(file, line+lines)
}

// TestPositions: each thread of a grid that is no multiple of its threadgroups runs once, and knows
// where it is.
func TestPositions(t *testing.T) {
	grid, group := kernel.Index{X: 11, Y: 5, Z: 3}, kernel.Index{X: 4, Y: 3, Z: 2}
	var seen [3][5][11]atomic.Int32
	require.NoError(t, kernel.Run(grid, group, func(t2 *kernel.Thread) {
		seen[t2.Global.Z][t2.Global.Y][t2.Global.X].Add(1)
		edge := func(pos, size, all uint32) uint32 { return min(size, all-pos*size) }
		size := kernel.Index{X: edge(t2.Group.X, 4, 11), Y: edge(t2.Group.Y, 3, 5), Z: edge(t2.Group.Z, 2, 3)}
		index := t2.Local.X + size.X*(t2.Local.Y+size.Y*t2.Local.Z)
		want := kernel.Thread{Global: t2.Global, Local: t2.Local, Group: t2.Group, GridSize: grid, GroupSize: size,
			Groups: kernel.Index{X: 3, Y: 2, Z: 2}, Lane: index % 32, Simdgroup: index / 32, Lanes: 32,
			Simdgroups: (size.X*size.Y*size.Z + 31) / 32}
		assert.Equal(t, kernel.Index{X: t2.Group.X*4 + t2.Local.X, Y: t2.Group.Y*3 + t2.Local.Y,
			Z: t2.Group.Z*2 + t2.Local.Z}, t2.Global)
		assert.Equal(t, want, kernel.Fields(t2))
	}))
	for z := range seen {
		for y := range seen[z] {
			for x := range seen[z][y] {
				assert.EqualValues(t, 1, seen[z][y][x].Load(), "%d %d %d", x, y, z)
			}
		}
	}
}

// reverse reverses n numbers of each threadgroup several times, through shared memory.
func reverse(t *kernel.Thread, rounds int, data []int32) {
	tile := kernel.Shared[[256]int32](t)
	more := kernel.SharedSlice[int32](t)
	n := t.GroupSize.X
	v := data[t.Global.X]
	for range rounds {
		tile[t.Local.X] = v
		t.Barrier()
		more[n-1-t.Local.X] = tile[t.Local.X]
		t.Barrier()
		v = more[t.Local.X] + 1
	}
	data[t.Global.X] = v
}

func TestBarrier(t *testing.T) {
	for _, group := range []uint32{1, 2, 31, 64, 256} {
		for _, rounds := range []int{1, 2, 7} {
			data, want := make([]int32, 1000), make([]int32, 1000)
			for i := range data {
				data[i] = int32(i)
				g := i / int(group) * int(group)
				last := min(g+int(group), len(data)) - 1
				want[i] = int32(i + rounds)
				if rounds%2 == 1 {
					want[i] = int32(g + last - i + rounds)
				}
			}
			require.NoError(t, kernel.Run(one(1000), one(group), func(t *kernel.Thread) { reverse(t, rounds, data) }, 256))
			assert.Equal(t, want, data, "%d threads, %d rounds", group, rounds)
		}
	}
}

// TestSharedIsZero: each threadgroup begins with zeros, also one whose worker has run others.
func TestSharedIsZero(t *testing.T) {
	require.NoError(t, kernel.Run(one(64), one(1), func(t2 *kernel.Thread) {
		a, b := kernel.Shared[[4]int32](t2), kernel.SharedSlice[float32](t2)
		assert.Zero(t, *a)
		assert.Equal(t, []float32{0, 0, 0}, b)
		a[0], b[1] = 1, 1
	}, 3))
}

func TestSharedMistakes(t *testing.T) {
	run := func(fn func(t *kernel.Thread), shared ...int) string {
		err := kernel.Run(one(64), one(64), fn, shared...)
		require.Error(t, err)
		return err.Error()
	}
	mixed := func(t *kernel.Thread) {
		if t.Local.X >= 32 {
			kernel.Shared[float32](t)
			return
		}
		kernel.Shared[int32](t)
	}
	want := "kernel: thread (32, 0, 0) of threadgroup (0, 0, 0): " + place(-5) + ": shared object 0 of the thread would " +
		"be of type *float32; another thread requested it at " + place(-3) + " as *int32; all threads must make the same " +
		"calls in the same order"
	if kernel.RaceDetector { // threads run in any order
		want = "all threads must make the same calls in the same order"
	}
	assert.Contains(t, run(mixed), want)
	assert.Contains(t, run(func(t *kernel.Thread) {
		for range 2 {
			kernel.Shared[float32](t)
		}
	}), place(-2)+": shared memory is requested twice at this place")
	assert.Contains(t, run(func(t *kernel.Thread) { kernel.SharedSlice[int32](t); kernel.SharedSlice[int32](t) }, 4),
		"shared slice 1 has no length; Run has lengths of 1")
	assert.Contains(t, run(func(t *kernel.Thread) { kernel.Shared[[5000]int32](t); kernel.SharedSlice[int32](t) }, 4000),
		"16000 bytes of shared memory for 4000 of int32 exceed the limit 32768 of a threadgroup, of which 20000 are in use")
	assert.Contains(t, run(func(t *kernel.Thread) { kernel.SharedSlice[[1 << 40]byte](t) }, 4000), "exceed the limit")
}

// TestHelperTwice: a function that two places call has shared memory of its own for each.
func TestHelperTwice(t *testing.T) {
	helper := func(t *kernel.Thread) *int32 { return kernel.Shared[int32](t) }
	require.NoError(t, kernel.Run(one(8), one(8), func(t2 *kernel.Thread) {
		a := helper(t2)
		b := helper(t2)
		assert.NotSame(t, a, b)
	}))
}

func TestBarrierMistakes(t *testing.T) {
	run := func(fn func(t *kernel.Thread)) string {
		err := kernel.Run(one(96), one(64), fn)
		require.Error(t, err)
		return err.Error()
	}
	assert.Equal(t, "kernel: threadgroup (0, 0, 0): barrier at "+place(3)+": 31 threads wait there, 33 threads have ended",
		run(func(t *kernel.Thread) {
			if t.Local.X < 31 {
				t.Barrier()
			}
		}))
	assert.Equal(t, "kernel: threadgroup (0, 0, 0): threads wait at different barriers: 63 at "+place(6)+
		", 1 at "+place(3),
		run(func(t *kernel.Thread) {
			if t.Local.X == 63 {
				t.Barrier()
			} else {
				t.Barrier()
			}
		}))
	// Only the smaller threadgroup at the edge fails.
	assert.Equal(t, "kernel: threadgroup (1, 0, 0): threads wait at different barriers: 1 at "+place(6)+
		", 1 at "+place(7)+"; 30 threads have ended",
		run(func(t *kernel.Thread) {
			switch {
			case t.Group.X == 0:
			case t.Local.X == 0:
				t.Barrier()
			case t.Local.X == 1:
				t.Barrier()
			}
		}))
}

// TestFailures: whatever ends a thread ends the launch with the thread's position, and the others
// of its threadgroup are released.
func TestFailures(t *testing.T) {
	var none []int32
	zero := new(int32)
	var released atomic.Int32
	run := func(fn func(t *kernel.Thread)) error {
		released.Store(0)
		err := kernel.Run(one(200), one(64), func(t *kernel.Thread) {
			defer released.Add(1)
			if t.Global.X == 70 {
				fn(t)
			}
			t.Barrier()
		})
		assert.GreaterOrEqual(t, released.Load(), int32(7))
		require.Error(t, err)
		return err
	}
	const at = "kernel: thread (6, 0, 0) of threadgroup (1, 0, 0): "
	assert.EqualError(t, run(func(t *kernel.Thread) { none[t.Local.X] = 1 }),
		at+place(-1)+": runtime error: index out of range [6] with length 0")
	err := run(func(t *kernel.Thread) { *zero = 1 / *zero })
	assert.EqualError(t, err, at+place(-1)+": runtime error: integer divide by zero")
	var failure runtime.Error
	assert.True(t, errors.As(err, &failure))
	zero = nil
	assert.ErrorContains(t, run(func(t *kernel.Thread) { *zero = 1 }),
		at+place(-1)+": runtime error: invalid memory address")
	assert.EqualError(t, run(func(t *kernel.Thread) { panic("no") }), at+place(0)+": panic: no")
	assert.EqualError(t, run(func(t *kernel.Thread) { runtime.Goexit() }), at+"runtime.Goexit")
}

// TestFirstFailure: of threadgroups that fail, Run returns the error of the first.
func TestFirstFailure(t *testing.T) {
	for range 20 {
		assert.ErrorContains(t, kernel.Run(one(1000), one(8), func(t *kernel.Thread) {
			if t.Global.X >= 100 {
				panic(t.Global.X)
			}
		}), "thread (4, 0, 0) of threadgroup (12, 0, 0)")
	}
}

// TestRecovered: a kernel that recovers from panics still ends with its launch.
func TestRecovered(t *testing.T) {
	assert.ErrorContains(t, kernel.Run(one(8), one(8), func(t *kernel.Thread) {
		defer t.Barrier()
		defer func() { _ = recover() }()
		if t.Local.X < 7 {
			t.Barrier()
		}
	}), "threads wait at different barriers")
}

func TestSizes(t *testing.T) {
	none := func(*kernel.Thread) {}
	for _, k := range []struct {
		grid, group kernel.Index
		shared      []int
		want        string
	}{
		{kernel.Index{Y: 5}, one(1), nil, "grid (0, 5, 1) has no threads"},
		{one(5), kernel.Index{}, nil, "threadgroup (0, 1, 1) has no threads"},
		{one(5), kernel.Index{X: 32, Y: 33, Z: 1}, nil, "threadgroup (32, 33, 1) has more than 1024 threads"},
		{one(5), kernel.Index{X: 1 << 31, Y: 1 << 31, Z: 1 << 31}, nil, "has more than 1024 threads"},
		{kernel.Index{X: math.MaxInt32, Y: math.MaxInt32, Z: 2}, one(1), nil, "has more than 1099511627776"},
		{kernel.Index{X: 1, Y: 1 << 31, Z: 1}, one(1), nil, "has more than 2147483647 threads in a dimension"},
		{one(5), one(1), []int{3, -1}, "length -1 of shared slice 1 is not between 0 and 32768"},
		{one(5), one(1), []int{math.MaxInt}, "of shared slice 0 is not between 0 and 32768"},
	} {
		assert.ErrorContains(t, kernel.Run(k.grid, k.group, none, k.shared...), k.want)
	}
	assert.ErrorContains(t, kernel.Run(one(1), one(1), nil), "the function is nil")
	assert.PanicsWithValue(t, "kernel: a Thread works only in a function that Run calls",
		func() { new(kernel.Thread).Barrier() })
}

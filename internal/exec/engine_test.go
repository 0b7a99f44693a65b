package exec_test

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/settle"
)

// kernelsOf compiles MSL and returns its kernels by name.
func kernelsOf(tb testing.TB, text string) map[string]*exec.Kernel {
	tb.Helper()
	m, diags := msl.Compile(context.Background(),
		msl.Source{Name: "test.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}, msl.Options{})
	require.Empty(tb, diags)
	ks := map[string]*exec.Kernel{}
	for _, f := range m.IR.Funcs {
		ks[f.Name] = exec.NewKernel(f, exec.Options{Backend: vm.Backend{}})
	}
	return ks
}

func words(x ...uint32) []byte {
	var b []byte
	for _, w := range x {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

const engineKernels = `
kernel void spin(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  while (out[0] != 1) {}
  out[i + 1] = 7;
}
kernel void square(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i * i; }
// Fails in the threadgroups whose word is not 0, immediately or after that many iterations.
kernel void fails(device uint *out [[buffer(0)]], device const uint *when [[buffer(1)]], uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  uint n = when[g];
  for (uint i = 1; i < n; i++) out[g] = i;
  if (n != 0 && t % 2 == 0) threadgroup_barrier(mem_flags::mem_none);
  threadgroup_barrier(mem_flags::mem_none);
}
kernel void rounds(device uint *out [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) {
  for (uint i = 0; i < 10; i++) out[g] = i;
}
`

// TestEngineLeavesNothing: no goroutine is left after all launches have ended and Close has
// returned.
func TestEngineLeavesNothing(t *testing.T) {
	here := goleak.IgnoreCurrent()
	defer settle.NoError(t, func() error { return goleak.Find(here) })
	k := kernelsOf(t, engineKernels)["square"]
	for workers := range 5 {
		e := exec.NewEngine(workers)
		sp, out := &exec.Space{}, make([]byte, 4*1000)
		sp.Set(1, exec.Object{Data: out})
		require.NoError(t, e.Run(context.Background(), k,
			&exec.Launch{Grid: [3]int{1000}, Group: [3]int{32}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}))
		for i := range uint32(1000) {
			require.Equal(t, i*i, binary.LittleEndian.Uint32(out[4*i:]))
		}
		e.Close()
	}
}

// TestCancel: a spinning kernel ends when its context does, with the context's error; concurrent
// and later launches are unaffected.
func TestCancel(t *testing.T) {
	ks := kernelsOf(t, engineKernels)
	for _, workers := range []int{1, 2, 4} {
		e := exec.NewEngine(workers)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: make([]byte, 4*1025)})
		sp.Set(2, exec.Object{Data: make([]byte, 4*4096)})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		const spinning = 3
		for range spinning {
			go func() {
				done <- e.Run(ctx, ks["spin"],
					&exec.Launch{Grid: [3]int{1024}, Group: [3]int{32}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}})
			}()
		}
		l := &exec.Launch{Grid: [3]int{4096}, Group: [3]int{32}, Space: sp, Buffers: []uint64{exec.Address(2, 0)}}
		for range 20 {
			require.NoError(t, e.Run(context.Background(), ks["square"], l))
		}
		cancel()
		for range spinning {
			require.ErrorIs(t, <-done, context.Canceled)
		}
		require.NoError(t, e.Run(context.Background(), ks["square"], l))
		require.ErrorIs(t, e.Run(ctx, ks["square"], l), context.Canceled)
	}
}

// TestFirstError: the error is that of the first failing threadgroup, however late it fails.
func TestFirstError(t *testing.T) {
	k := kernelsOf(t, engineKernels)["fails"]
	const groups = 200
	for _, test := range []struct {
		when map[int]uint32
		want string // "" for none
	}{
		{map[int]uint32{}, ""},
		{map[int]uint32{150: 1}, "(150, 0, 0)"},
		{map[int]uint32{3: 100_000, 150: 1, 151: 1, 7: 5}, "(3, 0, 0)"},
		{map[int]uint32{5: 50_000, 6: 1, 199: 1}, "(5, 0, 0)"},
		{map[int]uint32{0: 10_000, 1: 1 << 31, 2: 1}, "(0, 0, 0)"}, // 1 would run forever, but does not matter
	} {
		for _, workers := range []int{1, 2, 8} {
			e := exec.NewEngine(workers)
			sp, when := &exec.Space{}, make([]uint32, groups)
			for g, n := range test.when {
				when[g] = n
			}
			sp.Set(1, exec.Object{Data: make([]byte, 4*groups)})
			sp.Set(2, exec.Object{Data: words(when...), ReadOnly: true})
			for range 5 {
				err := e.Run(context.Background(), k, &exec.Launch{Grid: [3]int{groups * 8}, Group: [3]int{8}, Space: sp,
					Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}})
				if test.want == "" {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, exec.ErrDivergentBarrier)
				require.ErrorContains(t, err, "threadgroup "+test.want)
			}
		}
	}
}

// TestFuel: a launch gets at least seven eighths of its fuel, and fails if it needs more. The work
// grows with the grid, not with the number of workers.
func TestFuel(t *testing.T) {
	ks := kernelsOf(t, engineKernels)
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: make([]byte, 4*4096)})
	run := func(workers, groups int, fuel int64) error {
		e := exec.NewEngine(workers)
		defer e.Close()
		return e.Run(context.Background(), ks["rounds"], &exec.Launch{Grid: [3]int{groups * 32},
			Group: [3]int{32}, Fuel: fuel, Space: sp, Buffers: []uint64{exec.Address(1, 0)}})
	}
	need := func(groups int) int64 { // about the minimum to give
		few, enough := int64(1), int64(1<<40)
		for enough-few > enough/100 {
			if middle := (few + enough) / 2; run(1, groups, middle) == nil {
				enough = middle
			} else {
				few = middle
			}
		}
		return enough
	}
	require.NoError(t, run(1, 1000, 0))
	small, large := need(500), need(1000)
	require.InDelta(t, 2*small, large, float64(large)/10)
	require.Greater(t, small, int64(500*10*32), "a unit for each thread and round at least")
	for _, workers := range []int{1, 3} {
		for _, fuel := range []int64{large*8/7 + 1, large * 2} {
			require.NoError(t, run(workers, 1000, fuel), "fuel %d", fuel)
		}
		for _, fuel := range []int64{large * 3 / 4, large / 2, 1} {
			require.ErrorIs(t, run(workers, 1000, fuel), exec.ErrFuel, "fuel %d", fuel)
		}
	}
}

// TestInvalidLaunch: a launch with invalid parameters is an error.
func TestInvalidLaunch(t *testing.T) {
	k := kernelsOf(t, engineKernels)["square"]
	e := exec.NewEngine(2)
	for _, l := range []*exec.Launch{
		{Grid: [3]int{1}, Group: [3]int{1025}},
		{Grid: [3]int{1}, Group: [3]int{32, 32, 2}},
		{Grid: [3]int{-1}, Group: [3]int{1}},
		{Grid: [3]int{1}, Group: [3]int{1, -5}},
		{Grid: [3]int{1 << 62, 1 << 62, 1 << 62}, Group: [3]int{1}},
		{Grid: [3]int{1 << 32, 1 << 32, 1}, Group: [3]int{1}},
		{Grid: [3]int{1}, Threadgroup: []int{16, -1}},
		{Grid: [3]int{1}, Threadgroup: []int{1 << 62, 1 << 62}},
	} {
		require.ErrorIs(t, e.Run(context.Background(), k, l), exec.ErrLaunch, "%v", l)
	}
	require.NoError(t, e.Run(context.Background(), k, &exec.Launch{Grid: [3]int{1}, Group: [3]int{32, 32, 1}}),
		"no space: writes vanish")
}

// TestLaunchAgain: many goroutines share one engine, one kernel and one launch.
func TestLaunchAgain(t *testing.T) {
	k := kernelsOf(t, engineKernels)["square"]
	e := exec.NewEngine(3)
	sp, out := &exec.Space{}, make([]byte, 4*3000)
	sp.Set(1, exec.Object{Data: out})
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			sp := &exec.Space{}
			sp.Set(1, exec.Object{Data: make([]byte, 4*3000)})
			l := &exec.Launch{Grid: [3]int{3000}, Group: [3]int{64}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}
			for range 20 {
				errs[i] = errors.Join(errs[i], e.Run(context.Background(), k, l))
			}
		}()
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	l := &exec.Launch{Grid: [3]int{3000}, Group: [3]int{64}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}
	for range 3 {
		clear(out)
		require.NoError(t, e.Run(context.Background(), k, l))
		for i := range uint32(3000) {
			require.Equal(t, i*i, binary.LittleEndian.Uint32(out[4*i:]))
		}
	}
}

// TestSpaceWhileRunning: objects are added and removed while a kernel uses others.
func TestSpaceWhileRunning(t *testing.T) {
	k := kernelsOf(t, engineKernels)["square"]
	e := exec.NewEngine(2)
	sp, out := &exec.Space{}, make([]byte, 4*4096)
	sp.Set(1, exec.Object{Data: out})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for i := uint32(0); ; i++ {
			select {
			case <-stop:
				return
			default:
				sp.Set(2+i%5000, exec.Object{Data: make([]byte, 16)})
				sp.Set(2+(i+7)%5000, exec.Object{})
			}
		}
	}()
	for range 50 {
		clear(out)
		require.NoError(t, e.Run(context.Background(), k,
			&exec.Launch{Grid: [3]int{4096}, Group: [3]int{64}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}))
		for i := range uint32(4096) {
			require.Equal(t, i*i, binary.LittleEndian.Uint32(out[4*i:]))
		}
	}
	close(stop)
	wg.Wait()
}

// TestSpace: objects are found by number, and invalid numbers give no object.
func TestSpace(t *testing.T) {
	sp := &exec.Space{}
	require.Empty(t, sp.Object(1).Data)
	for _, id := range []uint32{1, 255, 256, 100_000, exec.MaxObject, 77} {
		sp.Set(id, exec.Object{Data: words(id)})
	}
	for _, id := range []uint32{1, 255, 256, 100_000, exec.MaxObject, 77} {
		require.Equal(t, words(id), sp.Object(uint64(id)).Data)
	}
	sp.Set(256, exec.Object{})
	sp.Set(0, exec.Object{Data: words(1)})
	sp.Set(exec.MaxObject+1, exec.Object{Data: words(1)})
	for _, id := range []uint64{0, 2, 256, 257, exec.MaxObject + 1, 1 << 24} {
		require.Empty(t, sp.Object(id).Data, "object %d", id)
	}
}

// TestNoGarbage: launching a kernel that has run before allocates nothing.
func TestNoGarbage(t *testing.T) {
	if exec.RaceDetector {
		t.Skip("under the race detector pools forget at random")
	}
	k := kernelsOf(t, engineKernels)["square"]
	e := exec.NewEngine(1)
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: make([]byte, 4*4096)})
	l := &exec.Launch{Grid: [3]int{4096}, Group: [3]int{64}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	n := testing.AllocsPerRun(200, func() { err = errors.Join(err, e.Run(ctx, k, l)) })
	require.NoError(t, err)
	require.Less(t, n, 1.0)
}

// TestLargeVariables: variables that are too large are an error, and allocate nothing.
func TestLargeVariables(t *testing.T) {
	k := kernelsOf(t, `kernel void large(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { uint a[1 << 19]; a[out[i]] = i; out[i] = a[out[i + 1]]; }`)["large"]
	e := exec.NewEngine(1)
	defer e.Close()
	require.ErrorContains(t, e.Run(context.Background(), k, &exec.Launch{Grid: [3]int{1024}, Group: [3]int{1024}}),
		"2097152 bytes for each thread are more than 1048576")
}

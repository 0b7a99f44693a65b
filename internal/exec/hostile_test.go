package exec_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// hostileKernels do not end in reasonable time by themselves. Those with an argument count their
// progress.
func hostileKernels() string {
	var long strings.Builder // 9,000 operations
	for i := range 4500 {
		fmt.Fprintf(&long, "      x = (x ^ %du) * 3u;\n", i)
	}
	return `
kernel void long_body(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint x = i;
  for (;;) {
    out[0]++;
    {
` + long.String() + `    }
    if (x == 12345) out[1] = x;
  }
}
struct big { uint x[1 << 18]; };
kernel void copies(device uint *out [[buffer(0)]], device big *from [[buffer(1)]]) {
  for (uint i = 0; ; i = 1 - i) { out[0]++; from[i] = from[1 - i]; }
}
struct middling { uint x[1 << 12]; };
kernel void own(device uint *out [[buffer(0)]], device middling *from [[buffer(1)]]) {
  middling x = from[out[1]];
  for (;;) {
    out[0]++; x.x[out[0] % 4096]++;
    middling y = x;
    from[out[1]] = y; x = from[out[1] + 1];
  }
}
kernel void empty() {}
kernel void lock(device atomic_uint *out [[buffer(0)]]) {
  uint free = 0;
  while (!atomic_compare_exchange_weak_explicit(&out[0], &free, 1u,
                                                memory_order_relaxed, memory_order_relaxed)) free = 0;
  atomic_store_explicit(&out[0], 0u, memory_order_relaxed);
}
kernel void straight(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint x = out[i % 4];
` + long.String() + `  if (x == 12345) out[1] = x;
}
`
}

// hostile says how the kernels are launched.
var hostile = []struct {
	kernel      string
	grid, group [3]int
	second      int   // bytes of the second buffer
	each        int64 // minimum work per counted step
}{
	{"long_body", [3]int{256}, [3]int{256}, 0, 9000 * 256},
	{"copies", [3]int{1}, [3]int{1}, 2 << 20, 1 << 18},
	{"own", [3]int{1}, [3]int{1}, 2 << 14, 1 << 14},
	{"empty", [3]int{1 << 24, 1 << 24}, [3]int{1}, 0, 0},
	{"lock", [3]int{1024}, [3]int{1024}, 0, 0},
	{"straight", [3]int{1 << 40}, [3]int{256}, 0, 0},
}

// launchOf returns a launch and its first buffer.
func launchOf(i int) (*exec.Launch, []byte) {
	h := hostile[i]
	sp, out := &exec.Space{}, make([]byte, 64)
	sp.Set(1, exec.Object{Data: out})
	sp.Set(2, exec.Object{Data: make([]byte, h.second)})
	return &exec.Launch{Grid: h.grid, Group: h.group, Space: sp,
		Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}, out
}

// TestHostileBudget: kernels that would run for years end when their work budget is used up, having
// done no more work than that.
func TestHostileBudget(t *testing.T) {
	ks := kernelsOf(t, hostileKernels())
	const fuel = 1 << 27
	for i, h := range hostile {
		for _, workers := range []int{1, 2} {
			e := exec.NewEngine(workers)
			l, out := launchOf(i)
			l.Fuel = fuel
			err := e.Run(context.Background(), ks[h.kernel], l)
			var budget *exec.BudgetError
			require.ErrorAs(t, err, &budget, h.kernel)
			assert.EqualValues(t, fuel, budget.Work)
			require.ErrorIs(t, err, exec.ErrFuel)
			assert.ErrorContains(t, err, "the budget of 134217728 units of work is used up")
			if h.each > 0 {
				n := int64(binary.LittleEndian.Uint32(out))
				assert.Positive(t, n, h.kernel)
				assert.LessOrEqual(t, n, fuel/h.each+1, "%s went on for longer than its work allows", h.kernel)
			}
			e.Close()
		}
	}
}

// stopAfter stops work after a number of checks.
type stopAfter struct{ left atomic.Int64 }

var errStop = errors.New("enough")

func (s *stopAfter) Err() error {
	if s.left.Add(-1) < 0 {
		return errStop
	}
	return nil
}

// TestHostileStop: kernels without a budget end when stopped.
func TestHostileStop(t *testing.T) {
	ks := kernelsOf(t, hostileKernels())
	for i, h := range hostile {
		e := exec.NewEngine(2)
		l, _ := launchOf(i)
		var stop stopAfter
		stop.left.Store(20)
		require.ErrorIs(t, e.Run(&stop, ks[h.kernel], l), errStop, h.kernel)
		e.Close()
	}
}

const politeKernels = `
// The first simdgroups wait for the last one.
kernel void waits(device atomic_uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  if (i == 1023) atomic_store_explicit(&out[0], 1u, memory_order_relaxed);
  while (atomic_load_explicit(&out[0], memory_order_relaxed) == 0) {}
  atomic_fetch_add_explicit(&out[1], 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_device);
  uint sum = atomic_load_explicit(&out[1], memory_order_relaxed);
  if (i == 0) atomic_store_explicit(&out[2], sum, memory_order_relaxed);
}
// A lock in the form that GPUs need.
kernel void polite(device atomic_uint *out [[buffer(0)]], device uint *sum [[buffer(1)]]) {
  for (bool done = false; !done; ) {
    uint free = 0;
    if (atomic_compare_exchange_weak_explicit(&out[0], &free, 1u,
                                              memory_order_relaxed, memory_order_relaxed)) {
      sum[0]++;
      atomic_store_explicit(&out[0], 0u, memory_order_relaxed);
      done = true;
    }
  }
}
`

// TestStripsTakeTurns: threads may wait for writes by other threads of their threadgroup, earlier
// or later ones.
func TestStripsTakeTurns(t *testing.T) {
	ks := kernelsOf(t, politeKernels)
	for _, name := range []string{"waits", "polite"} {
		e := exec.NewEngine(1)
		sp, out, sum := &exec.Space{}, make([]byte, 16), make([]byte, 4)
		sp.Set(1, exec.Object{Data: out})
		sp.Set(2, exec.Object{Data: sum})
		require.NoError(t, e.Run(context.Background(), ks[name], &exec.Launch{Grid: [3]int{1024},
			Group: [3]int{1024}, Fuel: 1 << 36, Space: sp,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}), name)
		if name == "waits" {
			assert.Equal(t, words(1, 1024, 1024, 0), out)
		} else {
			assert.Equal(t, words(1024), sum)
		}
		e.Close()
	}
}

// TestSkippedWork: code that a kernel skips is free in the end.
func TestSkippedWork(t *testing.T) {
	var long strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&long, "x = sin(x) + %d;\n", i)
	}
	k := kernelsOf(t, `kernel void seldom(device float *out [[buffer(0)]]) {
  float x = out[1];
  for (uint i = 0; i < 10000; i++) {
    if (out[i % 3] != 0) { `+long.String()+` }
  }
  out[0] = x;
}`)["seldom"]
	e := exec.NewEngine(1)
	defer e.Close()
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: make([]byte, 64)})
	const all = 10000 * 2000 * 20 // if it were not skipped
	require.NoError(t, e.Run(context.Background(), k, &exec.Launch{Grid: [3]int{1}, Fuel: all / 20, Space: sp,
		Buffers: []uint64{exec.Address(1, 0)}}))
}

// account rejects scratch beyond a limit.
type account struct {
	limit      int64
	used, most atomic.Int64
}

func (a *account) TakeScratch(n int64) error {
	used := a.used.Add(n)
	if used > a.limit {
		a.used.Add(-n)
		return fmt.Errorf("%d bytes, more than %d", used, a.limit)
	}
	a.most.Store(max(a.most.Load(), used))
	return nil
}

func (a *account) GiveScratch(n int64) { a.used.Add(-n) }

// TestScratch: memory for the variables of threads is reserved before it is allocated, and
// returned; copying a large structure needs none.
func TestScratch(t *testing.T) {
	ks := kernelsOf(t, `
kernel void variables(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint a[1 << 10]; a[out[i] % 1024] = i; out[i] = a[out[i + 1] % 1024];
}
struct big { uint x[1 << 27]; };
kernel void copies(device uint *out [[buffer(0)]], device big *from [[buffer(1)]]) {
  from[0] = from[1];
}
`)
	e := exec.NewEngine(1)
	defer e.Close()
	l := &exec.Launch{Grid: [3]int{1024}, Group: [3]int{1024}}
	a := &account{limit: 1 << 20}
	l.Scratch = a
	err := e.Run(context.Background(), ks["variables"], l)
	require.ErrorIs(t, err, exec.ErrScratch)
	assert.Regexp(t,
		`kernel "variables" needs (\d+) bytes for each running threadgroup: (\d+) bytes, more than 1048576$`, err.Error())
	a.limit = 8 << 20
	require.NoError(t, e.Run(context.Background(), ks["variables"], l))
	assert.GreaterOrEqual(t, a.most.Load(), int64(4<<20), "a thread has 4096 bytes")
	assert.Zero(t, a.used.Load())

	a = &account{limit: 1 << 20}
	require.NoError(t, e.Run(context.Background(), ks["copies"], &exec.Launch{Grid: [3]int{1}, Scratch: a}))
	assert.Positive(t, a.most.Load())
	assert.Zero(t, a.used.Load())
}

// TestScratchOfOneWorker: memory for one worker's threads suffices for a launch shared by many
// workers.
func TestScratchOfOneWorker(t *testing.T) {
	k := kernelsOf(t, `
kernel void variables(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint a[1 << 10]; a[out[i] % 1024] = i; out[i] = a[out[i] % 1024] + 1;
}
`)["variables"]
	const n = 1 << 14
	out := make([]byte, 4*n)
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: out})
	l := &exec.Launch{Grid: [3]int{n}, Group: [3]int{64}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}
	e := exec.NewEngine(4)
	defer e.Close()
	one := &account{limit: 1 << 40}
	l.Scratch = one
	single := exec.NewEngine(1)
	defer single.Close()
	require.NoError(t, single.Run(context.Background(), k, l))
	a := &account{limit: one.most.Load() + one.most.Load()/2}
	l.Scratch = a
	for range 20 {
		clear(out)
		require.NoError(t, e.Run(context.Background(), k, l))
		require.EqualValues(t, n, binary.LittleEndian.Uint32(out[4*(n-1):]))
	}
	assert.Zero(t, a.used.Load())
}

package jit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestMachineCodeSingle: barriers, also those that order device memory, sums in threadgroup memory,
// stores of shared numbers and exits that depend on a mask are in ranges, and the results are the
// interpreter's, including the error of threads that wait at different barriers.
func TestMachineCodeSingle(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
kernel void reverse(device uint *out [[buffer(0)]], device uint *n [[buffer(1)]],
                    uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint s[256];
  uint x = out[t];
  for (uint k = 0; k < 40; k++) {
    s[t] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x += s[(t * 7 + k) % 256] * 3 + (t & k);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    s[255 - t] = x * x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x ^= s[(t + k * k) % 256];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[t] = x;
}
kernel void counts(device uint *out [[buffer(0)]], device uint *n [[buffer(1)]],
                   uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  uint x = out[t];
  for (uint k = 0; k < 20; k++) {
    n[g] = n[g] * 5 + k;
    x = x * 3 + n[g] + (t ^ k);
    n[100000000u + g] = x;
  }
  out[t] = x;
}
kernel void tallies(device uint *out [[buffer(0)]], device uint *n [[buffer(1)]],
                    uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint s[256];
  atomic_store_explicit(&s[t], t, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint x = out[t];
  for (uint k = 0; k < 9; k++) {
    atomic_fetch_add_explicit(&s[x % 300], k, memory_order_relaxed);
    if (x % 3 == 1) atomic_fetch_add_explicit(&s[x % 7], x, memory_order_relaxed);
    atomic_fetch_add_explicit(&s[n[0] % 256], x + k, memory_order_relaxed);
    atomic_fetch_add_explicit(&s[t], 1, memory_order_relaxed);
    x = x * 1664525 + 1013904223;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[t] = atomic_load_explicit(&s[t], memory_order_relaxed);
}
kernel void adds(device uint *out [[buffer(0)]], device atomic_uint *n [[buffer(1)]],
                 uint t [[thread_index_in_threadgroup]]) {
  uint x = out[t];
  for (uint k = 0; k < 9; k++) {
    atomic_fetch_add_explicit(&n[2], x % 5, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    x = x * 3 + t;
  }
  if (t < 256) out[t] = x + (atomic_load_explicit(&n[2], memory_order_relaxed) & 1) * 0;
}
kernel void leaves(device uint *out [[buffer(0)]], device uint *n [[buffer(1)]],
                   uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint s[256];
  s[t] = out[t] + t;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint x = s[255 - t] * 3 + t;
  if (x % 4 != n[1] % 4) return;
  for (uint k = 0; k < n[2]; k++) x = x * 7 + s[(t + k) % 256];
  out[t] = x;
}
kernel void diverges(device uint *out [[buffer(0)]], device uint *n [[buffer(1)]],
                     uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint s[256];
  uint x = out[t] * 3 + t;
  if (t < n[0]) threadgroup_barrier(mem_flags::mem_threadgroup);
  s[t] = x * 5 + t;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x = s[255 - t] * 3 + x;
  out[t] = x * x + t;
}`)
	for _, name := range []string{"reverse", "counts", "tallies", "adds", "leaves", "diverges"} {
		run := func(b backend, some uint32) (*exec.Kernel, []byte, error) {
			out := append(noise(1024), words(some, some+1, 9, 10)...)
			sp := &exec.Space{}
			sp.Set(1, exec.Object{Data: out[:1024]})
			sp.Set(2, exec.Object{Data: out[1024:]})
			k := exec.NewKernel(ks[name].Func(), exec.Options{Backend: b})
			e := exec.NewEngine(1)
			defer e.Close()
			err := e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{512}, Group: [3]int{256}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}})
			return k, out, err
		}
		for _, some := range []uint32{0, 3, 256} {
			_, want, failed := run(backend{}, some)
			require.Equal(t, name == "diverges" && some == 3, failed != nil)
			for _, o := range machineCodes(Options{}, Options{Spill: true}, Options{Cold: true},
				Options{Blocks: 16}, Options{Blocks: 4}, Options{Starve: true}) {
				k, have, err := run(backend{Machine: o}, some)
				require.Equal(t, failed == nil, err == nil, "%s: %v", name, err)
				if failed != nil {
					require.ErrorIs(t, err, exec.ErrDivergentBarrier)
					continue
				}
				require.Equal(t, want, have, "%s, %d, %+v", name, some, o)
				if o == (Options{}) && name == "reverse" {
					p, err := compiled(k, [3]int{256, 1, 1})
					require.NoError(t, err)
					c, err := Compile(p.lir, o)
					require.NoError(t, err)
					require.Len(t, c.Ranges, 1)
					require.True(t, c.Ranges[0].Waits)
				}
			}
		}
	}
}

package observe_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/observe"
	"github.com/puremetal/puremetal/internal/exec/vm"
)

// BenchmarkObserve compares launches without and with observation, of all threadgroups and of a
// sample of 64.
func BenchmarkObserve(b *testing.B) {
	const n = 1 << 18
	for _, c := range []struct {
		name string
		job
	}{
		{"copy", job{source: `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			device const uint *at [[buffer(2)]], uint i [[thread_position_in_grid]]) { b[i] = a[i]; }`,
			grid: [3]int{n}, group: [3]int{256}}},
		{"gather", job{source: `kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]],
			device const uint *at [[buffer(2)]], uint i [[thread_position_in_grid]]) { b[i] = a[at[i]]; }`,
			grid: [3]int{n}, group: [3]int{256}}},
		{"matmul", job{source: `kernel void k(device const float *a [[buffer(0)]], device float *c [[buffer(1)]],
			device const float *b [[buffer(2)]], uint2 p [[thread_position_in_grid]],
			uint2 q [[thread_position_in_threadgroup]]) {
			threadgroup float x[16][16], y[16][16];
			float sum = 0;
			for (uint t = 0; t < 256; t += 16) {
				x[q.y][q.x] = a[p.y * 256 + t + q.x];
				y[q.y][q.x] = b[(t + q.y) * 256 + p.x];
				threadgroup_barrier(mem_flags::mem_threadgroup);
				for (uint k = 0; k < 16; k++) sum += x[q.y][k] * y[k][q.x];
				threadgroup_barrier(mem_flags::mem_threadgroup);
			}
			c[p.y * 256 + p.x] = sum;
		}`, grid: [3]int{256, 256}, group: [3]int{16, 16}}},
	} {
		c.buffers = [][]byte{words(n), words(n), permutation(n)}
		f := c.kernel(b)
		for _, way := range []struct {
			name    string
			observe bool
			options observe.Options
		}{{"plain", false, observe.Options{}},
			{"whole", true, observe.Options{ReuseThreadgroups: observe.DefaultReuseThreadgroups}},
			{"sample", true, observe.Options{Threadgroups: 64, ReuseThreadgroups: observe.DefaultReuseThreadgroups}}} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				e := exec.NewEngine(1)
				defer e.Close()
				k := exec.NewKernel(f, exec.Options{Backend: vm.Backend{}})
				for b.Loop() {
					l := c.prepare()
					if !way.observe {
						require.NoError(b, e.Run(context.Background(), k, l))
						continue
					}
					o, err := observe.New(l, way.options)
					require.NoError(b, err)
					l.Hook = o
					require.NoError(b, e.Run(context.Background(), k, l))
					o.Result(f, nil)
				}
			})
		}
	}
}

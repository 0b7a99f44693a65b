package sanitize_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/sanitizer"
)

const benchSource = `#include <metal_stdlib>
using namespace metal;

kernel void add(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                device float *c [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    c[i] = a[i] + b[i];
}

kernel void matmul(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                   device float *c [[buffer(2)]], uint2 g [[thread_position_in_grid]],
                   uint2 t [[thread_position_in_threadgroup]]) {
    threadgroup float x[16][16], y[16][16];
    float sum = 0;
    for (uint k = 0; k < 512; k += 16) {
        x[t.y][t.x] = a[g.y * 512 + k + t.x];
        y[t.y][t.x] = b[(k + t.y) * 512 + g.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint j = 0; j < 16; j++)
            sum += x[t.y][j] * y[j][t.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    c[g.y * 512 + g.x] = sum;
}
`

// benchmark launches a kernel of benchSource with all checks, or without any.
func benchmark(b *testing.B, kernel int, words int, grid, group [3]int, checked bool) {
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "k.metal", Text: benchSource},
		msl.Options{NoWarnings: true, KeepUninitialized: checked})
	require.Empty(b, diags)
	e := exec.NewEngine(0)
	defer e.Close()
	k := exec.NewKernel(m.IR.Funcs[kernel], exec.Options{Backend: vm.Backend{}})
	l := &exec.Launch{Grid: grid, Group: group, Space: &exec.Space{}}
	for i := range 3 {
		data := make([]byte, 4*words)
		for j := range words {
			binary.LittleEndian.PutUint32(data[4*j:], uint32(0x3f800000+i+j%1000))
		}
		l.Space.Set(uint32(i+1), exec.Object{Data: data})
		l.Buffers = append(l.Buffers, exec.Address(uint32(i+1), 0))
	}
	s := sanitize.New(sanitizer.All, nil)
	b.SetBytes(int64(4 * words))
	for b.Loop() {
		if checked {
			l.Hook = s.Launch(l)
		}
		require.NoError(b, e.Run(context.Background(), k, l))
	}
	require.Empty(b, s.Findings())
}

// BenchmarkAdd adds vectors of a million elements under all checks.
func BenchmarkAdd(b *testing.B) {
	benchmark(b, 0, 1<<20, [3]int{1 << 20}, [3]int{256}, true)
}

// BenchmarkMatmul multiplies matrices of 512 × 512 by tiles, with all checks and without.
func BenchmarkMatmul(b *testing.B) {
	for _, checked := range []bool{true, false} {
		name := "unchecked"
		if checked {
			name = "checked"
		}
		b.Run(name, func(b *testing.B) {
			benchmark(b, 1, 512*512, [3]int{512, 512}, [3]int{16, 16}, checked)
		})
	}
}

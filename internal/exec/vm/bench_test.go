package vm

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
)

// kernels are what the benchmarks run.
const kernels = `
#include <metal_stdlib>
using namespace metal;
kernel void saxpy(device float *y [[buffer(0)]], device const float *x [[buffer(1)]], constant float &a [[buffer(2)]], constant uint &n [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}
kernel void matmul(device const float *A [[buffer(0)]], device const float *B [[buffer(1)]], device float *C [[buffer(2)]], constant uint &N [[buffer(3)]], uint2 g [[thread_position_in_grid]]) {
  float s = 0;
  for (uint k = 0; k < N; k++) s += A[g.y*N+k] * B[k*N+g.x];
  C[g.y*N+g.x] = s;
}
kernel void tiled(device const float *A [[buffer(0)]], device const float *B [[buffer(1)]], device float *C [[buffer(2)]], constant uint &N [[buffer(3)]], uint2 g [[thread_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float a[16][16], b[16][16];
  float s = 0;
  for (uint k = 0; k < N; k += 16) {
    a[t.y][t.x] = A[g.y*N+k+t.x];
    b[t.y][t.x] = B[(k+t.y)*N+g.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < 16; i++) s += a[t.y][i] * b[i][t.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  C[g.y*N+g.x] = s;
}
kernel void mandelbrot(device int *out [[buffer(0)]], constant uint &w [[buffer(1)]], uint2 g [[thread_position_in_grid]]) {
  float cx = g.x * 3.0f / w - 2, cy = g.y * 2.0f / w - 1, x = 0, y = 0; int i = 0;
  while (i < 100 && x*x + y*y <= 4) { float t = x*x - y*y + cx; y = 2*x*y + cy; x = t; i++; }
  out[g.y*w+g.x] = i;
}
kernel void reduce(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  threadgroup float s[256];
  s[t] = in[g*256+t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 128; d > 0; d >>= 1) { if (t < d) s[t] += s[t+d]; threadgroup_barrier(mem_flags::mem_threadgroup); }
  if (t == 0) out[g] = s[0];
}
`

func compile(tb testing.TB) map[string]*Kernel {
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "bench.metal", Text: kernels}, msl.Options{})
	require.Empty(tb, diags)
	ks := map[string]*Kernel{}
	for _, f := range m.IR.Funcs {
		ks[f.Name] = NewKernel(f)
	}
	return ks
}

func BenchmarkKernels(b *testing.B) {
	ks := compile(b)
	e := NewEngine(0)
	defer e.Close()
	word := func(x uint32) Object { return Object{Data: binary.LittleEndian.AppendUint32(nil, x)} }
	const N = 512
	big := func(n int) Object { return Object{Data: make([]byte, 4*n)} }
	tests := []struct {
		name        string
		grid, group [3]int
		buffers     []Object
	}{
		{"saxpy", [3]int{1 << 22}, [3]int{256}, []Object{big(1 << 22), big(1 << 22), word(0x40000000), word(1 << 22)}},
		{"matmul", [3]int{N, N}, [3]int{16, 16}, []Object{big(N * N), big(N * N), big(N * N), word(N)}},
		{"tiled", [3]int{N, N}, [3]int{16, 16}, []Object{big(N * N), big(N * N), big(N * N), word(N)}},
		{"mandelbrot", [3]int{1024, 1024}, [3]int{16, 16}, []Object{big(1 << 20), word(1024)}},
		{"reduce", [3]int{1 << 20}, [3]int{256}, []Object{big(1 << 20), big(1 << 12)}},
	}
	for _, t := range tests {
		b.Run(t.name, func(b *testing.B) {
			sp := &Space{}
			l := &Launch{Grid: t.grid, Group: t.group, Space: sp}
			for i, o := range t.buffers {
				sp.Set(uint32(i+1), o)
				l.Buffers = append(l.Buffers, Address(uint32(i+1), 0))
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := e.Run(context.Background(), ks[t.name], l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package exectest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// accesses are kernels that exceed the bounds of their memory, one for each kind of memory. T is a
// type; i is the thread's number in the grid, t that in the threadgroup; off shifts what they
// access.
var accesses = []struct{ name, body string }{
	{"affine", "out[i + off] = in[3 * i - 2 * off];"},
	{"backwards", "out[off + 60 - i] = in[50 - 2 * i];"},
	{"planes", "out[int(p.x) + 2 * off + 301 * int(p.y) + 17 * int(p.z)] = in[int(p.y) - off + 5 * int(p.x)];"},
	{"uniform", "T x = in[off]; if (i == 0) out[off + 1] = x; if (i == 1) out[off - 1] = in[off + 31];"},
	{"constant", "out[i + off] = T(7);"},
	{"indexed", "out[(i ^ 5) + off] = in[(i * 7919) % 97 - off];"},
	{"wide", "out[(long(i) << 41) + off + i] = in[long(i & 3) * 0x100000001L + off];"},
	{"around the end of all offsets",
		"out[i + all] = in[long(i) + 0x0fffffffffffffffL]; out[i] = in[long(i) - 1 + 0x1000000000000000L]; out[long(i) + 2 * all + 0x1000000000000000L] = T(3);"},
	{"some lanes", "if (i % 3 == 0) out[i + off] = in[i - off]; else if (i % 3 == 1 && in[i & 7] < T(100)) out[i + off] = in[(i * 31) & 63];"},
	{"few lanes", "if (t < 5) out[i + off] = in[i - off]; if (t > 20) out[i + off] = in[2 * i - off];"},
	{"rounds", "for (int k = 0; k < (i & 7); k++) { if (in[k] == in[i & 31]) continue; if (k == 5 + (i & 1)) break; out[i + off] = in[i * k - off]; }"},
	{"threadgroup", "threadgroup T s[40]; s[t - off] = in[i & 15]; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = s[t + off] ; out[i + all] = s[(t * 7 + off) & 63];"},
	{"thread", "T a[7]; uchar b[3] = {1, 2, 3}; for (int k = 0; k < 7; k++) a[k] = in[k]; a[(i & 15) - 4] = T(9); b[off & 7] = 6; out[i] = a[(i >> 1) % 11 - 2] + T(b[i & 3]);" +
		"thread uchar *q = (thread uchar *)a; q[(i + off) & 63] = 5; out[i + all] = a[i & 7] + T(q[(i * 3) & 31]);"},
	{"struct", "struct S { T a[3]; uchar b[3]; }; device S *to = (device S *)out; device const S *from = (device const S *)in; S x = from[i - off]; x.b[1] = 4; to[i + off] = x;"},
	{"pointers", "device T *q = (i & 1) ? out + 2 * all : out; q += off; q[i] = (i & 2) ? q[i + 3 * all] : in[i];"},
	{"vectors", "vec<T, 4> v = ((device const vec<T, 4> *)in)[i - off]; ((device vec<T, 4> *)out)[i + off] = v.wzyx;"},
}

var atomicAccesses = []struct{ name, body string }{
	{"add", "atomic_fetch_add_explicit((device atomic_uint *)out + (i % 50 - off), uint(i), memory_order_relaxed);"},
	{"one", "atomic_fetch_add_explicit((device atomic_uint *)out + off, 3u, memory_order_relaxed); atomic_fetch_max_explicit((device atomic_int *)out + 100 + off, i, memory_order_relaxed);"},
	{"threadgroup", "threadgroup atomic_uint h[20]; if (t < 20) atomic_store_explicit(&h[t], 0u, memory_order_relaxed); threadgroup_barrier(mem_flags::mem_threadgroup);" +
		"atomic_fetch_add_explicit(&h[(i * 5) % 31 - off], 2u, memory_order_relaxed); atomic_fetch_add_explicit(&h[off & 15], uint(i), memory_order_relaxed);" +
		"threadgroup_barrier(mem_flags::mem_threadgroup); if (t < 20) out[i] = atomic_load_explicit(&h[t], memory_order_relaxed);"},
	{"others", "device atomic_uint *a = (device atomic_uint *)out + (i & 7) + off; atomic_fetch_min_explicit(a, uint(i), memory_order_relaxed); atomic_fetch_or_explicit(a + 8, uint(i), memory_order_relaxed);" +
		"atomic_fetch_and_explicit(a + 16, uint(i), memory_order_relaxed); atomic_fetch_sub_explicit(a + 24, uint(i), memory_order_relaxed);"},
	{"results", "out[i] = atomic_fetch_add_explicit((device atomic_uint *)out + 1000000 + off, 1u, memory_order_relaxed) + 5u;"},
}

const accessKernel = `kernel void reach(device T *out [[buffer(0)]], device const T *in [[buffer(1)]], constant int &off [[buffer(2)]],
  uint3 p [[thread_position_in_grid]], uint3 size [[threads_per_grid]], uint index [[thread_index_in_threadgroup]]) {
  int i = p.x + size.x * (p.y + size.y * p.z), t = index, all = size.x * size.y * size.z;
`

// TestReach: kernels that exceed the bounds of their memory read 0 there, write nothing, and give
// the oracle's bits; the surrounding memory is unchanged.
func TestReach(t *testing.T) {
	one, two := exec.NewEngine(1), exec.NewEngine(2)
	type kernel struct{ name, elem, body string }
	var kernels []kernel
	for _, a := range accesses {
		for _, elem := range []string{"uchar", "ushort", "float", "long"} {
			kernels = append(kernels, kernel{a.name, elem, a.body})
		}
	}
	for _, a := range atomicAccesses {
		kernels = append(kernels, kernel{"atomic " + a.name, "uint", a.body})
	}
	launches := [][2][3]int{{{150, 1, 1}, {64, 1, 1}}, {{13, 7, 1}, {5, 4, 1}}, {{6, 5, 4}, {4, 3, 2}},
		{{300, 1, 1}, {300, 1, 1}}, {{16, 16, 1}, {16, 16, 1}}}
	for _, k := range kernels {
		text := "#include <metal_stdlib>\nusing namespace metal;\n" + strings.ReplaceAll(accessKernel, "device T *out",
			"device "+k.elem+" *out")
		text = strings.ReplaceAll(text, "const T *in",
			"const "+k.elem+" *in") + "  typedef " + k.elem + " T;\n  " + k.body + "\n}\n"
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "reach.metal", Text: text}, msl.Options{})
		for _, d := range diags {
			require.Contains(t, fmt.Sprint(d), "warning", "%s %s: %v", k.name, k.elem, d)
		}
		options := []exec.Options{{Backend: vm.Backend{}}, {Backend: vm.Backend{Strip: 32, PlainGo: true}},
			{Backend: vm.Backend{PlainGo: true}, Off: opt.All}, {Backend: vm.Backend{Strip: 64}},
			{Backend: vm.Backend{Machine: jit.Options{}}},
			{Backend: vm.Backend{Machine: jit.Options{Blocks: 1, Spill: true}}},
			{Backend: vm.Backend{Machine: jit.Options{AVX2: true}}},
			{Backend: vm.Backend{Machine: jit.Options{AVX2: true, Blocks: 1, Spill: true}}}}
		var made []*exec.Kernel
		for _, o := range options {
			made = append(made, exec.NewKernel(m.IR.Funcs[0], o))
		}
		for n, g := range launches {
			for _, off := range []uint32{0, 9, 1<<32 - 14} {
				in, fresh := testlaunch.Noise(700), testlaunch.Noise(1300)
				want := append([]byte(nil), fresh...)
				err := testlaunch.Launch{Grid: g[0], Group: g[1],
					Buffers: map[int]testlaunch.Buffer{0: {Data: want}, 1: {Data: in, ReadOnly: true},
						2: {Data: testlaunch.Words(off), ReadOnly: true}}}.Run(context.Background(), m.IR.Funcs[0], ref.Run)
				require.NoError(t, err)
				for variant, o := range options {
					e := []*exec.Engine{one, two}[variant%2]
					around := testlaunch.Noise(3300)
					got := around[1000:2300]
					copy(got, fresh)
					sp := &exec.Space{}
					sp.Set(1, exec.Object{Data: got})
					sp.Set(2, exec.Object{Data: in, ReadOnly: true})
					sp.Set(3, exec.Object{Data: testlaunch.Words(off), ReadOnly: true})
					l := &exec.Launch{Grid: g[0], Group: g[1], Space: sp,
						Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}
					what := fmt.Sprintf("%s %s, launch %d, off %d, %+v", k.name, k.elem, n, int32(off), o)
					require.NoError(t, e.Run(context.Background(), made[variant], l), what)
					if string(want) != string(got) {
						at := 0
						for want[at] == got[at] {
							at++
						}
						t.Errorf("%s: byte %d is %d, want %d", what, at, got[at], want[at])
						break
					}
					require.Equal(t, testlaunch.Noise(3300)[:1000], around[:1000], what)
					require.Equal(t, testlaunch.Noise(3300)[2300:], around[2300:], what)
				}
			}
		}
	}
}

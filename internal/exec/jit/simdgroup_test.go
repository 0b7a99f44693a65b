package jit

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// simdgroupKernels work among the lanes of simdgroups, on matrices, and on vectors in memory.
const simdgroupKernels = `
kernel void sums(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],
                 uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
  int x = in[i % 61];
  float f = float(x);
  uint4 u = uint4(simd_sum(x), simd_min(x), simd_max(x), simd_product(x | 1));
  u ^= uint4(simd_and(x), simd_or(x), simd_xor(x), simd_max(uint(x)));
  u += as_type<uint4>(float4(simd_sum(f), simd_min(f), simd_max(f), simd_product(1 + f * 0.001f)));
  u.x += simd_shuffle_xor(x, 5) + simd_shuffle_up(x, 3) * 7 + simd_shuffle_down(x, 9) * 11;
  u.y ^= simd_shuffle_rotate_up(x, 2) + simd_broadcast(x, 17) * 3 + as_type<uint>(simd_shuffle_xor(f, 16));
  u.z += uint(ulong(simd_ballot(x > 0))) + (simd_any(x > 1900) ? 5 : 0) + (simd_all(x > -1900) ? 9 : 0);
  out[4 * i] = u.x; out[4 * i + 1] = u.y; out[4 * i + 2] = u.z; out[4 * i + 3] = u.w;
}
kernel void moves(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]]) {
  int x = in[i % 61];
  uint by = uint(in[(i * 7 + 3) % 61] + 2000) % 70;  // also more than there are lanes
  float f = float(x) * 0.37f;
  half h = half(f);
  uchar b = uchar(x);
  uint4 u = uint4(simd_shuffle(x, by), simd_shuffle_xor(x, by), simd_shuffle_up(x, by), simd_shuffle_down(x, by));
  u += uint4(simd_shuffle_rotate_up(x, by), simd_shuffle_rotate_down(x, by), simd_shuffle(x, 37),
             simd_shuffle_down(x, 40));
  float p = 1 + f * 0.001f;
  u ^= as_type<uint4>(float4(simd_prefix_exclusive_sum(f), simd_prefix_inclusive_sum(f),
                             simd_prefix_exclusive_product(p), simd_prefix_inclusive_product(p)));
  u += uint4(simd_prefix_exclusive_sum(x), simd_prefix_inclusive_sum(x), simd_prefix_exclusive_product(x | 1),
             simd_prefix_inclusive_product(x | 1));
  u.x += as_type<ushort>(simd_shuffle(h, by)) + simd_shuffle_xor(b, 3) * 5 + simd_shuffle_up(ushort(b), 3) * 7;
  u.y += simd_shuffle_and_fill_up(x, int(by), 5) * 3 + simd_shuffle_and_fill_down(x, int(by), 3, 8) * 5;
  u.z ^= simd_broadcast_first(x) * 3 + (simd_is_first() ? 77 : 0) + as_type<ushort>(simd_broadcast_first(h));
  if (x > -900) {
    u.x += simd_sum(x) + simd_max(uint(x)) * 3 + simd_shuffle(x, by) * 5 + simd_broadcast_first(x) * 7;
    u.y ^= as_type<uint>(simd_sum(f)) + as_type<uint>(simd_min(f)) * 3 + as_type<uint>(simd_product(1 + f * 0.001f));
    u.z += simd_prefix_exclusive_sum(x) * 3 + simd_prefix_inclusive_product(x | 1) + (simd_is_first() ? 99 : 0);
    u.w += uint(ulong(simd_ballot(x > 0))) + (simd_any(x > 1800) ? 5 : 0) + (simd_all(x > -850) ? 9 : 0) +
           uint(ulong(simd_active_threads_mask())) * 3;
    if (by < 40) u.x ^= as_type<uint>(simd_prefix_exclusive_sum(f * 0.0f - 0.0f)) + simd_shuffle_xor(x, 1) * 3;
  }
  out[4 * i] = u.x; out[4 * i + 1] = u.y; out[4 * i + 2] = u.z; out[4 * i + 3] = u.w;
  threadgroup_barrier(mem_flags::mem_device);
  out[16 * s] = simd_sum(x);
}
kernel void quads(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  int x = in[i % 61];
  uint by = uint(in[(i * 7 + 3) % 61] + 2000) % 7;  // also more than there are lanes
  float f = float(x) * 0.37f;
  half h = half(f);
  uchar b = uchar(x);
  uint4 u = uint4(quad_shuffle(x, by), quad_shuffle_xor(x, by), quad_shuffle_up(x, by), quad_shuffle_down(x, by));
  u += uint4(quad_shuffle_rotate_up(x, by), quad_shuffle_rotate_down(x, by), quad_shuffle(x, 2),
             quad_shuffle_down(x, 1));
  float p = 1 + f * 0.001f;
  u ^= as_type<uint4>(float4(quad_prefix_exclusive_sum(f), quad_prefix_inclusive_sum(f),
                             quad_prefix_exclusive_product(p), quad_prefix_inclusive_product(p)));
  u += uint4(quad_prefix_exclusive_sum(x), quad_prefix_inclusive_sum(x), quad_prefix_exclusive_product(x | 1),
             quad_prefix_inclusive_product(x | 1));
  u.x += as_type<ushort>(quad_shuffle(h, by)) + quad_shuffle_xor(b, 3) * 5 + quad_broadcast(x, 2) * 7;
  u.y += quad_broadcast_first(x) + (quad_any(x > 900) ? 5 : 0) + (quad_all(x > -900) ? 9 : 0);
  u.z ^= as_type<uint>(quad_sum(f)) + as_type<uint>(quad_min(f)) * 3 + as_type<uint>(quad_product(p));
  if (x > -900) {
    u.x += quad_sum(x) + quad_max(uint(x)) * 3 + quad_shuffle(x, by) * 5 + quad_min(x) * 7 + quad_xor(x) * 9;
    u.y ^= as_type<uint>(quad_sum(f)) + as_type<uint>(quad_max(f)) * 3 + as_type<uint>(quad_product(p));
    u.z += quad_prefix_exclusive_sum(x) * 3 + quad_prefix_inclusive_product(x | 1);
    u.w += (quad_any(x > 1500) ? 5 : 0) + (quad_all(x > -600) ? 9 : 0) + quad_and(x) + quad_or(x) * 3;
  }
  out[4 * i] = u.x; out[4 * i + 1] = u.y; out[4 * i + 2] = u.z; out[4 * i + 3] = u.w;
}
kernel void groups(device float4 *out [[buffer(0)]], device const float4 *in [[buffer(1)]],
                   uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
  if (i % 3 != 1) {
    float4 x = in[i], y = in[i + 3];
    out[i] = float4(x.x - y.w, log(y.x * y.x + 1), y.z * x.w, x.y + x.x);
  } else {
    out[i].yw = in[i + 7].xz;
  }
  if (i < n - 5) out[i] = out[i].wzyx + in[i];
}
kernel void matrices(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                     uint i [[thread_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]],
                     uint n [[threads_per_grid]]) {
  simdgroup_float8x8 a, b, c = make_filled_simdgroup_matrix<float, 8>(0.5f);
  simdgroup_half8x8 h = make_filled_simdgroup_matrix<half, 8>(0.25h);
  for (uint k = 0; k < 3; ++k) {
    simdgroup_load(a, in + 16 * k + 8 * s, 8 + k);
    simdgroup_load(b, in + 40 * s, 12);
    h.thread_elements()[0] = half(in[(i + k) % 61] * 0.01f);
    simdgroup_multiply_accumulate(c, a, b, c);
    simdgroup_multiply_accumulate(c, h, h, c);
    c.thread_elements()[1] *= 0.01f;
    simdgroup_multiply_accumulate(c, simdgroup_float8x8(0.3f + k), simdgroup_half8x8(0.7h), c);
  }
  simdgroup_store(c, out + 64 * s, 8);
  simdgroup_store(a, out + 64 * s + 2, 3);
}
`

// TestMachineCodeSimdgroups: operations among lanes, on matrices, and on vectors in memory have the
// interpreter's results, inside and outside of buffers.
func TestMachineCodeSimdgroups(t *testing.T) {
	needMachineCode(t)
	for name, k := range kernelsOf(t, simdgroupKernels) {
		in := make([]byte, 16*310)
		for i := range len(in) / 4 {
			x := uint32((i*2654435761)>>7%4001 - 2000)
			if name == "groups" || name == "matrices" {
				x = math.Float32bits(float32(int32(x)) / 64)
			}
			binary.LittleEndian.PutUint32(in[4*i:], x)
		}
		for _, threads := range []int{1, 20, 32, 64, 96, 250, 256, 300, 512} {
			for _, bytes := range []int{len(in), 4 * 130} {
				run := func(k *exec.Kernel) []byte {
					out := make([]byte, 16*threads+1024)
					sp := &exec.Space{}
					sp.Set(1, exec.Object{Data: out[:16*threads-8]})
					sp.Set(2, exec.Object{Data: in[:bytes], ReadOnly: true})
					e := exec.NewEngine(1)
					defer e.Close()
					require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{threads}, Group: [3]int{min(threads, 320)},
						Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
					return out
				}
				want := run(k)
				for _, o := range machineCodes(Options{}, Options{Blocks: 2}, Options{Blocks: 4},
					Options{Spill: true}, Options{Cold: true}, Options{Starve: true}) {
					k := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
					for i, x := range run(k) {
						require.Equal(t, want[i], x, "%s, byte %d of %d threads, %d bytes, %+v", name, i, threads, bytes, o)
					}
				}
			}
		}
		for _, o := range machineCodes(Options{}) {
			p, err := compiled(k, [3]int{256, 1, 1})
			require.NoError(t, err)
			c, err := Compile(p.lir, o)
			require.NoError(t, err)
			for pc := range p.lir.Code {
				in := &p.lir.Code[pc]
				interpreted := !slices.ContainsFunc(c.Ranges, func(r *Range) bool { return r.From <= pc && pc < r.To })
				group := in.Op.IR().Group()
				if interpreted && (group == ir.SimdOps || group == ir.QuadOps || group == ir.MatrixOps || in.Op == lir.OpBack) {
					t.Errorf("%s, %+v: instruction %d, %s, is interpreted", name, o, pc, p.lir.Text(pc))
				}
			}
		}
	}
}

package jit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// TestMachineCodeExports: affine numbers that a range computes and code behind a barrier reads are
// the interpreter's, also where they wrap, and ranges begin with the first instruction. The numbers
// of simdgroups and threadgroups are right in all strips.
func TestMachineCodeExports(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
struct Sizes { uint start, by, row; int back; ulong far; };
kernel void exports(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                    constant Sizes &s [[buffer(2)]], uint3 p [[thread_position_in_threadgroup]],
                    uint i [[thread_index_in_threadgroup]], uint g [[simdgroup_index_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint3 group [[threadgroup_position_in_grid]],
                    uint3 groups [[threadgroups_per_grid]]) {
  threadgroup uint sums[32];
  const uint a = s.start + p.x * 3 - p.y * s.row;
  const uint b = p.x * s.by + p.z * s.row + s.start;
  const int c = s.back - int(p.x * 5 + p.y);
  const ulong far = s.far + ulong(p.x) * 12 + ulong(p.y) * 4;
  uint sum = simd_sum(a ^ i) + g * 77 + uint(far);
  if (lane == 0) sums[g] = sum + b;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  sum += a * 3 + b + in[a] + in[b] + sums[i % 32] + uint(c) + in[far] + in[far + 2];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lane == 1) sums[g] = sum + in[c];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = 0; k < 3; k++) sum = sum * 5 + in[b + k] + uint(long(c) >> 1) + sums[(i + k) % 32] + g;
  const uint n = (group.z * groups.y + group.y) * groups.x + group.x;
  out[n * 1024 + i] = sum + in[uint(far)] + in[c + 1] + (ulong(b) + ulong(c) > s.far ? 1 : 0);
}`)
	in := words(make([]uint32, 3000)...)
	for i := range in {
		in[i] = byte(i * i >> 2)
	}
	e := exec.NewEngine(2)
	defer e.Close()
	for _, group := range [][3]int{{32}, {24}, {256}, {1000}, {1024}, {32, 4, 2}, {16, 16}, {64, 8, 2}, {512, 2}} {
		for _, s := range [][]uint32{{0, 1, 64, 5, 0, 0}, {9, 7, 2, 1000, 100, 0},
			{0xfffffff0, 1, 1, 20, 0xffffff00, 0xffffffff},
			{0x7ffffff0, 5, 1 << 20, 1 << 31, 8, 1 << 29}, {100, 0xffffffff, 0xffffff00, 0x7fffffff, 0xfffffff0, 0},
			{3, 1 << 24, 1 << 30, 0xffffffff, 0, 1 << 31}} {
			run := func(k *exec.Kernel) []byte {
				out := make([]byte, 4*1024*6)
				sp := &exec.Space{}
				sp.Set(1, exec.Object{Data: out})
				sp.Set(2, exec.Object{Data: in, ReadOnly: true})
				sp.Set(3, exec.Object{Data: words(s...), ReadOnly: true})
				require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{3 * group[0], 2 * max(1, group[1]), group[2]},
					Group: group, Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
				return out
			}
			want := run(ks["exports"])
			for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Cold: true},
				Options{Starve: true}) {
				k := exec.NewKernel(ks["exports"].Func(), exec.Options{Backend: backend{Machine: o}})
				for range 2 { // the second launch finds the first one's state
					require.Equal(t, want, run(k), "%v, %v, %+v", group, s, o)
				}
			}
		}
	}
	k := exec.NewKernel(ks["exports"].Func(), exec.Options{Backend: backend{Machine: Options{}}})
	p, err := compiled(k, [3]int{1024, 1, 1})
	require.NoError(t, err)
	require.NotEmpty(t, p.ranges)
	require.Zero(t, p.ranges[0].From)
	for pc := range p.lir.Code {
		in := &p.lir.Code[pc]
		if in.Op.IR() == ir.OpIn || in.Op.IR() == ir.OpArg || in.Op == lir.OpPos {
			require.Less(t, pc, p.ranges[0].To)
		}
	}
}

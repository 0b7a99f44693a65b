package jit

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// TestMachineCodeIndices: affine indices of 64 bits give the interpreter's bits, in one strip and
// in several, in rows of threads and in boxes, across barriers and in loops, inside of the object
// and outside, and where sums wrap.
func TestMachineCodeIndices(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
struct Sizes { ulong start, row; long back; uint n; };
kernel void rows(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 constant Sizes &s [[buffer(2)]], uint group [[threadgroup_position_in_grid]],
                 uint i [[thread_index_in_threadgroup]], uint x [[thread_position_in_threadgroup]]) {
  threadgroup float sums[32];
  device const float *a = in + (s.start + x * 4);
  device float *to = out + (group * s.row + x * 4);
  float v[4], sum = 0;
  if (x * 4 + 4 <= s.n) {
    for (int k = 0; k < 4; k++) { v[k] = a[k]; sum += v[k] * v[k]; }
  } else {
    for (int k = 0; k < 4; k++) { v[k] = x * 4 + k < s.n ? a[k] : 1; sum += v[k]; }
  }
  sum = simd_sum(sum);
  if (i < 32) sums[i] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i % 32 == 0) sums[i / 32] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  sum = simd_sum(sums[i % 32]);
  if (x * 4 + 4 <= s.n) {
    for (int k = 0; k < 4; k++) to[k] = v[k] * sum;
  } else {
    for (int k = 0; k < 4; k++) if (x * 4 + k < s.n) to[k] = v[k] - sum;
  }
}
kernel void sums(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                 constant Sizes &s [[buffer(2)]], uint3 p [[thread_position_in_threadgroup]],
                 uint i [[thread_index_in_threadgroup]]) {
  device const ushort *narrow = (device const ushort *)in;
  device const uchar *bytes = (device const uchar *)in;
  device const long *wide = (device const long *)in;
  const ulong up = s.start + ulong(p.x) * 3 + (ulong(p.y) << 2) - ulong(p.z);
  const ulong down = s.start - ulong(p.x + 5);
  const ulong far = ulong(p.x * 2 + p.y) * 0x4000000000000002ul + s.start;
  const ulong other = -ulong(p.y) + s.back;
  uint sum = 0;
  for (uint k = 0; k < s.n % 7; k++) {
    sum = sum * 5 + in[up + k * s.row] + (in[down] ^ in[far + k]) + narrow[other + p.x] + narrow[up] +
          bytes[up + s.back] + uint(wide[up] >> 3) + in[uint(up) + k];
    if (sum & 2) sum += in[other];
  }
  threadgroup_barrier(mem_flags::mem_device);
  out[s.start + i] = sum;
  device ushort *to = (device ushort *)out;
  to[s.row + ulong(i) + 4096] = ushort(sum);
  if (sum & 1) ((device long *)out)[s.row + ulong(i) + 1500] = sum;
}
kernel void moves(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                  constant Sizes &s [[buffer(2)]], uint x [[thread_position_in_threadgroup]],
                  uint i [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]]) {
  float sum = 0;
  ulong at = ulong(x), to = ulong(x);
  for (uint k = 0; k < s.n % 9; k++) {
    sum = sum * 0.5f + in[at];
    at += s.row;
    to += 1024;
    out[to] = sum;
  }
  threadgroup_barrier(mem_flags::mem_device);
  out[s.start + ulong(i) * 2] = sum;
}`)
	in := make([]byte, 1<<15)
	for i := range len(in) / 4 {
		binary.LittleEndian.PutUint32(in[4*i:], 0x3e000000+uint32((i*2654435761)>>7%4001)<<12)
	}
	e := exec.NewEngine(1)
	defer e.Close()
	for _, name := range []string{"rows", "sums", "moves"} {
		for _, group := range [][3]int{{1}, {24}, {32}, {256}, {1000}, {1024}, {32, 4, 2}, {16, 16}, {4, 8, 8}, {512, 2}} {
			for _, sizes := range [][4]uint64{{0, 1024, 100, 1024}, {9, 4, 0, 900}, {1<<62 + 7, 1000, 1 << 40, 4096},
				{1<<64 - 60, 1<<64 - 3, 1<<63 - 1, 70}, {1 << 38, 1 << 38, 5, 510}} {
				var args []byte
				for _, x := range sizes {
					args = binary.LittleEndian.AppendUint64(args, x)
				}
				grid := [3]int{3 * group[0], group[1], group[2]}
				run := func(k *exec.Kernel) []byte {
					out := make([]byte, 1<<15)
					sp := &exec.Space{}
					sp.Set(1, exec.Object{Data: out[:20001]})
					sp.Set(2, exec.Object{Data: in[:9001], ReadOnly: true})
					sp.Set(3, exec.Object{Data: args, ReadOnly: true})
					require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: grid, Group: group, Space: sp,
						Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
					return out
				}
				want := run(ks[name])
				for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Blocks: 2, Spill: true},
					Options{Cold: true}, Options{Starve: true}) {
					k := exec.NewKernel(ks[name].Func(), exec.Options{Backend: backend{Machine: o}})
					require.Equal(t, want, run(k), "%s, %v, %v, %+v", name, group, sizes, o)
				}
			}
		}
	}
}

// TestMachineCodeIndicesAcrossBarriers: where barriers divide a kernel into ranges, accesses at an
// index that is computed before them are machine code.
func TestMachineCodeIndicesAcrossBarriers(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
kernel void twice(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                  constant ulong &start [[buffer(2)]], uint i [[thread_position_in_threadgroup]]) {
  device const float *a = in + (start + i * 4);
  device float *to = out + (start + i * 4);
  threadgroup float shared[1024];
  shared[i] = a[0] + a[1];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float v = shared[i ^ 1] + a[2] + a[3];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  to[0] = v;
  to[1] = v * shared[i];
}`)
	for _, o := range machineCodes(Options{}) {
		var ranges []*Range
		b := backend{Machine: o, compiled: func(list []*Range) { ranges = list }}
		p, err := compiled(exec.NewKernel(ks["twice"].Func(), exec.Options{Backend: b}), [3]int{1024, 1, 1})
		require.NoError(t, err)
		accesses := 0
		for pc := range p.lir.Code {
			in := &p.lir.Code[pc]
			if in.Per != lir.Lane || in.Scale == 0 {
				continue
			}
			accesses++
			inside := false
			for _, r := range ranges {
				inside = inside || pc >= r.From && pc < r.To
			}
			require.True(t, inside, fmt.Sprintf("%+v, instruction %d of\n%v", o, pc, p.lir))
		}
		require.GreaterOrEqual(t, accesses, 6)
	}
}

// TestMachineCodeIndicesInBlocks: blocks that are iterations of a loop count from their own first
// lane, where each lane has an element of its own too.
func TestMachineCodeIndicesInBlocks(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, `
kernel void apart(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                  constant ulong &start [[buffer(2)]], uint i [[thread_position_in_grid]],
                  uint2 p [[thread_position_in_threadgroup]]) {
  device const long *wide = (device const long *)in;
  const ulong at = start + ulong(p.x) * 3 + ulong(p.y) * 64;
  out[i] = in[at] + uint(wide[at] >> 3);
}`)["apart"]
	in := noise(1 << 14)
	e := exec.NewEngine(1)
	defer e.Close()
	for _, group := range [][3]int{{256, 1, 1}, {64, 4, 1}, {16, 16, 1}} {
		run := func(k *exec.Kernel) []byte {
			out, sp := make([]byte, 4*768), &exec.Space{}
			sp.Set(1, exec.Object{Data: out})
			sp.Set(2, exec.Object{Data: in})
			sp.Set(3, exec.Object{Data: words(7, 0)})
			require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{3 * group[0], group[1], 1}, Group: group,
				Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
			return out
		}
		want := run(k)
		for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Blocks: 4}) {
			machine := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
			require.Equal(t, want, run(machine), "%v, %+v", group, o)
			p, err := compiled(machine, group)
			require.NoError(t, err)
			require.Len(t, p.ranges, 1)
			require.True(t, p.ranges[0].Row)
		}
	}
}

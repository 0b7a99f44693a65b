package jit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

const pointerKernels = `
struct Buffers { device uint *out; device const uint *in[3]; ulong offset; };

// Which buffers it accesses is in memory. They change with every iteration, and with the
// threadgroup.
kernel void pointers(constant Buffers *all [[buffer(0)]], uint group [[threadgroup_position_in_grid]],
                     uint t [[thread_index_in_threadgroup]], uint i [[thread_position_in_grid]]) {
  constant Buffers &b = all[group % 3];
  uint sum = 0;
  for (uint k = 0; k < 5; k++) {
    device const uint *in = b.in[(group + k) % 3];
    sum = sum * 3 + in[i] + in[3];
  }
  b.out[i] = sum;
  b.out[500] = 77;
}

// An object may have more bytes than offsets in it are checked at once.
kernel void far(constant Buffers &b [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  device uint *out = b.out + b.offset;
  out[i] = out[i] + i + b.in[0][b.offset + i];
}

// Before it accesses the buffer, lanes have stored one after another.
kernel void late(constant Buffers &b [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                 uint i [[thread_position_in_grid]]) {
  threadgroup uchar s[64];
  device uint *out = b.out;
  s[(t * 5) & 63] = uchar(i);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = s[t] + 1;
}
`

// pointerBackends are the ways of running the kernels.
func pointerBackends() (list []backend) {
	list = append(list, backend{})
	for _, o := range machineCodes(Options{}, Options{Starve: true}) {
		list = append(list, backend{Machine: o})
	}
	return list
}

// TestMachineCodeAsks: machine code whose objects are known only when it gets to them accesses the
// same as the interpreter, also none, too short ones, and such that may not be written.
func TestMachineCodeAsks(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, pointerKernels)["pointers"]
	const n = 1000
	var want [][]byte
	for _, backend := range pointerBackends() {
		table := make([]byte, 3*40)
		put := func(at int, object uint32) { copy(table[at:], words(0, object<<8)) }
		for i := range 3 {
			put(40*i, uint32(2+i))
			for j := range 3 {
				put(40*i+8+8*j, uint32([]int{5, 6, 7, 8}[(i+2*j)%4])) // 8 does not exist
			}
		}
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: table})
		var have [][]byte
		for id := uint32(2); id <= 7; id++ {
			o := exec.Object{Data: make([]byte, 4*n), ReadOnly: id == 3}
			if id == 7 {
				o.Data = o.Data[:77]
			}
			for i := range o.Data {
				o.Data[i] = byte(i * int(id) / 3)
			}
			sp.Set(id, o)
		}
		machine := exec.NewKernel(k.Func(), exec.Options{Backend: backend})
		require.NoError(t, exec.NewEngine(2).Run(t.Context(), machine, &exec.Launch{Grid: [3]int{n}, Group: [3]int{64},
			Space: sp, Buffers: []uint64{exec.Address(1, 0)}}))
		for id := uint32(2); id <= 7; id++ {
			have = append(have, sp.Object(uint64(id)).Data)
		}
		if want == nil {
			want = have
		}
		require.Equal(t, want, have, "%+v", backend.Machine)
		p, err := compiled(machine, [3]int{64, 1, 1})
		require.NoError(t, err)
		if backend.Machine != nil {
			require.Len(t, p.ranges, 1)
			require.True(t, p.ranges[0].Row)
		}
	}
}

// TestMachineCodeAsksInLoops: machine code asks for an object whatever its registers have.
func TestMachineCodeAsksInLoops(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, pointerKernels)["late"]
	var want []byte
	for _, backend := range pointerBackends() {
		out := make([]byte, 4*256)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: words(0, 2<<8, 0, 0, 0, 0, 0, 0, 0, 0)})
		sp.Set(2, exec.Object{Data: out})
		machine := exec.NewKernel(k.Func(), exec.Options{Backend: backend})
		require.NoError(t, exec.NewEngine(1).Run(t.Context(), machine, &exec.Launch{Grid: [3]int{256}, Group: [3]int{64},
			Space: sp, Buffers: []uint64{exec.Address(1, 0)}}))
		if want == nil {
			want = out
		}
		require.Equal(t, want, out, "%+v", backend.Machine)
		if backend.Machine != nil {
			p, err := compiled(machine, [3]int{64, 1, 1})
			require.NoError(t, err)
			requireCompiled(t, p.lir, backend.Machine.(Options), "late")
		}
	}
}

// TestMachineCodeLargeObjects: in objects of more than 2^30 bytes, each lane checks its offset.
func TestMachineCodeLargeObjects(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, pointerKernels)["far"]
	const size = 1<<30 + 4096
	large := make([]byte, size) // of which little is touched
	for _, offset := range []uint32{0, (1 << 28) - 100, size/4 - 64} {
		var want []byte
		for _, backend := range pointerBackends() {
			at := int(4 * offset)
			part := large[at:min(at+4*200, size)]
			for i := range part {
				part[i] = byte(i)
			}
			sp := &exec.Space{}
			sp.Set(1, exec.Object{Data: words(0, 2<<8, 0, 2<<8, 0, 2<<8, 0, 2<<8, offset, 0)})
			sp.Set(2, exec.Object{Data: large})
			machine := exec.NewKernel(k.Func(), exec.Options{Backend: backend})
			require.NoError(t, exec.NewEngine(1).Run(t.Context(), machine, &exec.Launch{Grid: [3]int{200}, Group: [3]int{64},
				Space: sp, Buffers: []uint64{exec.Address(1, 0)}}))
			if want == nil {
				want = append(want, part...)
			}
			require.Equal(t, want, part, "offset %d, %+v", offset, backend.Machine)
		}
	}
}

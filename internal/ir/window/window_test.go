package window_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/window"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestRandomKernels: random kernels write the same bytes in parts as in one launch.
func TestRandomKernels(t *testing.T) {
	shapes := [][2][3]int{{{90, 1, 1}, {40, 1, 1}}, {{64, 1, 1}, {32, 1, 1}}, {{70, 3, 1}, {16, 2, 1}},
		{{9, 7, 5}, {4, 4, 4}}, {{12, 40, 1}, {8, 33, 1}}}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		f := irtest.Kernel(rng, irtest.Config{Size: 20 + rng.IntN(60)}).Funcs[0]
		made, buffer, err := window.Rewrite(f)
		require.NoError(t, err)
		require.NoError(t, made.Verify(), "seed %d", seed)
		grid, group := shapes[seed%5][0], shapes[seed%5][1]
		in := make([]byte, irtest.Inputs)
		for i := range in {
			in[i] = byte(rng.Uint32())
		}
		run := func(f *ir.Func, part [3]int, out, counters, window []byte) {
			buffers := map[int]testlaunch.Buffer{0: {Data: in, ReadOnly: true}, 1: {Data: out}, 2: {Data: counters},
				buffer: {Data: window, ReadOnly: true}}
			require.NoError(t, testlaunch.Launch{Grid: part, Group: group, Fuel: 1 << 36,
				Buffers: buffers}.Run(t.Context(), f, ref.Run), "seed %d", seed)
		}
		memory := func() (out, counters []byte) {
			return make([]byte, grid[0]*grid[1]*grid[2]*irtest.OutStride), make([]byte, irtest.CounterBytes)
		}
		want, wantCounters := memory()
		run(f, grid, want, wantCounters, nil)
		got, gotCounters := memory()
		axis := int(seed / 5 % 3)
		for first := 0; first < grid[axis]; first += group[axis] {
			w := make([]byte, window.Size)
			for i := range 3 {
				binary.LittleEndian.PutUint32(w[window.GridThreads+4*i:], uint32(grid[i]))
				binary.LittleEndian.PutUint32(w[window.GridGroups+4*i:], uint32((grid[i]+group[i]-1)/group[i]))
			}
			binary.LittleEndian.PutUint32(w[window.FirstThread+4*axis:], uint32(first))
			binary.LittleEndian.PutUint32(w[window.FirstGroup+4*axis:], uint32(first/group[axis]))
			part := grid
			part[axis] = min(group[axis], grid[axis]-first)
			run(made, part, got, gotCounters, w)
		}
		require.Equal(t, want, got, "seed %d\n%v", seed, made)
		require.Equal(t, wantCounters, gotCounters, "seed %d", seed)
	}
}

// TestRefused: a kernel without a free buffer has no parts.
func TestRefused(t *testing.T) {
	f := irtest.Kernel(rand.New(rand.NewPCG(1, 1)), irtest.Config{Size: 5}).Funcs[0]
	before := f.String()
	for i := len(f.Args); i < 31; i++ {
		f.Args = append(f.Args,
			ir.Arg{Kind: ir.ArgBuffer, Index: i, Name: "x", Type: "uint", Space: "device", Size: 4, Align: 4})
	}
	_, _, err := window.Rewrite(f)
	require.ErrorContains(t, err, "uses all 31 buffers")
	f.Args = f.Args[:30]
	_, buffer, err := window.Rewrite(f)
	require.NoError(t, err)
	require.Equal(t, 30, buffer)
	f.Args = f.Args[:3]
	require.Equal(t, before, f.String(), "the kernel itself stays as it is")
}

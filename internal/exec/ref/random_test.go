package ref

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// runRandom runs a random kernel over two threadgroups and a truncated one, and returns its output.
func runRandom(m *ir.Module, seed uint64) ([]byte, error) {
	const threads = 90
	rng := rand.New(rand.NewPCG(seed, 7))
	in := make([]byte, irtest.Inputs)
	for i := range in {
		in[i] = byte(rng.Uint32())
	}
	out := make([]byte, threads*irtest.OutStride+irtest.CounterBytes)
	counters := out[threads*irtest.OutStride:]
	err := testlaunch.Launch{Grid: [3]int{threads}, Group: [3]int{40}, Fuel: 1 << 30,
		Buffers: map[int]testlaunch.Buffer{0: {Data: in, ReadOnly: true}, 1: {Data: out[:threads*irtest.OutStride]},
			2: {Data: counters}}}.Run(context.Background(), m.Funcs[0], Run)
	return out, err
}

// TestRandomKernels: a random kernel is valid, survives printing and parsing, and gives the same
// bits each time.
func TestRandomKernels(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 50
	}
	used := 0
	for seed := range uint64(n) {
		m := irtest.Kernel(rand.New(rand.NewPCG(seed, 1)), irtest.Config{Size: 80, Approx: seed%2 == 0})
		require.NoError(t, m.Verify(), "seed %d\n%s", seed, m)
		require.NoError(t, m.Funcs[0].VerifyConvergence(), "seed %d", seed)
		text := m.String()
		again, err := ir.Parse(text)
		require.NoError(t, err, "seed %d\n%s", seed, text)
		require.Equal(t, text, again.String(), "seed %d", seed)
		a, err := runRandom(m, seed)
		require.NoError(t, err, "seed %d\n%s", seed, text)
		b, err := runRandom(again, seed)
		require.NoError(t, err)
		require.Equal(t, a, b, "seed %d", seed)
		for _, x := range a {
			used += int(num.Truth(x != 0))
		}
	}
	assert.Greater(t, used, 600*n, "random kernels hardly write anything")
}

// damage makes one change to a kernel, mostly a harmful one.
func damage(rng *rand.Rand, all []*ir.Instr, regions []*ir.Region) {
	in, other := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
	switch rng.IntN(16) {
	case 0:
		in.Op = ir.Op(rng.IntN(ir.NumOps + 3))
	case 1:
		in.Imm = int64(rng.Uint64()) >> rng.IntN(64)
	case 2:
		if len(in.Args) > 0 {
			in.Args = in.Args[1:]
		}
	case 3:
		if len(in.Args) > 0 {
			in.Args[rng.IntN(len(in.Args))] = nil
		}
	case 4:
		if len(in.Args) > 0 && len(other.Results) > 0 {
			in.Args[rng.IntN(len(in.Args))] = other.Results[0]
		}
	case 5:
		if len(in.Results) > 0 {
			in.Results[0].Type = ir.Type{Kind: ir.Kind(rng.IntN(15)), N: uint8(rng.IntN(6)), Space: ir.Space(rng.IntN(3)),
				Elem: ir.Kind(rng.IntN(10))}
		}
	case 6:
		in.Results = nil
	case 7:
		in.Results = other.Results
	case 8:
		in.Regions = other.Regions
	case 9:
		in.Target = other
	case 10:
		in.Parent.Instrs = in.Parent.Instrs[:rng.IntN(1+len(in.Parent.Instrs))]
	case 11:
		in.Parent.Instrs = append(in.Parent.Instrs, other)
	case 12:
		in.Bits = append(in.Bits, rng.Uint64())
	case 13:
		in.Order, in.Mem, in.Flags = ir.Order(rng.IntN(7)), ir.MemMask(rng.Uint32()), ir.Flags(rng.Uint32())
	case 14:
		if len(regions) > 0 {
			r := regions[rng.IntN(len(regions))]
			r.Params = append(r.Params, nil)
		}
	case 15:
		in.Loc.File, in.Loc.Scope = uint16(rng.Uint32()), rng.Uint32()
	}
}

// TestDamagedKernels: an invalid kernel is an error and never a panic; one that passes verification
// runs.
func TestDamagedKernels(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	rejected := 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := irtest.Kernel(rng, irtest.Config{Size: 30, Approx: true})
		var all []*ir.Instr
		var regions []*ir.Region
		m.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
			all = append(all, in)
			regions = append(regions, in.Regions...)
			return true
		})
		for range 1 + rng.IntN(3) {
			damage(rng, all, regions)
		}
		var verr *ir.VerifyError
		if err := m.Verify(); err != nil {
			require.True(t, errors.As(err, &verr), "seed %d: %v", seed, err)
			rejected++
			continue
		}
		if _, err := runRandom(m, seed); err != nil {
			require.False(t, errors.As(err, &verr), "seed %d: %v", seed, err)
		}
		again, err := ir.Parse(m.String())
		require.NoError(t, err, "seed %d\n%s", seed, m)
		require.NoError(t, again.Verify(), "seed %d", seed)
	}
	assert.Greater(t, rejected, n/3)
	assert.Less(t, rejected, n)
}

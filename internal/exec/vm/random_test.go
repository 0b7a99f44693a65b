package vm

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir/irtest"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
)

// TestRandomKernels: random kernels give the oracle's bits, over whole threadgroups and a cut one.
func TestRandomKernels(t *testing.T) {
	shapes := [][2][3]int{{{90}, {40}}, {{64}, {32}}, {{600}, {300}}, {{33}, {1024}}}
	n := 1000
	e := NewEngine(2)
	defer e.Close()
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := irtest.Kernel(rng, irtest.Config{Size: 20 + rng.IntN(80)})
		s := shapes[seed%uint64(len(shapes))]
		threads := max(s[0][0], 1) * max(s[0][1], 1) * max(s[0][2], 1)
		in := make([]byte, irtest.Inputs)
		for i := range in {
			in[i] = byte(rng.Uint32())
		}
		a, b := make([]byte, threads*irtest.OutStride), make([]byte, threads*irtest.OutStride)
		ca, cb := make([]byte, irtest.CounterBytes), make([]byte, irtest.CounterBytes)
		errA := ref.Run(context.Background(), m.Funcs[0], ref.Launch{Grid: s[0], Group: s[1], Fuel: 1_000_000,
			Buffers: map[int]ref.Buffer{0: {Data: in, ReadOnly: true}, 1: {Data: a}, 2: {Data: ca}}})
		sp := &Space{}
		sp.Set(1, Object{Data: in, ReadOnly: true})
		sp.Set(2, Object{Data: b})
		sp.Set(3, Object{Data: cb})
		errB := e.Run(context.Background(), NewKernel(m.Funcs[0]), &Launch{Grid: s[0], Group: s[1], Fuel: 1_000_000, Space: sp,
			Buffers: []uint64{Address(1, 0), Address(2, 0), Address(3, 0)}})
		require.NoError(t, errA)
		require.NoError(t, errB, "seed %d\n%s", seed, m)
		if string(a) != string(b) || string(ca) != string(cb) {
			p, _ := build.Program(m.Funcs[0], [3]int{max(s[1][0], 1), max(s[1][1], 1), max(s[1][2], 1)})
			at := 0
			for at < len(a) && a[at] == b[at] {
				at++
			}
			t.Fatalf("seed %d: want %x got %x thread %d byte %d differs\n%s\n%s", seed, a[at:at+4], b[at:at+4], at/irtest.OutStride, at%irtest.OutStride, m, p)
		}
	}
}

package passes

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/irtest"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

var (
	manyKernels = flag.Int("passes.kernels", 40, "how many random kernels to rewrite")
	firstKernel = flag.Uint64("passes.first", 0, "seed of the first")
)

// write runs a kernel of irtest by the oracle and returns what it writes.
func write(t *testing.T, f *ir.Func, seed uint64) []byte {
	const threads = 70
	rng := rand.New(rand.NewPCG(seed, 5))
	in := make([]byte, irtest.Inputs)
	for i := range in {
		in[i] = byte(rng.Uint32())
	}
	out := make([]byte, threads*irtest.OutStride+irtest.CounterBytes)
	err := ref.Run(context.Background(), f, ref.Launch{Grid: [3]int{threads}, Group: [3]int{40}, Fuel: 1_000_000,
		Buffers: map[int]ref.Buffer{0: {Data: in, ReadOnly: true}, 1: {Data: out[:threads*irtest.OutStride]}, 2: {Data: out[threads*irtest.OutStride:]}}})
	require.NoError(t, err, "seed %d\n%s", seed, f)
	return out
}

// compare rewrites a kernel with some passes and demands a valid kernel that writes the same.
func compare(t *testing.T, m *ir.Module, passes opt.Pass, seed uint64, want []byte) {
	t.Helper()
	f := m.Funcs[0].Clone()
	opt.Run(f, opt.Options{Off: opt.All &^ passes, Scalar: num.Scalar})
	changed := *m
	changed.Funcs, f.Module = []*ir.Func{f}, &changed
	require.NoError(t, changed.Verify(), "seed %d, %v\n%s\n%s", seed, passes, m, f)
	got := write(t, f, seed)
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("seed %d, %v: byte %d of thread %d is %x, want %x\n%s\n%s", seed, passes, i%irtest.OutStride, i/irtest.OutStride, got[i], want[i], m, f)
		}
	}
}

// testPasses compares random kernels before and after passes.
func testPasses(t *testing.T, passes opt.Pass) {
	for seed := *firstKernel; seed < *firstKernel+uint64(*manyKernels); seed++ {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := irtest.Kernel(rng, irtest.Config{Size: 20 + rng.IntN(100)})
		before := m.String()
		want := write(t, m.Funcs[0], seed)
		compare(t, m, passes, seed, want)
		require.Equal(t, before, m.String(), "seed %d: the original was changed", seed)
	}
}

// TestEachPass: each pass alone keeps the bits of random kernels.
func TestEachPass(t *testing.T) {
	for p := opt.Pass(1); p <= opt.All; p <<= 1 {
		t.Run(p.String(), func(t *testing.T) { testPasses(t, p) })
	}
}

// TestAllPasses: so do all together.
func TestAllPasses(t *testing.T) { testPasses(t, opt.All) }

// FuzzPasses: any set of passes, on any kernel.
func FuzzPasses(f *testing.F) {
	f.Add(uint64(1), uint32(opt.All))
	f.Add(uint64(2), uint32(opt.Promote|opt.Copies))
	f.Add(uint64(3), uint32(opt.Select|opt.Motion|opt.Dead))
	f.Fuzz(func(t *testing.T, seed uint64, passes uint32) {
		m := irtest.Kernel(rand.New(rand.NewPCG(seed, 4)), irtest.Config{Size: 60})
		compare(t, m, opt.Pass(passes)&opt.All, seed, write(t, m.Funcs[0], seed))
	})
}

package passes

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

var (
	manyKernels = flag.Int("passes.kernels", 40, "how many random kernels to rewrite")
	firstKernel = flag.Uint64("passes.first", 0, "seed of the first")
)

// rewritten returns a copy of a module with its kernel processed by some passes, and checks that it
// is valid.
func rewritten(t *testing.T, m *ir.Module, passes opt.Pass, l *launch, what string) *ir.Module {
	t.Helper()
	before := m.String()
	f := m.Funcs[0].Clone()
	opt.Run(f, opt.Options{Off: opt.All &^ passes, Scalar: num.Scalar, Constants: l.known})
	changed := *m
	changed.Funcs, f.Module = []*ir.Func{f}, &changed
	if err := changed.Verify(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", what, err, m, f)
	}
	if before != m.String() {
		t.Fatalf("%s: the original was changed\n%s\n%s", what, before, m)
	}
	return &changed
}

// testPasses compares random kernels before and after passes.
func testPasses(t *testing.T, passes opt.Pass) {
	for seed := *firstKernel; seed < *firstKernel+uint64(*manyKernels); seed++ {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := irtest.Kernel(rng, irtest.Config{Size: 20 + rng.IntN(100), Constants: 4, Pieces: int(seed%2) * 30,
			Held: seed%4 > 1})
		l := newLaunch(m, rng, [3]int{70}, [3]int{40})
		want, err := l.oracle(m.Funcs[0])
		require.NoError(t, err, "seed %d", seed)
		what := fmt.Sprintf("seed %d, %v", seed, passes)
		after := rewritten(t, m, passes, l, what)
		got, err := l.oracle(after.Funcs[0])
		same(t, what, want, got, err, m, after)
	}
}

// TestEachPass: each single pass preserves the results of random kernels bit for bit.
func TestEachPass(t *testing.T) {
	for p := opt.Pass(1); p <= opt.All; p <<= 1 {
		t.Run(p.String(), func(t *testing.T) { testPasses(t, p) })
	}
}

// TestAllPasses: all passes together do, too.
func TestAllPasses(t *testing.T) { testPasses(t, opt.All) }

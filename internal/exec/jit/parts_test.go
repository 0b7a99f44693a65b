package jit

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

var manyParts = flag.Uint64("jit.parts", 150, "of how many random kernels the rest of the code is compiled")

// TestParts: where the code of a range can be compiled, its rest can be too, also where few
// registers are left.
func TestParts(t *testing.T) {
	later := 0
	for seed := range *manyParts {
		rng := rand.New(rand.NewPCG(seed, 7))
		f := irtest.Kernel(rng, irtest.Config{Size: 20 + rng.IntN(100), Approx: seed%2 == 1}).Funcs[0]
		opt.Run(f, opt.Options{Scalar: num.Scalar})
		p, err := lowered(f, [3]int{[]int{256, 90, 32}[seed%3], 1, 1})
		require.NoError(t, err)
		for _, o := range []Options{{}, {Spill: true}, {Blocks: 1}} {
			for _, o.AVX2 = range []bool{false, true} {
				c, err := Compile(p, o)
				require.NoError(t, err)
				for _, r := range c.Ranges {
					if r.now.Load().Parts == nil {
						later++
					}
					_, err := r.whole()
					require.NoError(t, err, "seed %d, %+v, %d to %d", seed, o, r.From, r.To)
				}
			}
		}
	}
	require.Positive(t, later)
	t.Logf("%d ranges", later)
}

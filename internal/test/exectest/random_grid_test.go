package exectest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var gridKernels = flag.Int("exec.gridkernels", 60,
	"how many random kernels with grid barriers to compare with the oracle")

// TestRandomGridKernels: random kernels with grid barriers give the oracle's bits, in the variants
// of TestRandomKernels, in phases or with their threadgroups kept, and while a hook observes them.
func TestRandomGridKernels(t *testing.T) {
	engines := []*exec.Engine{nil, exec.NewEngine(1), exec.NewEngine(2)}
	runs, barriers, looped := 0, 0, 0
	for seed := *firstProgram; seed < *firstProgram+uint64(*gridKernels); seed++ {
		rng := rand.New(rand.NewPCG(seed, 77))
		k := testlaunch.RandomKernelOf(seed, rng, irtest.Config{Size: 20 + rng.IntN(80), Grid: 2 + rng.IntN(8)})
		f := k.Module.Funcs[0]
		require.NoError(t, f.VerifyGridBarriers(), "seed %d\n%s", seed, k.Module)
		want, err := k.Oracle(ref.Run)
		require.NoError(t, err, "seed %d", seed)
		if f.HasGridBarrier() {
			barriers++
		}
		for _, v := range variants(seed) {
			var kernel *exec.Kernel
			for _, v.Options.Phases = range []bool{true, false} {
				kernel = exec.NewKernel(f, v.Options)
				for _, workers := range v.workers {
					got, err := k.Run(engines[workers], kernel, nil)
					k.Require(t, fmt.Sprintf("%d workers, %+v", workers, v.Options), want, got, err)
					runs++
				}
			}
			if seed%8 == 0 {
				got, err := k.Run(engines[2], kernel, hook.None{})
				k.Require(t, "watched", want, got, err)
			}
		}
		f.Body.Walk(func(in *ir.Instr) bool {
			if in.Op == ir.OpLoop && in.Imm == 0 {
				in.Regions[0].Walk(func(in *ir.Instr) bool {
					if in.Op == ir.OpGridBarrier {
						looped++
					}
					return true
				})
			}
			return true
		})
	}
	require.Greater(t, barriers, *gridKernels*3/4)
	require.Positive(t, looped)
	t.Logf("%d kernels, %d of them with grid barriers, %d barriers in loops, %d runs", *gridKernels, barriers,
		looped, runs)
}

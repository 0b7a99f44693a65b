package exectest

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var (
	manyKernels = flag.Int("exec.kernels", 256, "how many random kernels to compare with the oracle")
	allVariants = flag.Bool("exec.variants", false,
		"run each random kernel in all variants, not in two of them, and say from time to time how far it is")
)

// variant is a configuration for running a random kernel.
type variant struct {
	exec.Options
	workers []int
}

// variants returns the configurations for the kernel of a seed: two, with and without passes,
// alternating with the seed, or all; each interpreted and as machine code.
func variants(seed uint64) (list []variant) {
	n := seed / testlaunch.RandomShapes // all of them on all shapes in turn
	for i := range uint64(2) {
		var o exec.Options
		if i == 0 {
			o.Off, o.OffLow = opt.All, lir.AllPasses
		}
		workers := []int{1 + int(n/2&1)}
		lanes := []int{lir.MaxLanes, lir.SimdWidth}
		if *allVariants {
			workers = []int{1, 2}
		} else if n+i&1 != 0 {
			lanes = lanes[1:]
		} else {
			lanes = lanes[:1]
		}
		for _, lanes := range lanes {
			o.Backend = vm.Backend{PlainGo: n/4&1 != 0, Strip: lanes}
			list = append(list, variant{o, workers})
			o.Backend = vm.Backend{Strip: lanes, Machine: machineCode(seed)}
			list = append(list, variant{o, workers})
		}
	}
	return list
}

// machineCode returns options for machine code, all of them in turn.
func machineCode(seed uint64) jit.Options {
	all := []jit.Options{{}, {Blocks: 1}, {Spill: true}, {Cold: true}, {Blocks: 2}, {Blocks: 1, Spill: true, Cold: true}}
	o := all[seed%uint64(len(all))]
	o.AVX2 = seed/uint64(len(all))%2 != 0
	o.Solo = seed/uint64(2*len(all))%2 != 0
	o.Calls = seed/uint64(4*len(all))%2 != 0
	return o
}

// verifyLowered verifies what a kernel is lowered to.
func verifyLowered(t *testing.T, k *testlaunch.RandomKernel, o exec.Options) {
	t.Helper()
	b := o.Backend.(vm.Backend)
	b.Compiled = func(c exec.Code, _ []*exec.MachineRange) { require.NoError(t, c.LIR.Verify(), "seed %d", k.Seed) }
	o.Backend = b
	_, err := exec.NewKernel(k.Module.Funcs[0], o).Program(k.Group)
	require.NoError(t, err, "seed %d", k.Seed)
}

// TestFoundKernels: random kernels that the engine has failed with give the oracle's bits. With the
// first, lanes took both sides of a branch that changes its own condition; with the second, blocks
// that skip the write of an affine variable left another one in the frame. The verifier took the
// end of a loop of the third for a way out of it. The last iteration of lanes that run the fourth's
// loop solo reads a truth value from before it. The fifth's loop has a variable in it, of which
// unrolling made one for each iteration. The sixth has functions for which no register was left
// where lanes check their addresses, since a cosine waited in one. In the last, another mask takes
// the place of one by which vectors are skipped.
func TestFoundKernels(t *testing.T) {
	for _, seed := range []uint64{1500024994, 5000041649, 6000021088, 16000001415, 23000045535, 31000530091,
		33200044689} {
		k := testlaunch.NewRandomKernel(seed)
		want, err := k.Oracle(ref.Run)
		require.NoError(t, err, "seed %d", seed)
		verifyLowered(t, k, exec.Options{Backend: vm.Backend{}})
		backends := []vm.Backend{{}}
		for _, o := range []jit.Options{{}, {Blocks: 1, Calls: true}, {Solo: true}, {AVX2: true},
			{AVX2: true, Blocks: 1, Calls: true}, {AVX2: true, Solo: true}, {Cold: true}} {
			backends = append(backends, vm.Backend{Machine: o})
		}
		for _, b := range backends {
			for _, off := range []bool{false, true} {
				options := exec.Options{Backend: b}
				if off {
					options.Off, options.OffLow = opt.All, lir.AllPasses
				}
				got, err := k.Run(exec.NewEngine(1), exec.NewKernel(k.Module.Funcs[0], options), nil)
				k.Require(t, fmt.Sprintf("%+v", options), want, got, err)
			}
		}
	}
}

// TestRandomKernels: random kernels give the oracle's bits, over full and truncated threadgroups,
// with one worker and two, with strips of one simdgroup and of the maximum, both unoptimized and
// after all passes, interpreted and as machine code.
func TestRandomKernels(t *testing.T) {
	engines := []*exec.Engine{nil, exec.NewEngine(1), exec.NewEngine(2)}
	runs := 0
	for seed := *firstProgram; seed < *firstProgram+uint64(*manyKernels); seed++ {
		if done := seed - *firstProgram; *allVariants && done%1000 == 0 {
			t.Logf("%d kernels, %d runs", done, runs)
		}
		k := testlaunch.NewRandomKernel(seed)
		want, err := k.Oracle(ref.Run)
		require.NoError(t, err, "seed %d", seed)
		for _, v := range variants(seed) {
			kernel := exec.NewKernel(k.Module.Funcs[0], v.Options)
			for _, workers := range v.workers {
				got, err := k.Run(engines[workers], kernel, nil)
				k.Require(t, fmt.Sprintf("%d workers, %+v", workers, v.Options), want, got, err)
				runs++
			}
			// Without the passes, branches that are never taken make the verifier consider
			// variables live that are not.
			if seed%16 == 0 && v.Off == 0 {
				verifyLowered(t, k, v.Options)
			}
		}
	}
	t.Logf("%d kernels, %d runs", *manyKernels, runs)
}

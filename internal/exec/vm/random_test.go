package vm

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/testlaunch"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/irtest"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

var (
	manyKernels = flag.Int("vm.kernels", 256, "how many random kernels to compare with the oracle")
	firstKernel = flag.Uint64("vm.first", 0, "seed of the first random kernel")
	allVariants = flag.Bool("vm.variants", false,
		"run each random kernel in all variants, not in two of them, and say from time to time how far it is")
)

// manyShapes is the number of shapes that launches of random kernels have, in turn.
const manyShapes = 9

// randomKernel is a random kernel and a launch of it.
type randomKernel struct {
	seed        uint64
	m           *ir.Module
	grid, group [3]int
	in          []byte
}

func newRandomKernel(seed uint64) *randomKernel {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := irtest.Config{Size: 20 + rng.IntN(100), Approx: seed%4 == 3}
	c.Held = seed < 1e9 || seed >= 50e9 // those found in between are older
	return randomKernelOf(seed, rng, c)
}

func randomKernelOf(seed uint64, rng *rand.Rand, c irtest.Config) *randomKernel {
	// The last has rows of threadgroups that one call of machine code executes.
	shapes := [manyShapes][2][3]int{{{90}, {40}}, {{64}, {32}}, {{600}, {300}}, {{33}, {1024}}, {{70, 3}, {16, 2}},
		{{9, 7, 5}, {4, 4, 4}}, {{12, 40}, {8, 33}}, {{40}, {1}}, {{1505}, {20}}}
	k := &randomKernel{seed: seed, m: irtest.Kernel(rng, c), in: make([]byte, irtest.Inputs)}
	s := shapes[seed%manyShapes]
	for i := range 3 {
		k.grid[i], k.group[i] = max(s[0][i], 1), max(s[1][i], 1)
	}
	for i := range k.in {
		k.in[i] = byte(rng.Uint32())
	}
	return k
}

// output is the memory that a kernel writes: the threads' parts, and the counters.
func (k *randomKernel) output() (out, counters []byte) {
	return make([]byte, k.grid[0]*k.grid[1]*k.grid[2]*irtest.OutStride), make([]byte, irtest.CounterBytes)
}

// oracle returns what the scalar oracle writes.
func (k *randomKernel) oracle() (string, error) {
	out, counters := k.output()
	err := testlaunch.Launch{Grid: k.grid, Group: k.group, Fuel: 1 << 36,
		Buffers: map[int]testlaunch.Buffer{0: {Data: k.in, ReadOnly: true}, 1: {Data: out},
			2: {Data: counters}}}.Run(context.Background(), k.m.Funcs[0], ref.Run)
	return string(out) + string(counters), err
}

// run returns the engine's output.
func (k *randomKernel) run(e *exec.Engine, kernel *exec.Kernel) (string, error) {
	return k.runWatched(e, kernel, nil)
}

// runWatched is run with a hook.
func (k *randomKernel) runWatched(e *exec.Engine, kernel *exec.Kernel, h hook.Hook) (string, error) {
	out, counters := k.output()
	sp := &exec.Space{}
	for i, o := range []exec.Object{{Data: k.in, ReadOnly: true}, {Data: out}, {Data: counters}} {
		sp.Set(uint32(i+1), o)
	}
	err := e.Run(context.Background(), kernel,
		&exec.Launch{Grid: k.grid, Group: k.group, Fuel: 1 << 36, Space: sp, Hook: h, Cooperative: &exec.Cooperative{},
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}})
	return string(out) + string(counters), err
}

// require reports a difference with everything needed to find the cause.
func (k *randomKernel) require(t *testing.T, what, want, got string, err error) {
	t.Helper()
	if err == nil && want == got {
		return
	}
	p, _ := build.Program(k.m.Funcs[0], k.group)
	if err != nil {
		t.Fatalf("seed %d, %s: %v\n%s\n%s", k.seed, what, err, k.m, p)
	}
	at := 0
	for want[at] == got[at] {
		at++
	}
	t.Fatalf("seed %d, %s: byte %d of thread %d is %x, want %x\n%s\n%s", k.seed, what, at%irtest.OutStride,
		at/irtest.OutStride, got[at], want[at], k.m, p)
}

// variant is a configuration for running a random kernel.
type variant struct {
	exec.Options
	workers []int
}

// variants returns the configurations for the kernel of a seed: two, with and without passes,
// alternating with the seed, or all; each interpreted and as machine code.
func variants(seed uint64) (list []variant) {
	n := seed / manyShapes // all of them on all shapes in turn
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
			o.Backend = Backend{PlainGo: n/4&1 != 0, Strip: lanes}
			list = append(list, variant{o, workers})
			o.Backend = Backend{Strip: lanes, JIT: machineCode(seed)}
			list = append(list, variant{o, workers})
		}
	}
	return list
}

// machineCode returns options for machine code, all of them in turn.
func machineCode(seed uint64) *jit.Options {
	all := []jit.Options{{}, {Blocks: 1}, {Spill: true}, {Cold: true}, {Blocks: 2}, {Blocks: 1, Spill: true, Cold: true}}
	o := all[seed%uint64(len(all))]
	o.AVX2 = seed/uint64(len(all))%2 != 0
	o.Solo = seed/uint64(2*len(all))%2 != 0
	o.Calls = seed/uint64(4*len(all))%2 != 0
	return &o
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
		k := newRandomKernel(seed)
		want, err := k.oracle()
		require.NoError(t, err, "seed %d", seed)
		p, err := compiled(exec.NewKernel(k.m.Funcs[0], exec.Options{Backend: Backend{}}), k.group)
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, p.lir.Verify(), "seed %d", seed)
		backends := []Backend{{}}
		for _, o := range append(machineCodes(jit.Options{}, jit.Options{Blocks: 1, Calls: true}, jit.Options{Solo: true}),
			jit.Options{Cold: true}) {
			backends = append(backends, Backend{JIT: &o})
		}
		for _, b := range backends {
			for _, off := range []bool{false, true} {
				options := exec.Options{Backend: b}
				if off {
					options.Off, options.OffLow = opt.All, lir.AllPasses
				}
				got, err := k.run(exec.NewEngine(1), exec.NewKernel(k.m.Funcs[0], options))
				k.require(t, fmt.Sprintf("%+v", options), want, got, err)
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
	for seed := *firstKernel; seed < *firstKernel+uint64(*manyKernels); seed++ {
		if done := seed - *firstKernel; *allVariants && done%1000 == 0 {
			t.Logf("%d kernels, %d runs", done, runs)
		}
		k := newRandomKernel(seed)
		want, err := k.oracle()
		require.NoError(t, err, "seed %d", seed)
		for _, v := range variants(seed) {
			kernel := exec.NewKernel(k.m.Funcs[0], v.Options)
			for _, workers := range v.workers {
				got, err := k.run(engines[workers], kernel)
				k.require(t, fmt.Sprintf("%d workers, %+v", workers, v.Options), want, got, err)
				runs++
			}
			// Without the passes, branches that are never taken make the verifier consider
			// variables live that are not.
			if seed%16 == 0 && v.Off == 0 {
				p, err := compiled(kernel, k.group)
				require.NoError(t, err, "seed %d", seed)
				require.NoError(t, p.lir.Verify(), "seed %d", seed)
			}
		}
	}
	t.Logf("%d kernels, %d runs", *manyKernels, runs)
}

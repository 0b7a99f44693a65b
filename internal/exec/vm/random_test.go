package vm

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/irtest"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

var (
	manyKernels = flag.Int("vm.kernels", 512, "how many random kernels to compare with the oracle")
	firstKernel = flag.Uint64("vm.first", 0, "seed of the first random kernel")
)

// randomKernel is a random kernel and a launch of it.
type randomKernel struct {
	seed        uint64
	m           *ir.Module
	grid, group [3]int
	in          []byte
}

func newRandomKernel(seed uint64) *randomKernel {
	shapes := [][2][3]int{{{90}, {40}}, {{64}, {32}}, {{600}, {300}}, {{33}, {1024}}, {{70, 3}, {16, 2}}, {{9, 7, 5}, {4, 4, 4}}, {{12, 40}, {8, 33}}, {{40}, {1}}}
	rng := rand.New(rand.NewPCG(seed, 1))
	k := &randomKernel{seed: seed, m: irtest.Kernel(rng, irtest.Config{Size: 20 + rng.IntN(100)}), in: make([]byte, irtest.Inputs)}
	s := shapes[seed%uint64(len(shapes))]
	for i := range 3 {
		k.grid[i], k.group[i] = max(s[0][i], 1), max(s[1][i], 1)
	}
	for i := range k.in {
		k.in[i] = byte(rng.Uint32())
	}
	return k
}

// output is what a kernel writes: the threads' pieces, and the counters.
func (k *randomKernel) output() (out, counters []byte) {
	return make([]byte, k.grid[0]*k.grid[1]*k.grid[2]*irtest.OutStride), make([]byte, irtest.CounterBytes)
}

// oracle returns what the scalar oracle writes.
func (k *randomKernel) oracle() (string, error) {
	out, counters := k.output()
	err := ref.Run(context.Background(), k.m.Funcs[0], ref.Launch{Grid: k.grid, Group: k.group, Fuel: 10_000_000,
		Buffers: map[int]ref.Buffer{0: {Data: k.in, ReadOnly: true}, 1: {Data: out}, 2: {Data: counters}}})
	return string(out) + string(counters), err
}

// run returns what the engine writes.
func (k *randomKernel) run(e *Engine, kernel *Kernel) (string, error) {
	out, counters := k.output()
	sp := &Space{}
	for i, o := range []Object{{Data: k.in, ReadOnly: true}, {Data: out}, {Data: counters}} {
		sp.Set(uint32(i+1), o)
	}
	err := e.Run(context.Background(), kernel, &Launch{Grid: k.grid, Group: k.group, Fuel: 10_000_000, Space: sp,
		Buffers: []uint64{Address(1, 0), Address(2, 0), Address(3, 0)}})
	return string(out) + string(counters), err
}

// require reports a difference with all that helps to find it.
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
	t.Fatalf("seed %d, %s: byte %d of thread %d is %x, want %x\n%s\n%s", k.seed, what, at%irtest.OutStride, at/irtest.OutStride, got[at], want[at], k.m, p)
}

// TestRandomKernels: random kernels give the oracle's bits, over whole threadgroups and cut ones, with one worker and with two, and with
// strips of one simdgroup and of the most, as the compiler made them and when all passes have been over them.
func TestRandomKernels(t *testing.T) {
	one, two := NewEngine(1), NewEngine(2)
	defer one.Close()
	defer two.Close()
	for seed := *firstKernel; seed < *firstKernel+uint64(*manyKernels); seed++ {
		k := newRandomKernel(seed)
		want, err := k.oracle()
		require.NoError(t, err, "seed %d", seed)
		engines := []*Engine{one, two}
		variant := seed / 8 // all of them on all shapes in turn
		for i := range uint64(2) {
			o := KernelOptions{Lanes: lir.MaxLanes, PlainGo: variant/4&1 != 0}
			if (variant+i)&1 != 0 {
				o.Lanes = lir.SimdWidth
			}
			if i == 0 {
				o.Off = opt.All
			}
			e := engines[variant/2&1]
			kernel := NewKernelWith(k.m.Funcs[0], o)
			got, err := k.run(e, kernel)
			if seed%16 == 0 {
				for _, p := range kernel.programs {
					require.NoError(t, p.lir.Verify(), "seed %d", seed)
				}
			}
			k.require(t, fmt.Sprintf("%d workers, %+v", e.workers, o), want, got, err)
		}
	}
}

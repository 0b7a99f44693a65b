package testlaunch

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

// RandomShapes is the number of shapes that launches of random kernels have, in turn.
const RandomShapes = 9

// RandomKernel is a random kernel and a launch of it.
type RandomKernel struct {
	Seed        uint64
	Module      *ir.Module
	Grid, Group [3]int
	In          []byte
}

// NewRandomKernel returns the kernel of a seed.
func NewRandomKernel(seed uint64) *RandomKernel {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := irtest.Config{Size: 20 + rng.IntN(100), Approx: seed%4 == 3}
	c.Held = seed < 1e9 || seed >= 50e9 // those found in between are older
	return RandomKernelOf(seed, rng, c)
}

// RandomKernelOf returns a kernel with a configuration, for a launch that depends on the seed.
func RandomKernelOf(seed uint64, rng *rand.Rand, c irtest.Config) *RandomKernel {
	// The last has rows of threadgroups that one call of machine code executes.
	shapes := [RandomShapes][2][3]int{{{90}, {40}}, {{64}, {32}}, {{600}, {300}}, {{33}, {1024}}, {{70, 3}, {16, 2}},
		{{9, 7, 5}, {4, 4, 4}}, {{12, 40}, {8, 33}}, {{40}, {1}}, {{1505}, {20}}}
	k := &RandomKernel{Seed: seed, Module: irtest.Kernel(rng, c), In: make([]byte, irtest.Inputs)}
	s := shapes[seed%RandomShapes]
	for i := range 3 {
		k.Grid[i], k.Group[i] = max(s[0][i], 1), max(s[1][i], 1)
	}
	for i := range k.In {
		k.In[i] = byte(rng.Uint32())
	}
	return k
}

// Output is the memory that a kernel writes: the threads' parts, and the counters.
func (k *RandomKernel) Output() (out, counters []byte) {
	return make([]byte, k.Grid[0]*k.Grid[1]*k.Grid[2]*irtest.OutStride), make([]byte, irtest.CounterBytes)
}

// Oracle returns what a function that executes launches, package ref's, writes.
func (k *RandomKernel) Oracle(run func(context.Context, *ir.Func, *exec.Launch) error) (string, error) {
	out, counters := k.Output()
	err := Launch{Grid: k.Grid, Group: k.Group, Fuel: 1 << 36,
		Buffers: map[int]Buffer{0: {Data: k.In, ReadOnly: true}, 1: {Data: out},
			2: {Data: counters}}}.Run(context.Background(), k.Module.Funcs[0], run)
	return string(out) + string(counters), err
}

// Run returns what a kernel on an engine writes, with a hook if there is one.
func (k *RandomKernel) Run(e *exec.Engine, kernel *exec.Kernel, h hook.Hook) (string, error) {
	out, counters := k.Output()
	sp := &exec.Space{}
	for i, o := range []exec.Object{{Data: k.In, ReadOnly: true}, {Data: out}, {Data: counters}} {
		sp.Set(uint32(i+1), o)
	}
	err := e.Run(context.Background(), kernel,
		&exec.Launch{Grid: k.Grid, Group: k.Group, Fuel: 1 << 36, Space: sp, Hook: h, Cooperative: &exec.Cooperative{},
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}})
	return string(out) + string(counters), err
}

// Require reports a difference with everything needed to find the cause.
func (k *RandomKernel) Require(t testing.TB, what, want, got string, err error) {
	t.Helper()
	if err == nil && want == got {
		return
	}
	p, _ := build.Program(k.Module.Funcs[0], k.Group)
	if err != nil {
		t.Fatalf("seed %d, %s: %v\n%s\n%s", k.Seed, what, err, k.Module, p)
	}
	at := 0
	for want[at] == got[at] {
		at++
	}
	t.Fatalf("seed %d, %s: byte %d of thread %d is %x, want %x\n%s\n%s", k.Seed, what, at%irtest.OutStride,
		at/irtest.OutStride, got[at], want[at], k.Module, p)
}

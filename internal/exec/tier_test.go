package exec

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tieredBackend makes programs whose threadgroups do work and count which program ran them.
type tieredBackend struct {
	*fakeBackend
	work    int64 // of a threadgroup
	improve func() Program
	asked   atomic.Int64
	slow    atomic.Int64 // threadgroups
	fast    atomic.Int64
}

func (b *tieredBackend) Compile(Code) (Program, error) {
	return &slowProgram{countingProgram{b, &b.slow}}, nil
}

type countingProgram struct {
	b     *tieredBackend
	count *atomic.Int64
}

func (p countingProgram) Scratch() int64 {
	if p.count == &p.b.fast {
		return p.b.scratch
	}
	return 0
}
func (p countingProgram) Kept() int64        { return 0 }
func (p countingProgram) Begin(r *Run) Group { return &countingGroup{p: p, r: r} }

type slowProgram struct{ countingProgram }

func (p *slowProgram) Improve() Program {
	p.b.asked.Add(1)
	return p.b.improve()
}

type countingGroup struct {
	p countingProgram
	r *Run
	n int64
}

func (g *countingGroup) Run(number int64, _ [3]int) error {
	g.n++
	g.p.count.Add(1)
	return g.p.b.group(g.r, number)
}
func (g *countingGroup) Step(number int64, at [3]int, _ *Waiting) (*Waiting, error) {
	return nil, g.Run(number, at)
}
func (g *countingGroup) End() Spent {
	s := Spent{All: g.n * g.p.b.work}
	if g.p.count == &g.p.b.fast {
		s.Machine = s.All
	}
	return s
}

func newTiered(work int64) *tieredBackend {
	b := &tieredBackend{fakeBackend: &fakeBackend{group: func(*Run, int64) error { return nil }}, work: work}
	b.improve = func() Program { return countingProgram{b, &b.fast} }
	return b
}

// TestTiers: a program is improved once, after hotWork; all later threadgroups run the faster one,
// those of a launch in progress included, and the work of both is counted.
func TestTiers(t *testing.T) {
	b := newTiered(hotWork / 8)
	k := emptyKernel(t, b, "")
	e := NewEngine(1)
	before := TotalSpent()
	run := func(n int) {
		require.NoError(t, e.Run(context.Background(), k, &Launch{Grid: [3]int{n}, Group: [3]int{1}}))
		e.Close() // waits for the compiler
	}
	assert.False(t, k.MayImprove([3]int{1, 1, 1}), "there is no program yet")
	run(7)
	assert.Zero(t, b.asked.Load())
	assert.True(t, k.MayImprove([3]int{1, 1, 1}))
	assert.False(t, k.MayImprove([3]int{2, 1, 1}))
	run(1)
	assert.EqualValues(t, 1, b.asked.Load())
	assert.False(t, k.MayImprove([3]int{1, 1, 1}))
	run(100)
	assert.EqualValues(t, 1, b.asked.Load())
	assert.EqualValues(t, 8, b.slow.Load())
	assert.EqualValues(t, 100, b.fast.Load())
	after := TotalSpent()
	assert.EqualValues(t, 108*(hotWork/8), after.All-before.All)
	assert.EqualValues(t, 100*(hotWork/8), after.Machine-before.Machine)

	b = newTiered(hotWork)
	compiled := make(chan struct{})
	improve := b.improve
	b.improve = func() Program {
		defer close(compiled)
		return improve()
	}
	b.group = func(_ *Run, number int64) error {
		if number == 900 { // in a later chunk than the first
			<-compiled
			for e.compiling.Load() {
				runtime.Gosched()
			}
		}
		return nil
	}
	k = emptyKernel(t, b, "")
	run(1000)
	assert.Positive(t, b.fast.Load(), "the launch itself goes on with the faster program")
	assert.EqualValues(t, 1000, b.slow.Load()+b.fast.Load())
}

// TestNoBetterProgram: without a faster program, or if its compiler panics, the first goes on, and
// the compiler is not asked again.
func TestNoBetterProgram(t *testing.T) {
	for _, improve := range []func() Program{func() Program { return nil }, func() Program { panic("a mistake") }} {
		b := newTiered(hotWork)
		b.improve = improve
		k := emptyKernel(t, b, "")
		e := NewEngine(2)
		for range 3 {
			require.NoError(t, e.Run(context.Background(), k, &Launch{Grid: [3]int{8}, Group: [3]int{1}}))
			e.Close()
		}
		assert.EqualValues(t, 1, b.asked.Load())
		assert.EqualValues(t, 24, b.slow.Load())
		assert.False(t, k.MayImprove([3]int{1, 1, 1}))
	}
}

// TestOneCompilation: while a program is compiled, no other is; that one is when it runs again.
func TestOneCompilation(t *testing.T) {
	first, second := newTiered(hotWork), newTiered(hotWork)
	begun, finish := make(chan struct{}), make(chan struct{})
	first.improve = func() Program {
		close(begun)
		<-finish
		return nil
	}
	e := NewEngine(1)
	defer e.Close()
	k1, k2 := emptyKernel(t, first, ""), emptyKernel(t, second, "")
	l := &Launch{Grid: [3]int{4}, Group: [3]int{1}}
	require.NoError(t, e.Run(context.Background(), k1, l))
	<-begun
	require.NoError(t, e.Run(context.Background(), k2, l))
	assert.Zero(t, second.asked.Load())
	assert.True(t, k1.MayImprove([3]int{1, 1, 1}), "its compiler is running")
	assert.True(t, k2.MayImprove([3]int{1, 1, 1}), "it waits for the compiler")
	close(finish)
	e.Close()
	require.NoError(t, e.Run(context.Background(), k2, l))
	e.Close()
	assert.EqualValues(t, 1, second.asked.Load())
}

// limited gives a worker so much scratch memory.
type limited int64

func (l limited) TakeScratch(n int64) error {
	if n > int64(l) {
		return errors.New("too much")
	}
	return nil
}

func (limited) GiveScratch(int64) {}

// TestTiersWithoutMemory: if a launch cannot have the memory of the faster program, it goes on with
// the first.
func TestTiersWithoutMemory(t *testing.T) {
	b := newTiered(hotWork)
	b.scratch = 1000
	k := emptyKernel(t, b, "")
	e := NewEngine(1)
	for _, free := range []int64{999, 1000} {
		require.NoError(t, e.Run(context.Background(), k,
			&Launch{Grid: [3]int{8}, Group: [3]int{1}, Scratch: limited(free)}))
		e.Close()
		require.NoError(t, e.Run(context.Background(), k,
			&Launch{Grid: [3]int{8}, Group: [3]int{1}, Scratch: limited(free)}))
		if free < b.scratch {
			require.Zero(t, b.fast.Load())
		}
	}
	assert.EqualValues(t, 16, b.slow.Load())
	assert.EqualValues(t, 16, b.fast.Load())
}

package compute

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const scaled = `
constant float scale [[function_constant(0)]];
kernel void twice(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2; }
kernel void times(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= scale; }`

// sources counts what unseen returned.
var sources atomic.Int64

// unseen returns scaled as a text that the device, which keeps what it has compiled, has not seen.
func unseen() string { return fmt.Sprintf("%s// %d", scaled, sources.Add(1)) }

// compile compiles source for a test, which closes it.
func compile(t testing.TB, a *Accelerator, source string, o CompileOptions) *Program {
	t.Helper()
	p, err := a.Compile(t.Context(), source, o)
	require.NoError(t, err)
	return p
}

func kernel(t testing.TB, p *Program, name string, constants ...Constant) *Kernel {
	t.Helper()
	k, err := p.Kernel(name, constants...)
	require.NoError(t, err)
	return k
}

// runs launches a kernel over one number and returns what it made of it.
func runs(t testing.TB, a *Accelerator, k *Kernel, x float32) float32 {
	t.Helper()
	b, err := BufferOf(t.Context(), a, []float32{x})
	require.NoError(t, err)
	defer b.Close()
	s, err := a.NextStream()
	require.NoError(t, err)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), b))
	require.NoError(t, s.Sync(t.Context()))
	got, err := b.Data()
	require.NoError(t, err)
	return got[0]
}

// TestCacheShares: programs of one source share, and the end of one is not the end of the other.
func TestCacheShares(t *testing.T) {
	a := accelerator(t)
	p, q := compile(t, a, scaled, CompileOptions{}), compile(t, a, scaled, CompileOptions{})
	k, l := kernel(t, p, "twice"), kernel(t, q, "twice")
	assert.NotSame(t, k, l)
	assert.Equal(t, k.core.Made().Pipeline, l.core.Made().Pipeline)
	assert.Same(t, k, kernel(t, p, "twice"))
	assert.EqualValues(t, 10, runs(t, a, l, 5))

	p.Close()
	_, err := p.Kernel("twice")
	require.ErrorIs(t, err, ErrClosed)
	_, err = k.Bind(Threads1D(1))
	require.ErrorIs(t, err, ErrClosed)
	assert.EqualValues(t, 10, runs(t, a, l, 5))
	assert.Len(t, q.KernelNames(), 2)
	q.Close()

	r := compile(t, a, scaled, CompileOptions{}) // nobody has it, and it is still there
	assert.EqualValues(t, 10, runs(t, a, kernel(t, r, "twice"), 5))
	r.Close()
	s := a.CacheStats()
	assert.EqualValues(t, []uint64{2, 1, 3, 1}, []uint64{s.ProgramHits, s.ProgramMisses, s.KernelHits, s.KernelMisses})
	assert.Equal(t, []int{2, 2}, []int{s.Entries, s.Unused})
	assert.Positive(t, s.Bytes)
	assert.Zero(t, s.Evictions)
	assert.Zero(t, s.Disk)
}

// TestCacheTime counts what the compiler takes, by the injected clock.
func TestCacheTime(t *testing.T) {
	var mu sync.Mutex
	now := time.Unix(1, 0)
	a := accelerator(t, func(c *config) error {
		c.now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(time.Second)
			return now
		}
		return nil
	})
	for range 2 {
		p := compile(t, a, scaled, CompileOptions{})
		kernel(t, p, "twice")
		p.Close()
	}
	s := a.CacheStats()
	assert.Equal(t, time.Second, s.CompileTime)
	assert.Equal(t, time.Second, s.PipelineTime)
}

// TestCacheKeys: each option makes another program, and so does each difference of source and
// includes.
func TestCacheKeys(t *testing.T) {
	a := accelerator(t)
	safe, fast := mtl.MathModeSafe, mtl.MathModeFast
	one := fstest.MapFS{"a.h": {Data: []byte("#define N 1\n")}}
	two := fstest.MapFS{"a.h": {Data: []byte("#define N 2\n")}}
	const including = "#include \"a.h\"\nkernel void f(device int *x [[buffer(0)]]) { x[0] = N; }"
	programs := []struct {
		source string
		o      CompileOptions
	}{
		{scaled, CompileOptions{}},
		{scaled + " ", CompileOptions{}},
		{scaled, CompileOptions{Math: &safe}},
		{scaled, CompileOptions{Math: &fast}},
		{scaled, CompileOptions{PreciseFunctions: true}},
		{scaled, CompileOptions{Language: mtl.LanguageVersion3_0}},
		{scaled, CompileOptions{Macros: map[string]string{"A": "1"}}},
		{scaled, CompileOptions{Macros: map[string]string{"A": "2"}}},
		{scaled, CompileOptions{Macros: map[string]string{"A": "1", "B": "2"}}},
		{including, CompileOptions{Includes: one}},
		{including, CompileOptions{Includes: two}},
		{scaled, CompileOptions{Name: "scaled.metal"}},
		{scaled, CompileOptions{Language: mtl.LanguageVersion3_1}},
		{scaled, CompileOptions{Logging: true}},
	}
	for i, p := range programs {
		compile(t, a, p.source, p.o).Close()
		assert.EqualValues(t, i+1, a.CacheStats().ProgramMisses, "program %d", i)
	}
	for i, p := range programs {
		compile(t, a, p.source, p.o).Close()
		assert.EqualValues(t, i+1, a.CacheStats().ProgramHits, "program %d", i)
	}
}

// TestCacheConstants: values that print alike and are of different types are different constants.
func TestCacheConstants(t *testing.T) {
	a := accelerator(t)
	p := compile(t, a, scaled, CompileOptions{})
	defer p.Close()
	two := kernel(t, p, "times", Constant{Name: "scale", Value: float32(2)})
	three := kernel(t, p, "times", Constant{Index: 0, Value: float32(3)})
	assert.Same(t, two, kernel(t, p, "times", Constant{Name: "scale", Value: float32(2)}))
	assert.EqualValues(t, 10, runs(t, a, two, 5))
	assert.EqualValues(t, 15, runs(t, a, three, 5))
	assert.EqualValues(t, 15, runs(t, a,
		kernel(t, p, "times", Constant{Name: "scale", Value: float32(2)}, Constant{Name: "scale", Value: float32(3)}), 5))
	_, err := p.Kernel("times", Constant{Name: "scale", Value: 2}) // prints as the first
	require.Error(t, err)
	_, err = p.Kernel("times", Constant{Name: "scale"})
	require.Error(t, err)
	assert.EqualValues(t, 1, a.CacheStats().KernelHits)

	seen := map[kernelKey]string{}
	for _, c := range [][]Constant{
		nil, {{Value: int32(1)}}, {{Value: uint32(1)}}, {{Value: int8(1)}}, {{Value: true}}, {{Value: 1}}, {{Value: nil}},
		{{Value: "1"}}, {{Name: "0", Value: int32(1)}},
		{{Index: 1, Value: int32(1)}}, {{Value: float32(0)}}, {{Value: mtl.Half(0)}}, {{Value: mtl.BFloat(0)}},
		{{Value: [2]int32{1, 2}}}, {{Value: [2]int32{2, 1}}},
		{{Value: int32(1)}, {Value: int32(1)}}, {{Name: "a b", Value: int32(1)}}, {{Name: "a", Value: "b"}},
	} {
		k := keyOf("f", c)
		assert.NotContains(t, seen, k, "%#v", c)
		seen[k] = fmt.Sprint(c)
	}
}

// TestCacheOneFlight: goroutines that ask for one source at the same time wait for one compilation,
// and so with a kernel.
func TestCacheOneFlight(t *testing.T) {
	a := accelerator(t)
	const callers = 32
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range callers {
		all.Go(func() {
			<-begin
			p, err := a.Compile(t.Context(), scaled, CompileOptions{})
			if !assert.NoError(t, err) {
				return
			}
			defer p.Close()
			k, err := p.Kernel("twice")
			if assert.NoError(t, err) {
				assert.Equal(t, "twice", k.Name())
			}
		})
	}
	close(begin)
	all.Wait()
	s := a.CacheStats()
	assert.EqualValues(t, []uint64{callers - 1, 1, callers - 1, 1},
		[]uint64{s.ProgramHits, s.ProgramMisses, s.KernelHits, s.KernelMisses})

	// The same in one program.
	p := compile(t, a, scaled, CompileOptions{})
	defer p.Close()
	var mu sync.Mutex
	seen := map[*Kernel]bool{}
	for range callers {
		all.Go(func() {
			k, err := p.Kernel("times", Constant{Name: "scale", Value: float32(2)})
			if assert.NoError(t, err) {
				mu.Lock()
				defer mu.Unlock()
				seen[k] = true
			}
		})
	}
	all.Wait()
	assert.Len(t, seen, 1)
	assert.EqualValues(t, 2, a.CacheStats().KernelMisses)
}

// TestTrimKernels: what nobody uses is released, and the rest stays.
func TestTrimKernels(t *testing.T) {
	a := accelerator(t)
	used := compile(t, a, "kernel void k() {}", CompileOptions{})
	unused := compile(t, a, "kernel void other() {}", CompileOptions{})
	defer used.Close()
	kernel(t, used, "k")
	kernel(t, unused, "other")
	require.Zero(t, a.TrimKernels())
	unused.Close()
	require.Equal(t, 2, a.CacheStats().Unused)
	require.Equal(t, 2, a.TrimKernels())
	s := a.CacheStats()
	require.Zero(t, s.Unused)
	require.Equal(t, 2, s.Entries)
	require.EqualValues(t, 2, s.Evictions)
	compile(t, a, "kernel void other() {}", CompileOptions{}).Close()
	require.EqualValues(t, 3, a.CacheStats().ProgramMisses)
	require.Zero(t, (*Accelerator)(nil).TrimKernels())
}

// TestCompilations: as many compilations run at once as the option says, and one that waits for its
// turn ends with its context.
func TestCompilations(t *testing.T) {
	_, err := Open(WithCompilations(0))
	require.ErrorIs(t, err, ErrOption)
	const programs = 12
	for _, most := range []int{1, 3} {
		r := &recorder{}
		a := accelerator(t, WithCompilations(most), WithObserver(r.observer()))
		var g sync.WaitGroup
		for n := range programs {
			g.Go(func() {
				p, err := a.Compile(t.Context(), fmt.Sprint(long(3), "// ", n), CompileOptions{})
				if !assert.NoError(t, err) {
					return
				}
				defer p.Close()
				_, err = p.Kernel("last")
				assert.NoError(t, err)
			})
		}
		g.Wait()
		require.Len(t, r.compiles, 2*programs)
		for _, e := range r.compiles {
			n := 0
			for _, other := range r.compiles {
				if !other.Start.After(e.Start) && other.Start.Add(other.Took).After(e.Start) {
					n++
				}
			}
			require.LessOrEqual(t, n, most)
		}
	}
	a := accelerator(t, WithCompilations(1))
	require.NoError(t, a.cache.takeTurn(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := a.Compile(ctx, "kernel void k() {}", CompileOptions{})
		ended <- err
	}()
	cancel()
	require.ErrorIs(t, <-ended, ErrCanceled)
	a.cache.endTurn()
	compile(t, a, "kernel void k() {}", CompileOptions{}).Close()
}

// TestCacheErrors: a failure goes to each under its own name, and is not kept.
func TestCacheErrors(t *testing.T) {
	a := accelerator(t)
	for _, name := range []string{"a.metal", "b.metal"} {
		_, err := a.Compile(t.Context(), "kernel void f() { int x = y; }", CompileOptions{Name: name})
		var e *CompileError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, name, e.Name)
	}
	_, err := a.Compile(t.Context(), " ", CompileOptions{Name: "c.metal"})
	require.ErrorIs(t, err, mtl.ErrArgument)
	assert.ErrorContains(t, err, "c.metal")
	require.NoError(t, a.cache.memory.Wait(t.Context()))
	s := a.CacheStats()
	assert.EqualValues(t, []uint64{0, 3}, []uint64{s.ProgramHits, s.ProgramMisses})
	assert.Zero(t, s.Entries)
	assert.Zero(t, s.Bytes)
}

// TestCacheGivingUp: when the only caller gives up, Apple's compiler goes on, and later calls get
// what it makes; the software device's stops, and later calls compile again. Either way, nothing is
// left.
func TestCacheGivingUp(t *testing.T) {
	var armed atomic.Bool
	why := errors.New("why")
	ctx, giveUp := context.WithCancelCause(t.Context())
	gaveUp := make(chan struct{})
	a := accelerator(t, func(c *config) error {
		c.now = func() time.Time { // a compilation that begins looks at the clock: that is when the caller gives up
			if armed.CompareAndSwap(true, false) {
				giveUp(why)
				<-gaveUp
			}
			return time.Now()
		}
		return nil
	})
	source := unseen()
	o := CompileOptions{Name: "slow.metal"}
	armed.Store(true)
	_, err := a.Compile(ctx, source, o)
	close(gaveUp)
	require.ErrorIs(t, err, why)
	assert.ErrorContains(t, err, "slow.metal")
	require.NoError(t, a.cache.memory.Wait(t.Context()))
	want := 0
	if !a.info.Software {
		want = 1
	}
	assert.Equal(t, want, a.CacheStats().Entries)
	compile(t, a, source, o).Close()
	s := a.CacheStats()
	assert.EqualValues(t, []int{want, 2 - want}, []int{int(s.ProgramHits), int(s.ProgramMisses)})
}

// TestGivenUp: the software device makes no library and no pipeline that nobody waits for, and both
// once somebody does.
func TestGivenUp(t *testing.T) {
	a := accelerator(t)
	if !a.info.Software {
		t.Skip("only the software device's compiler can be stopped")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	o, err := CompileOptions{}.pinned()
	require.NoError(t, err)
	source := unseen()
	_, err = a.compile(ended, programKey{}, source, o)
	require.ErrorContains(t, err, "compilation stopped: context canceled")
	library, err := a.compile(t.Context(), programKey{}, source, o)
	require.NoError(t, err)
	defer library.release()
	_, err = a.makePipeline(ended, programKey{}, library, kernelKey{name: "twice"}, nil)
	require.Error(t, err) // Metal gives no reason for a function that it does not make
	p, err := a.makePipeline(t.Context(), programKey{}, library, kernelKey{name: "twice"}, nil)
	require.NoError(t, err)
	p.state.Release()
}

// TestCacheEviction: what was closed longest ago goes when there is no room, and is compiled again.
func TestCacheEviction(t *testing.T) {
	source := func(n int) string { return fmt.Sprintf("kernel void f(device int *x [[buffer(0)]]) { x[0] = %d; }", n) }
	const each = libraryCost + 1000 // more than one library, less than two
	a := accelerator(t, WithKernelCache(3*each))
	for n := range 3 {
		compile(t, a, source(n), CompileOptions{}).Close()
	}
	compile(t, a, source(0), CompileOptions{}).Close()
	used := compile(t, a, source(3), CompileOptions{}) // 1 goes
	s := a.CacheStats()
	assert.EqualValues(t, []uint64{1, 4, 1}, []uint64{s.ProgramHits, s.ProgramMisses, s.Evictions})
	assert.Equal(t, []int{3, 2}, []int{s.Entries, s.Unused})
	assert.LessOrEqual(t, s.Bytes, int64(3*each))
	compile(t, a, source(0), CompileOptions{}).Close()
	compile(t, a, source(1), CompileOptions{}).Close() // 2 goes
	s = a.CacheStats()
	assert.EqualValues(t, []uint64{2, 5, 2}, []uint64{s.ProgramHits, s.ProgramMisses, s.Evictions})
	used.Close()

	none := accelerator(t, WithKernelCache(0))
	p := compile(t, none, scaled, CompileOptions{})
	k := kernel(t, p, "twice")
	assert.EqualValues(t, 4, runs(t, none, k, 2))
	p.Close()
	assert.Zero(t, none.CacheStats().Entries)
	compile(t, none, scaled, CompileOptions{}).Close()
	assert.EqualValues(t, 2, none.CacheStats().ProgramMisses)
}

// TestCacheClosing: programs are compiled, used and closed while the accelerator is closed: each
// call works or says that it is closed.
func TestCacheClosing(t *testing.T) {
	for range 4 {
		a := accelerator(t)
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				for i := range 20 {
					p, err := a.Compile(context.Background(), fmt.Sprintf("%s // %d", scaled, (n+i)%3), CompileOptions{})
					if err != nil {
						assert.ErrorIs(t, err, ErrClosed)
						return
					}
					if _, err := p.Kernel("twice"); err != nil {
						assert.ErrorIs(t, err, ErrClosed)
					}
					p.Close()
				}
			})
		}
		var leak *LeakError
		if err := a.Close(context.Background()); err != nil {
			require.ErrorAs(t, err, &leak)
		}
		all.Wait()
		require.NoError(t, a.cache.memory.Wait(t.Context()))
		assert.Zero(t, a.CacheStats().Entries)
	}
}

func TestCacheOptions(t *testing.T) {
	for _, o := range []Option{WithKernelCache(-1), WithDiskCache("", 0), WithDiskCache("x", -5)} {
		_, err := Open(o)
		require.ErrorIs(t, err, ErrOption)
	}
}

// TestKernelLookup: a kernel that is there costs no memory.
func TestKernelLookup(t *testing.T) {
	a := accelerator(t)
	p := compile(t, a, scaled, CompileOptions{})
	defer p.Close()
	kernel(t, p, "twice")
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = p.Kernel("twice") }))
}

func BenchmarkKernelLookup(b *testing.B) {
	a := accelerator(b)
	p := compile(b, a, scaled, CompileOptions{})
	defer p.Close()
	kernel(b, p, "twice")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Kernel("twice"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompileCached is Compile and Close of a program that is in memory.
func BenchmarkCompileCached(b *testing.B) {
	a := accelerator(b)
	defer compile(b, a, scaled, CompileOptions{}).Close()
	b.ReportAllocs()
	for b.Loop() {
		p, err := a.Compile(b.Context(), scaled, CompileOptions{})
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

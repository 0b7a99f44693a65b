package exec

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// fakeBackend runs a function for each threadgroup and counts compilations.
type fakeBackend struct {
	group    func(r *Run, number int64) error
	mu       sync.Mutex
	compiled []Code
	scratch  int64 // of a program
	begun    atomic.Int64
	ended    atomic.Int64
}

func (b *fakeBackend) Lanes() int { return lir.MaxLanes }

func (b *fakeBackend) Compile(c Code) (Program, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.compiled = append(b.compiled, c)
	return fakeProgram{b}, nil
}

type fakeProgram struct{ b *fakeBackend }

func (p fakeProgram) Scratch() int64 { return p.b.scratch }
func (p fakeProgram) Kept() int64    { return p.b.scratch }

func (p fakeProgram) Begin(r *Run) Group {
	p.b.begun.Add(1)
	return &fakeGroup{p.b, r}
}

type fakeGroup struct {
	b *fakeBackend
	r *Run
}

func (g *fakeGroup) Run(number int64, _ [3]int) error { return g.b.group(g.r, number) }
func (g *fakeGroup) Step(number int64, _ [3]int, _ *Waiting) (*Waiting, error) {
	return nil, g.b.group(g.r, number)
}
func (g *fakeGroup) End() Spent {
	g.b.ended.Add(1)
	return Spent{}
}

// emptyKernel returns a kernel that does only what the backend does.
func emptyKernel(t *testing.T, b Backend, constants string) *Kernel {
	t.Helper()
	m, err := ir.Parse("kernel \"k\" {\n" + constants + "  body {\n    return\n  }\n}\n")
	require.NoError(t, err)
	require.NoError(t, m.Verify())
	return NewKernel(m.Funcs[0], Options{Backend: b})
}

// TestManyShapes: a kernel launched with ever new shapes keeps a bounded number of programs.
func TestManyShapes(t *testing.T) {
	b := &fakeBackend{group: func(*Run, int64) error { return nil }}
	k := emptyKernel(t, b, "")
	e := NewEngine(1)
	defer e.Close()
	for n := 1; n <= 2*maxPrograms; n++ {
		require.NoError(t, e.Run(context.Background(), k, &Launch{Grid: [3]int{n}, Group: [3]int{n}}))
		require.LessOrEqual(t, len(k.programs), maxPrograms)
	}
	assert.Len(t, b.compiled, 2*maxPrograms, "each shape once")
	require.NoError(t, e.Run(context.Background(), k,
		&Launch{Grid: [3]int{2 * maxPrograms}, Group: [3]int{2 * maxPrograms}}))
	assert.Len(t, b.compiled, 2*maxPrograms, "the last shape is still there")
}

// TestWatchedPrograms: a launch with a hook uses a separate program, and does not affect the
// optimized one.
func TestWatchedPrograms(t *testing.T) {
	b := &fakeBackend{group: func(*Run, int64) error { return nil }}
	k := emptyKernel(t, b, "")
	e := NewEngine(1)
	defer e.Close()
	plain := &Launch{Grid: [3]int{8}, Group: [3]int{8}}
	watched := &Launch{Grid: [3]int{8}, Group: [3]int{8}, Hook: hook.None{}}
	for range 2 {
		require.NoError(t, e.Run(context.Background(), k, plain))
		require.NoError(t, e.Run(context.Background(), k, watched))
	}
	require.Len(t, b.compiled, 2)
	assert.False(t, b.compiled[0].Watched)
	assert.True(t, b.compiled[1].Watched)
	assert.Same(t, k.f, b.compiled[1].LIR.Func, "as the compiler made it")
	assert.NotSame(t, k.f, b.compiled[0].LIR.Func)
}

// TestPanickingGroup: a panic in a threadgroup fails the launch, on helpers and on the caller, and
// its group is not reused. The engine keeps working.
func TestPanickingGroup(t *testing.T) {
	boom := errors.New("boom")
	for _, workers := range []int{1, 4} {
		for _, bad := range []int64{0, 63} {
			b := &fakeBackend{group: func(r *Run, number int64) error {
				if number == bad {
					panic(boom)
				}
				return nil
			}}
			k := emptyKernel(t, b, "")
			e := NewEngine(workers)
			err := e.Run(context.Background(), k, &Launch{Grid: [3]int{64}, Group: [3]int{1}})
			var p *PanicError
			require.ErrorAs(t, err, &p, "%d workers, threadgroup %d", workers, bad)
			require.ErrorIs(t, err, boom)
			assert.Contains(t, string(p.Stack), "kernel_test.go")
			assert.Equal(t, b.begun.Load()-1, b.ended.Load())
			b.group = func(*Run, int64) error { return nil }
			require.NoError(t, e.Run(context.Background(), k, &Launch{Grid: [3]int{64}, Group: [3]int{1}}))
			e.Close()
		}
	}
}

// TestHelperPanics makes the panic occur on a helper: the caller waits for it inside its own piece.
func TestHelperPanics(t *testing.T) {
	c := newCrew(2)
	defer c.wait()
	helped := make(chan struct{})
	j := c.NewJob(workFunc(func(first, _ int64) (int64, error) {
		if first == 0 {
			<-helped // another goroutine has the other piece then
			return 0, nil
		}
		defer close(helped)
		panic("helper")
	}), nil)
	failed, err := j.Share(context.Background(), 2, 1, 1)
	j.Release()
	var p *PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "helper", p.Value)
	assert.EqualValues(t, 1, failed)
}

type workFunc func(first, end int64) (int64, error)

func (f workFunc) Do(first, end int64) (int64, error) { return f(first, end) }

// TestShare: every piece before the first failing one is done exactly once, with any number of
// workers.
func TestShare(t *testing.T) {
	boom := errors.New("boom")
	for _, workers := range []int{1, 2, 5} {
		c := newCrew(workers)
		for _, chunk := range []int64{0, 1, 7, 1000} {
			for _, bad := range []int64{-1, 0, 50, 99} {
				var done [100]atomic.Int32
				j := c.NewJob(workFunc(func(first, end int64) (int64, error) {
					for i := first; i < end; i++ {
						if i == bad {
							return i, boom
						}
						done[i].Add(1)
					}
					return end, nil
				}), nil)
				failed, err := j.Share(context.Background(), 100, chunk, 10)
				j.Release()
				if bad < 0 {
					require.NoError(t, err)
					require.EqualValues(t, 100, failed)
					bad = 100
				} else {
					require.ErrorIs(t, err, boom)
					require.Equal(t, bad, failed)
				}
				for i := range bad {
					require.EqualValues(t, 1, done[i].Load(), "%d workers, chunks of %d, piece %d", workers, chunk, i)
				}
			}
		}
		c.wait()
	}
}

// TestShareCanceled: an ended context is the job's error unless all pieces are done.
func TestShareCanceled(t *testing.T) {
	c := newCrew(3)
	defer c.wait()
	ctx, cancel := context.WithCancel(context.Background())
	var n atomic.Int64
	j := c.NewJob(workFunc(func(first, end int64) (int64, error) {
		if n.Add(1) == 10 {
			cancel()
		}
		return end, nil
	}), nil)
	_, err := j.Share(ctx, 1000, 1, 2)
	j.Release()
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, n.Load(), int64(1000))
}

// TestConstants: values are read according to the constant's type, and missing or short ones are
// errors.
func TestConstants(t *testing.T) {
	var got []Constant
	b := &fakeBackend{group: func(r *Run, _ int64) error {
		got = append([]Constant(nil), r.Constants...)
		return nil
	}}
	k := emptyKernel(t, b, `  constant {"name":"a","index":3,"type":"i16x2","required":true}
  constant {"name":"b","index":4,"type":"i1"}
`)
	e := NewEngine(1)
	defer e.Close()
	run := func(values map[int][]byte) error { return e.Run(context.Background(), k, &Launch{Constants: values}) }
	require.NoError(t, run(map[int][]byte{3: {1, 2, 3, 4}, 4: {7}}))
	assert.Equal(t, []Constant{{[4]uint64{0x201, 0x403}, true}, {[4]uint64{1}, true}}, got)
	require.NoError(t, run(map[int][]byte{3: {1, 2, 3, 4}}))
	assert.Equal(t, Constant{}, got[1])
	require.ErrorIs(t, run(nil), ErrLaunch)
	require.ErrorIs(t, run(map[int][]byte{3: {1, 2, 3}}), ErrLaunch)

	known, err := Specialization(k.f, map[int][]byte{3: {1, 2, 3, 4}})
	require.NoError(t, err)
	k = NewKernel(k.f, Options{Backend: b, Constants: known})
	require.NoError(t, run(nil), "nothing is left to the launch")
	assert.Empty(t, got)
}

// TestStoppedCompilation: compilation can be stopped at any point, and a later launch compiles the
// same program.
func TestStoppedCompilation(t *testing.T) {
	b := &fakeBackend{}
	whole := emptyKernel(t, b, "")
	_, err := whole.Program([3]int{32, 1, 1})
	require.NoError(t, err)

	k := emptyKernel(t, b, "")
	key := programKey{shape: [3]int{32, 1, 1}}
	stops := 0
	for ; ; stops++ {
		if _, err = k.program(&countdown{stops}, key); err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
	}
	assert.Greater(t, stops, 5, "it asks between passes")
	require.Len(t, b.compiled, 2, "the backend has nothing to do with stopped ones")
	assert.Equal(t, b.compiled[0].LIR.String(), b.compiled[1].LIR.String())
}

// countdown is a Stopper that stops after a number of checks.
type countdown struct{ left int }

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

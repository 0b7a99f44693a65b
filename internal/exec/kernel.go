package exec

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// Backend compiles kernels for one way of execution: interpretation or machine code. It is safe for
// concurrent use.
type Backend interface {
	// Lanes returns how many threads execute an instruction together: a multiple of lir.SimdWidth, at
	// most lir.MaxLanes.
	Lanes() int
	// Compile compiles code to a program.
	Compile(code Code) (Program, error)
}

// Code is what a Backend compiles: a kernel for threadgroups of one shape.
type Code struct {
	Func    *ir.Func     // as compiled from source
	LIR     *lir.Program // its instructions, with their frame slots allocated
	Watched bool         // the program reports events to the launch's hook
}

// Program executes threadgroups of one shape. It is safe for concurrent use.
type Program interface {
	// Scratch returns the bytes of memory that a Group needs, without the threadgroup memory that the
	// launch specifies.
	Scratch() int64
	// Kept returns the most bytes that a Waiting threadgroup takes, without the threadgroup memory
	// that the launch specifies.
	Kept() int64
	// Begin returns a Group for one worker's part of a launch.
	Begin(*Run) Group
}

// Group executes threadgroups of a launch one after another. It is used by one goroutine.
type Group interface {
	// Run executes the threadgroup at a position of the grid. number is its index, with x varying
	// fastest.
	Run(number int64, position [3]int) error
	// Step begins the threadgroup, or continues one that waits at a grid barrier; another Group of
	// the Program may have executed it until there. It returns the threadgroup if it waits at the
	// next one, in the memory of from where that is given, or nil if it has ended.
	Step(number int64, position [3]int, from *Waiting) (*Waiting, error)
	// End ends the use of the Group and returns the work it did; the Program may reuse the Group. It
	// is not called for a Group that panicked.
	End() Spent
}

// RowRunner is a Group that may execute several threadgroups in a call.
type RowRunner interface {
	// RunRow executes at most n threadgroups, from that at a position: those behind it along x, and
	// then those of the next rows, which do not leave its plane. It returns how many
	// have ended, at least one if err is nil. Otherwise the one after those has failed.
	RunRow(number int64, position [3]int, n int64) (done int64, err error)
}

// Kernel is a function that can be launched. It keeps a compiled program for each threadgroup shape
// with which it has been launched.
type Kernel struct {
	f           *ir.Func
	o           Options
	constants   []ir.Type // of the function constants
	specialized bool      // the options have values for all function constants
	maxStrips   int       // of a threadgroup
	grid        bool      // it has a grid barrier
	gridFlow    func() error
	phased      func() *phased // the kernel split at its grid barriers; nil if that is not possible

	mu        sync.Mutex
	optimized *ir.Func // set when the first program is compiled
	programs  map[programKey]*compiled

	last atomic.Pointer[compiled] // program that was asked for last: most launches want it again
}

// programKey identifies a program of a kernel.
type programKey struct {
	shape   [3]int
	watched bool
	single  bool // simdgroups are executed one by one
}

// Options configures a kernel. The results of launches do not depend on the options, except for the
// constants.
type Options struct {
	Backend Backend
	Native  Native   // computes launches without a hook; nil for none
	Off     opt.Pass // optimization passes to omit
	OffLow  lir.Pass // low-level passes to omit
	// Whole, if not nil, executes launches without a hook, in the place of the Backend.
	Whole func(ctx context.Context, l *Launch) error
	// Phases: kernels are split at their grid barriers, where that is possible, rather than their
	// threadgroups kept there. Launches with a hook or a schedule execute what the kernel says.
	Phases    bool
	Constants []opt.FConst // values of function constants, in the function's order; nil leaves them to the launch
}

// NewKernel prepares a valid function.
func NewKernel(f *ir.Func, o Options) *Kernel {
	k := &Kernel{f: f, o: o, constants: constantTypes(f), programs: map[programKey]*compiled{}}
	k.specialized = len(o.Constants) >= len(f.Constants)
	for i := range min(len(o.Constants), len(f.Constants)) {
		k.specialized = k.specialized && o.Constants[i].Given
	}
	if o.Backend != nil {
		k.maxStrips = ir.MaxThreads / o.Backend.Lanes()
	}
	k.grid = f.HasGridBarrier()
	k.gridFlow = sync.OnceValue(func() error { return gridFlow(f, o.Constants) })
	k.phased = sync.OnceValue(func() *phased { return splitKernel(k) })
	return k
}

// Func returns the function as compiled, before optimization.
func (k *Kernel) Func() *ir.Func { return k.f }

// GridBarriers returns the number of places where the kernel waits for the whole grid.
func (k *Kernel) GridBarriers() (n int) {
	k.f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpGridBarrier {
			n++
		}
		return true
	})
	return n
}

// GridFlow returns why the kernel's control flow does not allow its grid barriers: an ErrGridSync
// with the place.
func (k *Kernel) GridFlow() error { return k.gridFlow() }

// Optimized returns the optimized function from which programs are compiled, specialized on the
// constants of the options.
func (k *Kernel) Optimized() *ir.Func {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, _ := k.optimize(context.Background()) // cannot fail, because this context never ends
	return f
}

// optimize is Optimized with k.mu held. It fails if the stopper stops it.
func (k *Kernel) optimize(stopper Stopper) (*ir.Func, error) {
	switch {
	case k.optimized != nil:
	case k.o.Off == opt.All:
		k.optimized = k.f
	default:
		f := k.f.Clone()
		opt.Run(f, opt.Options{Off: k.o.Off, Scalar: num.Scalar, Constants: k.o.Constants,
			Stop: func() bool { return stopper.Err() != nil }})
		if err := stopper.Err(); err != nil {
			return nil, err
		}
		k.optimized = f
	}
	return k.optimized, nil
}

// Program returns the program for a threadgroup shape, and compiles it if necessary.
func (k *Kernel) Program(shape [3]int) (Program, error) {
	c, err := k.program(context.Background(), programKey{shape: shape})
	if err != nil {
		return nil, err
	}
	return c.Program, nil
}

// maxPrograms bounds the number of a kernel's programs, since grids of many different sizes have
// edges of many different shapes.
const maxPrograms = 256

// program returns the program for a key, compiling it if necessary; the stopper can stop the
// compilation.
func (k *Kernel) program(stopper Stopper, key programKey) (*compiled, error) {
	if p := k.last.Load(); p != nil && p.key == key {
		return p.best(), nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.programs[key]; p != nil {
		k.last.Store(p)
		return p.best(), nil
	}
	p, err := k.compile(stopper, key)
	if err != nil {
		return nil, err
	}
	if len(k.programs) >= maxPrograms {
		clear(k.programs)
	}
	c := &compiled{Program: p, key: key}
	k.programs[key] = c
	k.last.Store(c)
	return c, nil
}

// build generates the low-level program for a key.
func (k *Kernel) build(stopper Stopper, key programKey) (*lir.Program, error) {
	lanes := k.o.Backend.Lanes()
	if key.single {
		lanes = lir.SimdWidth
	}
	if key.watched {
		return build.Watched(k.f, key.shape, lanes)
	}
	f, err := k.optimize(stopper)
	if err != nil {
		return nil, err
	}
	l, err := build.ProgramOfWidth(f, key.shape, lanes)
	if err != nil {
		return nil, err
	}
	if err := stopper.Err(); err != nil {
		return nil, err
	}
	l.Simplify(k.o.OffLow)
	return l, nil
}

// maxFrameBytes bounds the frame of a strip, because offsets in it have 31 bits.
const maxFrameBytes = 1 << 30

// compile compiles the program for a key. k.mu is held.
func (k *Kernel) compile(stopper Stopper, key programKey) (Program, error) {
	l, err := k.build(stopper, key)
	if err != nil {
		return nil, err
	}
	if err := stopper.Err(); err != nil {
		return nil, err
	}
	l.Allocate()
	if l.FrameBytes > maxFrameBytes {
		return nil, fmt.Errorf("%w: the variables of %d threads take %d bytes in total, more than %d",
			ErrUnsupported, l.Lanes, l.FrameBytes, maxFrameBytes)
	}
	return k.o.Backend.Compile(Code{Func: k.f, LIR: l, Watched: key.watched})
}

package exec

import (
	"context"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// Backend turns kernels into programs for one way of execution: by interpretation, or as machine
// code. It is safe for concurrent use.
type Backend interface {
	// Lanes returns how many threads execute an instruction together: a multiple of lir.SimdWidth, at
	// most lir.MaxLanes.
	Lanes() int
	// Compile makes a program of code.
	Compile(code Code) (Program, error)
}

// Code is what a Backend compiles: a kernel for threadgroups of one shape.
type Code struct {
	Func    *ir.Func     // as the compiler made it
	LIR     *lir.Program // its instructions, with their places in the frame allocated
	Watched bool         // the program reports what it does to the hook of its launch
}

// Program executes threadgroups of one shape. It is safe for concurrent use.
type Program interface {
	// Scratch returns how many bytes of memory a Group takes, without the threadgroup memory that the
	// launch brings.
	Scratch() int64
	// Begin returns a Group for one worker's part of a launch.
	Begin(*Run) Group
}

// Group executes threadgroups of a launch one after the other. One goroutine uses it.
type Group interface {
	// Run executes the threadgroup with a number, counted in x, then y, then z, at a position of the
	// grid.
	Run(number int64, position [3]int) error
	// End ends the use of the Group, which the Program may hand out again. A Group that panicked is
	// not ended.
	End()
}

// Kernel is a function that can be launched. It keeps a program for each shape of threadgroup that
// it has been launched with.
type Kernel struct {
	f           *ir.Func
	o           Options
	constants   []ir.Type // of the function constants
	specialised bool      // no function constant is left to the launch

	mu        sync.Mutex
	optimised *ir.Func // once a program has been asked for
	programs  map[programKey]*compiled
}

// programKey tells the programs of a kernel apart.
type programKey struct {
	shape   [3]int
	watched bool
}

// compiled is a program. Its address stands for it where an interface cannot: in atomic pointers.
type compiled struct{ Program }

// Options configure a kernel. The result of a launch does not depend on them.
type Options struct {
	Backend   Backend
	Off       opt.Pass     // passes over the kernel to leave out
	OffLow    lir.Pass     // passes over its programs to leave out
	Constants []opt.FConst // values of function constants, in the function's order; nil leaves them to the launch
}

// NewKernel prepares a valid function.
func NewKernel(f *ir.Func, o Options) *Kernel {
	k := &Kernel{f: f, o: o, constants: constantTypes(f), programs: map[programKey]*compiled{}}
	k.specialised = len(o.Constants) >= len(f.Constants)
	for i := range min(len(o.Constants), len(f.Constants)) {
		k.specialised = k.specialised && o.Constants[i].Given
	}
	return k
}

// Func returns the function as the compiler made it.
func (k *Kernel) Func() *ir.Func { return k.f }

// Optimised returns the function as programs are made of it, specialised for the constants that the
// options give.
func (k *Kernel) Optimised() *ir.Func {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, _ := k.optimise(context.Background()) // which never stops it
	return f
}

// optimise is Optimised with k.mu held. It fails when the stopper says so.
func (k *Kernel) optimise(stopper Stopper) (*ir.Func, error) {
	switch {
	case k.optimised != nil:
	case k.o.Off == opt.All:
		k.optimised = k.f
	default:
		f := k.f.Clone()
		opt.Run(f, opt.Options{Off: k.o.Off, Scalar: num.Scalar, Constants: k.o.Constants,
			Stop: func() bool { return stopper.Err() != nil }})
		if err := stopper.Err(); err != nil {
			return nil, err
		}
		k.optimised = f
	}
	return k.optimised, nil
}

// Program returns the program for threadgroups of a shape, and compiles it if there is none yet.
func (k *Kernel) Program(shape [3]int) (Program, error) {
	c, err := k.program(context.Background(), programKey{shape: shape})
	if err != nil {
		return nil, err
	}
	return c.Program, nil
}

// maxPrograms bounds the programs of a kernel: grids of ever new sizes have edges of ever new
// shapes.
const maxPrograms = 256

// program returns the program for a shape. Where there is none yet, the stopper may stop the
// compiler.
func (k *Kernel) program(stopper Stopper, key programKey) (*compiled, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.programs[key]; p != nil {
		return p, nil
	}
	p, err := k.compile(stopper, key)
	if err != nil {
		return nil, err
	}
	if len(k.programs) >= maxPrograms {
		clear(k.programs)
	}
	c := &compiled{p}
	k.programs[key] = c
	return c, nil
}

// build makes the instructions of the program for a shape.
func (k *Kernel) build(stopper Stopper, key programKey) (*lir.Program, error) {
	lanes := k.o.Backend.Lanes()
	if key.watched {
		return build.Watched(k.f, key.shape, lanes)
	}
	f, err := k.optimise(stopper)
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

// maxFrameBytes bounds the frame of a strip, whose variables have places of 31 bits.
const maxFrameBytes = 1 << 30

// compile makes the program for a shape. k.mu is held.
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
		return nil, fmt.Errorf("%w: the variables of %d threads take %d bytes together, more than %d",
			ErrUnsupported, l.Lanes, l.FrameBytes, maxFrameBytes)
	}
	return k.o.Backend.Compile(Code{Func: k.f, LIR: l, Watched: key.watched})
}

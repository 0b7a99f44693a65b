package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/kernels"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
)

// Ops holds the kernels of one accelerator, compiled at first use. It is safe for concurrent use.
type Ops struct {
	acc *compute.Accelerator

	// matrices is set if the device's family supports simdgroup matrices. It is not for the software
	// device, where tiles have a native body and simdgroup matrices do not.
	matrices bool

	mu       sync.Mutex
	closed   bool
	programs map[string]*compute.Program // by file
	unfit    map[string]error            // kernels that the device cannot run, and why
}

// New returns the operations for an accelerator. Close them when done.
func New(acc *compute.Accelerator) *Ops {
	info := acc.Info()
	return &Ops{acc: acc, matrices: info.HasSimdgroupMatrices() && !info.Software, programs: map[string]*compute.Program{},
		unfit: map[string]error{}}
}

// missing reports whether the operations are nil or were not made by [New].
func (o *Ops) missing() bool { return o == nil || o.programs == nil }

// accelerator returns the accelerator, nil for missing operations.
func (o *Ops) accelerator() *compute.Accelerator {
	if o.missing() {
		return nil
	}
	return o.acc
}

// Close releases the kernels. Later operations fail with [compute.ErrClosed]; work already enqueued
// on a stream still runs.
func (o *Ops) Close() {
	if o.missing() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, p := range o.programs {
		p.Close()
	}
	clear(o.programs)
}

// kernel returns a kernel of one of the files, which it compiles at first use.
func (o *Ops) kernel(ctx context.Context, file, name string) (*compute.Kernel, error) {
	p, err := o.program(ctx, file)
	if err != nil {
		return nil, err
	}
	return p.KernelContext(ctx, name)
}

// program returns the program of a file. It compiles without holding the lock, so that a caller
// whose context ends does not wait for others.
func (o *Ops) program(ctx context.Context, file string) (*compute.Program, error) {
	if o.missing() {
		return nil, fmt.Errorf("ops: the operations are nil or were not made by New: %w", compute.ErrNil)
	}
	if p, err := o.compiled(file, nil); p != nil || err != nil {
		return p, err
	}
	source, err := fs.ReadFile(kernels.Files, file)
	if err != nil {
		return nil, err
	}
	options := compute.CompileOptions{Name: file, Includes: kernels.Files}
	if file == matrixFile {
		safe := mtl.MathModeSafe // the order of operations is part of a product's definition
		options.Math = &safe
	}
	p, err := o.acc.Compile(ctx, string(source), options)
	if err != nil {
		return nil, err
	}
	return o.compiled(file, p)
}

// compiled returns the cached program of a file, or nil. If made is not nil, it is cached, unless
// another goroutine was first or the operations have been closed meanwhile.
func (o *Ops) compiled(file string, made *compute.Program) (*compute.Program, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.programs[file]
	if made != nil && (o.closed || p != nil) {
		made.Close()
	}
	switch {
	case o.closed:
		return nil, fmt.Errorf("ops: %w", compute.ErrClosed)
	case p == nil && made != nil:
		o.programs[file] = made
		return made, nil
	}
	return p, nil
}

// suffix returns the end of the kernel names for an element type.
func suffix[T any]() string {
	switch any(*new(T)).(type) {
	case float32:
		return "f32"
	case simd.Half:
		return "f16"
	case simd.BFloat16:
		return "bf16"
	case int8:
		return "i8"
	}
	return fmt.Sprintf("%T", *new(T))
}

// same checks that arrays have the same shape.
func same(what string, shapes ...[]int) error {
	for _, s := range shapes[1:] {
		if !slices.Equal(s, shapes[0]) {
			return fmt.Errorf("ops: %s: shapes %v must be equal; see Array.Broadcast: %w", what,
				shapes, ErrShape)
		}
	}
	return nil
}

// first returns the first error of several.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var errKind = errors.New("unknown operation")

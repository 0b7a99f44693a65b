package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/kernels"
	"github.com/puremetal/puremetal/simd"
)

// Ops has the kernels, compiled for an accelerator at first use. It is safe for concurrent use.
type Ops struct {
	acc *compute.Accelerator

	mu       sync.Mutex
	programs map[string]*compute.Program // by file
}

// New makes the operations of an accelerator. Close them when done.
func New(acc *compute.Accelerator) *Ops {
	return &Ops{acc: acc, programs: map[string]*compute.Program{}}
}

// Close gives the kernels up. Work that was given to a stream before still runs.
func (o *Ops) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.programs {
		p.Close()
	}
	clear(o.programs)
}

// kernel returns a kernel of one of the files, compiling the file at the first call.
func (o *Ops) kernel(ctx context.Context, file, name string) (*compute.Kernel, error) {
	p, err := o.program(ctx, file)
	if err != nil {
		return nil, err
	}
	return p.KernelContext(ctx, name)
}

func (o *Ops) program(ctx context.Context, file string) (*compute.Program, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.programs[file]; p != nil {
		return p, nil
	}
	source, err := fs.ReadFile(kernels.Files, file)
	if err != nil {
		return nil, err
	}
	p, err := o.acc.Compile(ctx, string(source), compute.CompileOptions{Name: file, Includes: kernels.Files})
	if err == nil {
		o.programs[file] = p
	}
	return p, err
}

// suffix is what kernels of an element type end in.
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

// same checks that arrays have one shape.
func same(what string, shapes ...[]int) error {
	for _, s := range shapes[1:] {
		if len(s) != len(shapes[0]) {
			return fmt.Errorf("ops: %s: shapes %v: %w", what, shapes, ErrShape)
		}
		for i := range s {
			if s[i] != shapes[0][i] {
				return fmt.Errorf("ops: %s: shapes %v: %w", what, shapes, ErrShape)
			}
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

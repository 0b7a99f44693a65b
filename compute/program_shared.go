package compute

import (
	"context"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// SharedProgram is a program that each accelerator compiles when it is first asked for one of its
// kernels. The accelerator keeps and closes it, so that the kernels live as long as the
// accelerator. The launchers that puremetal generate writes for kernels in Go use it.
//
// A SharedProgram is safe for concurrent use. Do not change or copy it once it is in use.
type SharedProgram struct {
	// Source, which must not be empty, and Options are those of [Accelerator.Compile].
	Source  string
	Options CompileOptions
}

// Kernel returns a kernel of the program on an accelerator.
func (s *SharedProgram) Kernel(ctx context.Context, a *Accelerator, name string) (*Kernel, error) {
	if err := stream.CheckCall(ctx, "shared program: Kernel", s == nil || s.Source == "" || a.missing()); err != nil {
		return nil, err
	}
	a.keptMu.Lock()
	p := a.kept[s]
	a.keptMu.Unlock()
	if p == nil {
		made, err := a.Compile(ctx, s.Source, s.Options)
		if err != nil {
			return nil, err
		}
		if p, err = a.keep(s, made); err != nil {
			return nil, err
		}
	}
	return p.KernelContext(ctx, name)
}

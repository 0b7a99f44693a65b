package compute

import "context"

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
	if err := checkCall(ctx, "shared program: Kernel", s == nil || s.Source == "" || a.missing()); err != nil {
		return nil, err
	}
	a.bodiesMu.Lock()
	p := a.sharedPrograms[s]
	a.bodiesMu.Unlock()
	if p == nil {
		made, err := a.Compile(ctx, s.Source, s.Options)
		if err != nil {
			return nil, err
		}
		if p, err = a.keepShared(s, made); err != nil {
			return nil, err
		}
	}
	return p.KernelContext(ctx, name)
}

// keepShared transfers a program to the accelerator, which closes it. If another call was faster,
// keepShared closes it and returns that call's.
func (a *Accelerator) keepShared(s *SharedProgram, p *Program) (*Program, error) {
	if err := a.beginCall(); err != nil {
		p.Close()
		return nil, err
	}
	defer a.calls.done()
	a.bodiesMu.Lock()
	defer a.bodiesMu.Unlock()
	if have := a.sharedPrograms[s]; have != nil {
		p.Close()
		return have, nil
	}
	a.removeOpen(p)
	if a.sharedPrograms == nil {
		a.sharedPrograms = map[*SharedProgram]*Program{}
	}
	a.sharedPrograms[s] = p
	return p, nil
}

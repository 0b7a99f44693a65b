package compute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// CompileOptions says how source is compiled. Zero options compile the newest language version that the system has, with relaxed maths.
type CompileOptions struct {
	// Name is what diagnostics call the source; "program_source" if empty.
	Name string
	// Language is the version of the Metal language, 0 for the newest that the system compiles.
	Language mtl.LanguageVersion
	// Math is how free the compiler is with floating-point numbers, nil for Metal's default, which is relaxed.
	Math *mtl.MathMode
	// PreciseFunctions chooses the precise variants of sin, exp and the like instead of the fast ones.
	PreciseFunctions bool
	// Macros are defined before the first line.
	Macros map[string]string
	// Includes is where #include "name" finds files; nil leaves such lines to Metal, which finds none.
	Includes fs.FS
}

// Program is compiled source: a library of kernels. It is safe for concurrent use.
type Program struct {
	acc     *Accelerator
	name    string
	library mtl.Library

	mu      sync.Mutex
	closed  bool
	kernels []*Kernel
}

// Compile compiles source. Source that does not compile is a *[CompileError]. When ctx ends first, its error comes back and the compiler's work is
// thrown away.
func (a *Accelerator) Compile(ctx context.Context, source string, o CompileOptions) (*Program, error) {
	if o.Name == "" {
		o.Name = "program_source"
	}
	source, err := expand(o.Includes, o.Name, source)
	if err != nil {
		return nil, err
	}
	p := &Program{acc: a, name: o.Name}
	if err := a.enter(p, fmt.Sprintf("program %q", o.Name)); err != nil {
		return nil, err
	}
	if p.library, err = a.compile(ctx, source, o); err != nil {
		a.leave(p)
		return nil, err
	}
	return p, nil
}

func (a *Accelerator) compile(ctx context.Context, source string, o CompileOptions) (mtl.Library, error) {
	type result struct {
		library mtl.Library
		err     error
	}
	options, err := o.metal()
	if err != nil {
		return mtl.Library{}, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
	}
	defer options.Release()
	done := make(chan result, 1)
	if err := a.device.NewLibraryAsync(source, options, func(l mtl.Library, err error) { done <- result{l, err} }); err != nil {
		return mtl.Library{}, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
	}
	select {
	case r := <-done:
		var c *mtl.CompileError
		if errors.As(r.err, &c) {
			return mtl.Library{}, &CompileError{Name: o.Name, Diagnostics: c.Diagnostics, Err: r.err}
		}
		if r.err != nil {
			return mtl.Library{}, fmt.Errorf("compute: compiling %s: %w", o.Name, r.err)
		}
		return r.library, nil
	case <-ctx.Done():
		go func() { (<-done).library.Release() }()
		return mtl.Library{}, ended(ctx, "the compiler, at "+o.Name)
	}
}

// metal returns Metal's compile options, +1.
func (o CompileOptions) metal() (mtl.CompileOptions, error) {
	m, err := mtl.NewCompileOptions()
	if err != nil {
		return m, err
	}
	s, err := m.Settings()
	if err == nil {
		if o.Language != 0 {
			m.SetLanguageVersion(o.Language)
		}
		if o.Math != nil {
			s.MathMode = *o.Math
		}
		if o.PreciseFunctions {
			s.MathFunctions = mtl.MathFloatingPointFunctionsPrecise
		}
		if len(o.Macros) > 0 {
			m.SetPreprocessorMacros(o.Macros)
		}
		err = m.SetMath(s.MathMode, s.MathFunctions)
	}
	if err != nil {
		m.Release()
		return mtl.CompileOptions{}, err
	}
	return m, nil
}

// KernelNames returns the names of the program's kernels, sorted as Metal does.
func (p *Program) KernelNames() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	var names []string
	objc.Pool(func() { names = p.library.FunctionNames() })
	return names
}

// Close gives the program and its kernels up. Work that was given to a stream before still runs. A second Close does nothing.
func (p *Program) Close() {
	p.acc.leave(p)
	p.drop()
}

func (p *Program) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, k := range p.kernels {
		k.close()
	}
	p.library.Release()
}

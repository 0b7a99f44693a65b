package compute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
	// Includes is the file system that #include searches: "name" beside the including file and then from the root,
	// <name> from the root, unless it is one of Metal's own headers. Nil leaves such lines to Metal, which finds none.
	Includes fs.FS
}

// Program is compiled source: a library of kernels. It is safe for concurrent use.
type Program struct {
	acc     *Accelerator
	name    string
	key     programKey
	library *cacheEntry // in use until drop

	mu      sync.Mutex
	closed  bool
	kernels map[kernelKey]*Kernel
}

// Compile compiles source, once for all programs of equal source and options, which are kept for a while after they were closed: see [WithKernelCache]. Source
// that does not compile is a *[CompileError]. When ctx ends first, its error comes back; the compiler goes on for others who wait, or for the next who asks.
func (a *Accelerator) Compile(ctx context.Context, source string, o CompileOptions) (*Program, error) {
	if o.Name == "" {
		o.Name = unnamed
	}
	source, err := expand(o.Includes, o.Name, source)
	if err != nil {
		return nil, err
	}
	if err := a.begin(); err != nil {
		return nil, err
	}
	defer a.calls.done()
	p := &Program{acc: a, name: o.Name, key: o.key(a.cache.machine, source), kernels: map[kernelKey]*Kernel{}}
	if err := a.enter(p, fmt.Sprintf("program %q", o.Name)); err != nil {
		return nil, err
	}
	library, err := a.library(ctx, p.key, source, o)
	if err == nil {
		err = p.own(library)
	}
	if err != nil {
		a.leave(p)
		return nil, o.failed(ctx, err)
	}
	return p, nil
}

// own gives the program its library, unless the accelerator has closed it meanwhile.
func (p *Program) own(library *cacheEntry) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		library.Release()
		return ErrClosed
	}
	p.library = library
	return nil
}

// compile is called once for all who wait for a library, on a goroutine of its own: when it returns, nothing of the compiler's is left but the library.
func (a *Accelerator) compile(key programKey, source string, o CompileOptions) (*compiled, error) {
	c := &compiled{}
	options, err := o.metal()
	if err != nil {
		return c, err
	}
	defer options.Release()
	objc.Pool(func() {
		if a.info.Software {
			// While an archive is open that has the library, the software device finds it there.
			archive, _ := a.fromDisk(key)
			defer archive.Release()
			if !archive.IsNil() {
				c.onDisk.Store(true)
				a.cache.known.Add(1)
			}
		}
		c.library, err = a.device.NewLibrary(source, options)
	})
	return c, err
}

// unnamed is what Metal calls source text.
const unnamed = "program_source"

// failed makes the error of one who waited for a library: programs of other names may have waited for the same.
func (o CompileOptions) failed(ctx context.Context, err error) error {
	var c *mtl.CompileError
	switch {
	case errors.As(err, &c):
		diagnostics := slices.Clone(c.Diagnostics)
		for i := range diagnostics {
			if diagnostics[i].File == unnamed {
				diagnostics[i].File = o.Name
			}
		}
		return &CompileError{Name: o.Name, Diagnostics: diagnostics, Err: err}
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return ended(ctx, "the compiler, at "+o.Name)
	}
	return fmt.Errorf("compute: compiling %s: %w", o.Name, err)
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
	objc.Pool(func() { names = p.library.Value().library.FunctionNames() })
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
	if p.library != nil { // else the accelerator is closed while the compiler is at it
		p.library.Release()
	}
}

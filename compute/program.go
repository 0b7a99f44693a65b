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

// CompileOptions configures the compiler. Zero options compile the newest language version of the
// system, with relaxed maths.
type CompileOptions struct {
	// Name is the source's name in diagnostics; "program_source" if empty.
	Name string
	// Language is the version of the Metal language, 0 for the newest that the system compiles.
	Language mtl.LanguageVersion
	// Math is the floating-point mode, nil for Metal's default, which is relaxed.
	Math *mtl.MathMode
	// PreciseFunctions chooses the precise variants of sin, exp and the like instead of the fast
	// ones.
	PreciseFunctions bool
	// Macros are defined before the first line.
	Macros map[string]string
	// Includes is the file system that #include searches: "name" beside the including file and then
	// from the root, <name> from the root, unless it is one of Metal's own headers. Nil leaves such
	// lines to Metal, which finds none.
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

// Compile compiles source, once for all programs of equal source and options, which stay cached for
// a while after they are closed: see [WithKernelCache]. Errors of the source are a *[CompileError].
// If ctx ends first, Compile returns its error; the compiler goes on for other callers and later
// calls.
func (a *Accelerator) Compile(ctx context.Context, source string, o CompileOptions) (*Program, error) {
	if o.Name == "" {
		o.Name = unnamed
	}
	source, err := expandIncludes(o.Includes, o.Name, source)
	if err != nil {
		return nil, err
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.calls.done()
	p := &Program{acc: a, name: o.Name, key: o.key(a.cache.machine, source), kernels: map[kernelKey]*Kernel{}}
	if err := a.addOpen(p, fmt.Sprintf("program %q", o.Name)); err != nil {
		return nil, err
	}
	library, err := a.library(ctx, p.key, source, o)
	if err == nil {
		err = p.own(library)
	}
	if err != nil {
		a.removeOpen(p)
		return nil, o.wrapError(ctx, err)
	}
	return p, nil
}

// own sets the program's library, unless the accelerator has closed the program meanwhile.
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

// compile is called once for all callers that wait for a library, on a goroutine of its own. When
// it returns, the library is all that is left of the compiler.
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
				a.cache.diskLibraries.Add(1)
			}
		}
		c.library, err = a.device.NewLibrary(source, options)
	})
	return c, err
}

// unnamed is Metal's name for source text.
const unnamed = "program_source"

// wrapError makes the error of a caller that waited for a library: programs of other names may have
// waited for the same.
func (o CompileOptions) wrapError(ctx context.Context, err error) error {
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
		return contextError(ctx, "the compiler, at "+o.Name)
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

// KernelNames returns the names of the program's kernels, in Metal's order.
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

// Close closes the program and its kernels. Work recorded before still runs. A second Close does
// nothing.
func (p *Program) Close() {
	p.acc.removeOpen(p)
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
	if p.library != nil { // nil if the accelerator is closed while the program is compiled
		p.library.Release()
	}
}

package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/plainmetal"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/translate"
)

// Values of [CompileOptions].Language besides Metal's own versions.
const (
	// DefaultLanguage is 3.2, introduced by macOS 15, the first version with os_log. It does not
	// change with the system, so that a newer macOS compiles source as an older one did. Older
	// systems, which do not have it, use their newest version: 3.1 on macOS 14, 3.0 on macOS 13. The
	// command puremetal has the same default.
	DefaultLanguage = mtl.LanguageVersion3_2
	// NewestLanguage is the newest version that the system supports.
	NewestLanguage = ^mtl.LanguageVersion(0)
)

// CompileOptions configures the compiler. Zero options mean [DefaultLanguage], relaxed math and
// fast functions. [Program.Settings] returns the settings that were used.
type CompileOptions struct {
	// Name is the source's name, such as its file name, for diagnostics and kernel faults;
	// "program_source" if empty. Programs with different names do not share compiled code.
	Name string
	// Dialect is the language of source that is not Metal: [translate.OpenCL] or [translate.CUDA], as
	// [translate.OfFile] tells by a file's name. Such source is translated to Metal on every device,
	// and errors name its lines. Names and types of kernels and parameters are those of the source. A
	// kernel that Metal cannot have does not fail the program: [Program.Kernel] says why.
	// [Program.Translation] has the text. Math is safe unless it is set.
	Dialect translate.Language
	// DoubleAsFloat computes in float what source with a Dialect computes in double. Otherwise kernels
	// with double are refused.
	DoubleAsFloat bool
	// Checked is for Go packages, which package compute/gokernel compiles: where Go would panic, such
	// as at an index out of range, the software device ends the launch with an error that has the file
	// and line, and other devices write a message to the log, with mtl.LogLevelFault. It includes
	// Logging.
	Checked bool
	// Instances are instances of CUDA's kernel templates, such as k<float,4>, besides those that the
	// source launches.
	Instances []string
	// Translated describes the kernels of source that is a translation to Metal, as
	// [translate.Result].Kernels or the report of puremetal translate has them. Kernels and parameters
	// then have the names of the source and its threadgroups, and launches of kernels in Go take
	// slices, as with gokernel.Compile. Math is safe unless it is set.
	Translated []translate.Kernel
	// Language is the version of the Metal language, 0 for [DefaultLanguage]. Set it for source that
	// needs a newer version. With [NewestLanguage], the meaning of the source may change with an
	// update of macOS.
	Language mtl.LanguageVersion
	// Math is the floating-point mode, nil for relaxed: like fast, but with infinities and NaN. macOS
	// 13 and 14 do not have that mode and use fast, Metal's default there.
	Math *mtl.MathMode
	// PreciseFunctions selects the precise variants of functions such as sin and exp instead of the
	// fast ones.
	PreciseFunctions bool
	// Macros are defined before the first line.
	Macros map[string]string
	// Includes is the file system for #include. "name" is searched beside the including file and then
	// from the root; <name> from the root, unless it is one of Metal's own headers. If it is nil, such
	// lines are left to Metal, which finds no files.
	Includes fs.FS
	// Logging enables os_log, from the header <metal_logging>, with which kernels write debug
	// messages; without it the compiler omits them. Messages go to the accelerator's logger or the
	// handler of [WithKernelLog]. Each launch of a program with Logging gets its own command buffer,
	// so small launches take longer. Logging needs version 3.2 of the language, introduced by macOS
	// 15; older versions have no messages.
	Logging bool
}

// Program is compiled source: a library of kernels. It is safe for concurrent use.
type Program struct {
	acc         *Accelerator
	name        string
	key         programKey
	logs        bool                          // compiled with CompileOptions.Logging
	library     *cacheEntry                   // in use until drop
	phased      map[string]*plainmetal.Phased // the kernels that were split
	source      string                        // as it was before it was translated
	options     CompileOptions                // likewise
	translation *translate.Result             // from another language; source is its text
	formOf      *Program                      // whose kernel this is another form of; nil if it is not one

	mu      sync.Mutex
	closed  bool
	kernels map[kernelKey]*Kernel
	forms   map[formKey]*programForm
}

// Compile compiles source. Programs with the same source and options, including the name, are
// compiled only once and stay cached after they are closed; see [WithKernelCache]. Errors in the
// source are a *[CompileError].
//
// If ctx ends first, Compile returns its error. Apple's compiler cannot be stopped: it finishes,
// and later calls get the library. The software device's compiler stops, unless other callers are
// waiting for the same library.
func (a *Accelerator) Compile(ctx context.Context, source string, o CompileOptions) (p *Program, err error) {
	if err := stream.CheckCall(ctx, "accelerator: Compile", a.missing()); err != nil {
		return nil, err
	}
	err = a.protect(ctx, "compiling "+cmp.Or(o.Name, unnamed), func() (err error) {
		p, err = a.compileSource(ctx, source, o)
		return err
	})
	return p, err
}

func (a *Accelerator) compileSource(ctx context.Context, source string, o CompileOptions) (*Program, error) {
	if o.Name == "" {
		o.Name = unnamed
	}
	if o.DoubleAsFloat && o.Dialect == "" {
		return nil, fmt.Errorf("compute: compiling %s: DoubleAsFloat is for source with a Dialect; Metal has no double: %w",
			o.Name, ErrOption)
	}
	if o.Checked {
		return nil, fmt.Errorf("compute: compiling %s: Checked is for gokernel.Compile; a translation has its checks in its "+
			"text: %w", o.Name, ErrOption)
	}
	source, err := expandIncludes(o.Includes, o.Name, source)
	if err != nil {
		return nil, err
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
	switch {
	case o.Dialect != "" && len(o.Translated) > 0:
		return nil, fmt.Errorf("compute: compiling %s: Translated is for source in Metal, and Dialect is %q: %w", o.Name,
			o.Dialect, ErrOption)
	case o.Dialect != "":
		from, err := a.sourceTranslation(ctx, source, o)
		if err != nil {
			return nil, err
		}
		return a.compileTranslated(ctx, from.Text, o, from)
	case len(o.Translated) > 0:
		return a.compileTranslated(ctx, source, o, &translate.Result{Text: source, Kernels: slices.Clone(o.Translated)})
	}
	return a.compileMetal(ctx, source, o, nil)
}

// compileTranslated compiles the text of a translation.
func (a *Accelerator) compileTranslated(ctx context.Context, text string, o CompileOptions,
	from *translate.Result) (*Program, error) {
	return a.compileMetal(ctx, text, o.translated(), from)
}

// compileMetal compiles a program in Metal, which may be a translation.
func (a *Accelerator) compileMetal(ctx context.Context, source string, o CompileOptions,
	from *translate.Result) (*Program, error) {
	o, err := o.pinned()
	if err != nil {
		return nil, err
	}
	text, plain := source, o
	var phased map[string]*plainmetal.Phased
	if a.translates(source) {
		t, translated, err := a.translate(ctx, source, o, formKey{})
		if err != nil {
			return nil, err
		}
		text, plain, phased = t.Text, translated, t.Phased
	}
	p, err := a.compileText(ctx, text, plain, phased)
	if err == nil {
		p.source, p.options, p.translation = source, o, from
	}
	return p, err
}

// compileText compiles source that the device's compiler understands.
func (a *Accelerator) compileText(ctx context.Context, source string, o CompileOptions,
	phased map[string]*plainmetal.Phased) (*Program, error) {
	p := &Program{acc: a, name: o.Name, phased: phased, key: o.key(a.cache.machine, source), logs: o.Logging,
		kernels: map[kernelKey]*Kernel{}}
	if err := a.core.AddOpen(p, fmt.Sprintf("program %q", o.Name), p.drop); err != nil {
		return nil, err
	}
	library, err := a.library(ctx, p.key, source, o)
	if err == nil {
		err = p.own(library)
	}
	if err != nil {
		a.core.RemoveOpen(p)
		return nil, o.wrapError(ctx, err)
	}
	return p, nil
}

// own sets the program's library. If the accelerator has closed the program meanwhile, it releases
// the library.
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

// compile is called once for all callers that wait for the same library, on its own goroutine. When
// it returns, only the library remains of the compilation.
func (a *Accelerator) compile(ctx context.Context, key programKey, source string, o CompileOptions) (*compiled,
	error) {
	c := &compiled{}
	options, err := o.metal()
	if err != nil {
		return c, err
	}
	if c.settings, err = options.Settings(); err != nil {
		options.Release()
		return c, err
	}
	defer options.Release()
	defer a.cancelCompilation(ctx, a.device.ID(), source)()
	objc.Pool(func() {
		if a.info.Software {
			// The software device takes the library from an open archive that contains it.
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

// wrapError makes the error for one caller that waited for a library.
func (o CompileOptions) wrapError(ctx context.Context, err error) error {
	var c *mtl.CompileError
	switch {
	case errors.As(err, &c):
		diagnostics := slices.Clone(c.Diagnostics)
		for i := range diagnostics {
			if diagnostics[i].File == unnamed { // an error of no line of the source is under Metal's name for it
				diagnostics[i].File = o.Name
			}
		}
		return &CompileError{Name: o.Name, Diagnostics: diagnostics, Err: err}
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return stream.ContextError(ctx, "the compiler, at "+o.Name)
	}
	return fmt.Errorf("compute: compiling %s: %w", o.Name, err)
}

// pinned returns the options with all defaults filled in, so that none depend on the system.
func (o CompileOptions) pinned() (CompileOptions, error) {
	s, err := mtl.DefaultCompileSettings() // with the newest language of the system
	if err != nil {
		return o, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
	}
	o = o.pinnedOn(s)
	if o.Logging && o.Language < firstLogging {
		return o, fmt.Errorf("compute: compiling %s: Logging needs %v or newer, but Language is %v, "+
			"and the system's newest %v: %w", o.Name, firstLogging, o.Language, s.LanguageVersion, ErrOption)
	}
	return o, nil
}

// firstLogging is the first version of the language with messages.
const firstLogging = mtl.LanguageVersion3_2

// pinnedOn is pinned for a system with the given default settings.
func (o CompileOptions) pinnedOn(system mtl.CompileSettings) CompileOptions {
	switch o.Language {
	case 0:
		o.Language = min(DefaultLanguage, system.LanguageVersion)
	case NewestLanguage:
		o.Language = system.LanguageVersion
	}
	if o.Math == nil {
		o.Math = &system.MathMode
	}
	return o
}

// Settings returns the language version, math mode and function variants that were passed to
// Metal's compiler. It returns the zero value for a closed program.
func (p *Program) Settings() mtl.CompileSettings {
	if p.missing() {
		return mtl.CompileSettings{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return mtl.CompileSettings{}
	}
	return p.library.Value().settings
}

// metal returns Metal's compile options for pinned options, +1.
func (o CompileOptions) metal() (mtl.CompileOptions, error) {
	m, err := mtl.NewCompileOptions()
	if err != nil {
		return m, err
	}
	functions := mtl.MathFloatingPointFunctionsFast
	if o.PreciseFunctions {
		functions = mtl.MathFloatingPointFunctionsPrecise
	}
	m.SetLanguageVersion(o.Language)
	if len(o.Macros) > 0 {
		m.SetPreprocessorMacros(o.Macros)
	}
	err = m.SetMath(*o.Math, functions)
	if err == nil && o.Logging {
		err = m.SetEnableLogging(true)
	}
	if err != nil {
		m.Release()
		return mtl.CompileOptions{}, err
	}
	return m, nil
}

// KernelNames returns the names of the program's kernels, in Metal's order, or in that of the
// source if it has a [CompileOptions].Dialect.
func (p *Program) KernelNames() []string {
	if p.missing() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	var names []string
	if p.translation != nil {
		for _, k := range p.translation.Kernels {
			names = append(names, k.Name)
		}
		return names
	}
	objc.Pool(func() { names = p.library.Value().library.FunctionNames() })
	return names
}

// Close closes the program and its kernels. Work recorded before Close still runs. Closing a closed
// program does nothing.
func (p *Program) Close() {
	if p.missing() {
		return
	}
	p.acc.core.RemoveOpen(p)
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
		k.core.Life.Close()
	}
	for _, f := range p.forms {
		f.program.drop()
	}
	if p.library != nil { // nil if the accelerator is closed while the program is compiled
		p.library.Release()
	}
}

// Package msl compiles the Metal Shading Language: source text in, verified HIR and diagnostics
// out.
//
// Compile runs the preprocessor, the parser, the checker and lowering. Check lowers an entry point
// only on demand, which saves most of the time and memory for a program with thousands of them.
// Neither panics, and every error is a diagnostic. Unsupported features are reported by diagnostics
// whose codes begin with U.
package msl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/lower"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// MaxSource is the largest size of a program in bytes, not counting included files.
const MaxSource = 8 << 20

// Source is the program text to compile.
type Source struct {
	Name string // shown in diagnostics; "" means "program_source", as in Metal
	Text string
}

// Options configures a compilation. The zero value compiles as Metal does by default.
type Options struct {
	// Defines are macros defined before the source text.
	Defines map[string]string
	// Include is the file system that #include "file" reads from, and IncludeDirs are the
	// directories searched in it. If Include is nil, there are no files to include.
	Include     fs.FS
	IncludeDirs []string
	// Dir is the directory of the source text in Include; "" means the directory of Source.Name.
	Dir string
	// Show, if set, returns the name that diagnostics show for an included file.
	Show func(path string) string
	// Dialect is the program's language; nil is Metal.
	Dialect *dialect.Dialect
	// Trace, if set, is told how a program in a dialect is read.
	Trace *Trace
	// MetalVersion is the language version in the form of __METAL_VERSION__, such as 310; 0 is 320.
	MetalVersion int
	// Math is the math mode; "" is fast, as in Metal.
	Math lower.MathMode
	// Logging enables os_log in kernels; without it, kernels write no messages.
	Logging bool
	// Budget limits the steps (tokens read and nodes visited) and the bytes (template instances and
	// initializers) spent on reading and checking the program. A limit of 0 selects the default:
	// 4,194,304 steps plus 256 per byte, and 128 MiB plus 4 KiB per byte, counting the bytes of the
	// source and of its included files.
	Budget budget.Limits
	watch  func(front *budget.Budget) // lets tests read what was spent
	// KeepUninitialized keeps variables without an initializer in memory, so that a sanitizer sees
	// which are read before they are written. Kernels are slower then.
	KeepUninitialized bool
	// Verify runs the IR verifier after lowering; its findings are internal errors.
	Verify bool
	// MaxErrors is the number of errors after which compilation stops; 0 is 100.
	MaxErrors int
	// Warnings selects which warnings are reported and which become errors. It affects nothing
	// else.
	Warnings diag.Warnings
	// NoWarnings drops all warnings and remarks; Ignore drops those with the given codes.
	NoWarnings bool
	Ignore     []diag.Code
}

// Trace is what the front end read of a program in a dialect, for its translation.
type Trace struct {
	// Without leaves out the functions of these names.
	Without map[string]bool
	// Instances are instances of templates that are kernels, besides those that the program launches.
	Instances []string
	// Parsed, if set, is called with the tree before it is adapted.
	Parsed func(*ast.File)
	// CheckOnly leaves out the code of the kernels, and the errors of making it.
	CheckOnly bool

	Tokens []token.Token
	Host   [][2]int   // tokens that belong to the host's program: from, to
	File   *ast.File  // adapted and checked; nil if it could not be parsed
	Left   []ast.Decl // what was left out
	Record check.Record
}

func (t *Trace) parsed(toks []token.Token, file *ast.File) {
	t.Tokens, t.File, t.Left = toks, file, nil
	if len(t.Without) > 0 {
		t.Left = leave(&file.Decls, t.Without, 0)
	}
	if t.Parsed != nil {
		t.Parsed(file)
	}
}

// leave removes the functions of these names, and their instantiations, and returns the functions.
func leave(list *[]ast.Decl, names map[string]bool, depth int) (left []ast.Decl) {
	*list = slices.DeleteFunc(*list, func(d ast.Decl) bool {
		inner := d
		for {
			t, ok := inner.(*ast.TemplateDecl)
			if !ok {
				break
			}
			inner = t.Decl
		}
		switch e := inner.(type) {
		case *ast.FuncDecl:
			if e.Name == nil || !names[e.Name.Last().Ident] {
				return false
			}
			left = append(left, d)
			return true
		case *ast.ExplicitInstantiation:
			f, ok := e.Decl.(*ast.FuncDecl)
			return ok && f.Name != nil && names[f.Name.Last().Ident]
		case *ast.NamespaceDecl:
			if depth < parse.MaxNesting {
				left = append(left, leave(&e.Decls, names, depth+1)...)
			}
		case *ast.LinkageDecl:
			if depth < parse.MaxNesting {
				left = append(left, leave(&e.Decls, names, depth+1)...)
			}
		case *ast.RecordDecl:
			if depth < parse.MaxNesting {
				left = append(left, leave(&e.Members, names, depth+1)...)
			}
		}
		return false
	})
	return left
}

// front returns the budget for reading and checking a program.
func (o *Options) front(ctx context.Context, src Source) *budget.Budget {
	limits, more := o.Budget, o.perByte()
	size := int64(len(src.Text))
	if limits.Steps == 0 {
		limits.Steps = frontSteps + more.Steps*size
	}
	if limits.Bytes == 0 {
		limits.Bytes = frontBytes + more.Bytes*size
	}
	b := budget.New(ctx, "the front end", limits)
	if o.watch != nil {
		o.watch(b)
	}
	return b
}

// perByte returns how much the front-end budget grows per byte, included files counted.
func (o *Options) perByte() (more budget.Limits) {
	if o.Budget.Steps == 0 {
		more.Steps = frontStepsPerByte
	}
	if o.Budget.Bytes == 0 {
		more.Bytes = frontBytesPerByte
	}
	return more
}

// The default front-end budget: a fixed amount for every program, plus an amount per byte.
const (
	frontSteps        = 4 << 20
	frontStepsPerByte = 256
	frontBytes        = 128 << 20
	frontBytesPerByte = 4 << 10
)

// Module is a compiled program.
type Module struct {
	// IR holds the entry points that were compiled. It is never nil.
	IR *ir.Module
	// Files resolves the positions in diagnostics.
	Files *diag.FileSet
	// Kernels describe the entry points, in the order of IR.Funcs.
	Kernels []Kernel
	// Constants are the function constants declared in the source, whether or not a kernel uses
	// them.
	Constants []Constant
	// Visible are the functions that can be put in visible function tables, as in IR.Visible.
	Visible []ir.VisibleFunction
	// Skipped are the names of render-stage entry points, which are not compiled.
	Skipped []string
	// SkippedStages are their stages, such as "vertex", in the same order.
	SkippedStages []string
}

// Kernel is the reflection of a compute entry point. Its code is the ir.Func at the same index in
// Module.IR.
type Kernel struct {
	Name        string                `json:"name"`
	Args        []ir.Arg              `json:"args"`
	Constants   []ir.FunctionConstant `json:"constants,omitempty"`
	Threadgroup []ir.Memory           `json:"threadgroup,omitempty"`
	Attributes  ir.Attributes         `json:"attributes"`
}

// Constant is a function constant as declared in the source.
type Constant struct {
	Name  string
	Index int
	Type  ir.DataType
}

// Kernel returns the reflection of the entry point of that name, or nil.
func (m *Module) Kernel(name string) *Kernel {
	for i := range m.Kernels {
		if m.Kernels[i].Name == name {
			return &m.Kernels[i]
		}
	}
	return nil
}

// internalHook receives internal errors; tests set it to fail.
var internalHook func(value any, stack []byte)

// Compile compiles a program. The module is never nil. It holds the entry points that could be
// compiled: none if code common to all of them has errors. If the context is canceled, the rest is
// left out and a diagnostic says so.
func Compile(ctx context.Context, src Source, opts Options) (*Module, []diag.Diagnostic) {
	m := &Module{IR: &ir.Module{}, Files: diag.NewFileSet()}
	return m, guarded(opts.front(ctx, src), m.Files, opts, func(sink *diag.Sink) { m.compile(ctx, src, opts, sink) })
}

// guarded runs a compilation of files within a budget and returns its diagnostics. A panic becomes
// a diagnostic too.
func guarded(front *budget.Budget, files *diag.FileSet, opts Options, run func(*diag.Sink)) (diags []diag.Diagnostic) {
	limit := opts.MaxErrors
	if limit == 0 {
		limit = diag.DefaultLimit
	}
	sink := diag.NewSinkLimit(limit)
	sink.SetFiles(files)
	sink.SetBudget(front, opts.perByte())
	sink.SetWarnings(opts.Warnings)
	if opts.NoWarnings {
		sink.Ignore()
	} else if len(opts.Ignore) > 0 {
		sink.Ignore(opts.Ignore...)
	}
	defer func() {
		if r := recover(); r != nil {
			if internalHook != nil {
				internalHook(r, debug.Stack())
			}
			sink.Errorf(diag.Internal, diag.NoPos, diag.NoPos, "internal error: %v", r)
		}
		diags = sink.Diagnostics()
		opts.Warnings.Promote(diags)
	}()
	run(sink)
	return nil
}

// canceled reports whether the context is done, and if so adds a diagnostic.
func canceled(ctx context.Context, sink *diag.Sink) bool {
	err := ctx.Err()
	if err != nil {
		sink.Errorf(diag.Canceled, diag.NoPos, diag.NoPos, "compilation stopped: %v", err)
	}
	return err != nil
}

func (m *Module) compile(ctx context.Context, src Source, opts Options, sink *diag.Sink) {
	if main := added(ctx, m.Files, src, sink); main != nil {
		m.compileFile(ctx, main, opts, sink)
	}
}

// added adds the source to the files. It returns nil, with a diagnostic, if it cannot be compiled.
func added(ctx context.Context, files *diag.FileSet, src Source, sink *diag.Sink) *diag.File {
	if src.Name == "" {
		src.Name = "program_source"
	}
	if canceled(ctx, sink) {
		return nil
	}
	if len(src.Text) > MaxSource {
		sink.Errorf(diag.SourceSize, diag.NoPos, diag.NoPos, "the program has %d bytes, more than %d", len(src.Text),
			MaxSource)
		return nil
	}
	return files.AddFile(src.Name, src.Text)
}

// compileFile compiles a file that is already in m.Files.
func (m *Module) compileFile(ctx context.Context, main *diag.File, opts Options, sink *diag.Sink) {
	prog := checked(ctx, m.Files, main, opts, sink)
	if prog == nil {
		return
	}
	m.Skipped, m.SkippedStages = skipped(prog)
	if sink.Errors() > 0 || canceled(ctx, sink) || opts.Trace != nil && opts.Trace.CheckOnly {
		return
	}
	m.IR = lower.Program(ctx, prog, opts.lowering(), sink)
	if opts.Verify {
		m.verify(ctx, sink)
	}
	m.Constants = constantsOf(prog)
	m.Visible = m.IR.Visible
	for _, f := range m.IR.Funcs {
		m.Kernels = append(m.Kernels, KernelOf(f))
	}
	canceled(ctx, sink)
}

// KernelOf returns the reflection of an entry point.
func KernelOf(f *ir.Func) Kernel {
	return Kernel{Name: f.Name, Args: f.Args, Constants: f.Constants, Threadgroup: f.Threadgroup, Attributes: f.Attributes}
}

// checked reads, parses and checks a file. It returns nil if that could not be finished, and also
// for a file with syntax errors, which is checked only to find more errors.
func checked(ctx context.Context, files *diag.FileSet, main *diag.File, opts Options, sink *diag.Sink) *typed.Program {
	toks := pp.Process(files, main,
		pp.Options{Defines: opts.Defines, Include: opts.Include, IncludeDirs: opts.IncludeDirs, Dir: opts.Dir,
			Show: opts.Show, MetalVersion: opts.MetalVersion, Dialect: opts.Dialect}, sink)
	if canceled(ctx, sink) {
		return nil
	}
	unread := sink.Errors() > 0 // a missing header would cause any number of unknown names
	parsing, checking := parse.Options{}, check.Options{Version: opts.MetalVersion}
	if d := opts.Dialect; d != nil {
		parsing = parse.Options{Dialect: d, Known: check.LibraryOf(d).Kind}
		if opts.Trace != nil {
			opts.Trace.Host = nil
			parsing.Instances = opts.Trace.Instances
			parsing.Skipped = func(from, to int) { opts.Trace.Host = append(opts.Trace.Host, [2]int{from, to}) }
		}
		checking.Dialect = d
	}
	file := opts.parse(parsing, files, toks, sink)
	if canceled(ctx, sink) || unread || file.Partial {
		return nil
	}
	broken := sink.Errors() > 0
	if d := opts.Dialect; d != nil {
		if opts.Trace != nil {
			checking.Record = &opts.Trace.Record
		}
		d.Adapt(file)
	}
	prog := check.Program(files, file, checking, sink)
	if broken {
		return nil
	}
	return prog
}

// parse returns the tree of a program. The errors of functions that the Trace leaves out are not
// reported.
func (o *Options) parse(p parse.Options, files *diag.FileSet, toks []token.Token, sink *diag.Sink) *ast.File {
	if o.Dialect == nil || o.Trace == nil {
		return p.File(files, toks, sink)
	}
	held := sink.Held()
	file := p.File(files, toks, held)
	o.Trace.parsed(toks, file)
	for _, d := range held.Diagnostics() {
		at := files.Resolve(d.Pos)
		if !slices.ContainsFunc(o.Trace.Left, func(l ast.Decl) bool {
			return at >= files.Resolve(l.Pos()) && at <= files.Resolve(l.End())
		}) {
			sink.Report(d)
		}
	}
	return file
}

// lowering returns the settings of package lower.
func (o *Options) lowering() lower.Options {
	return lower.Options{Math: o.math(), Version: o.MetalVersion, Logging: o.Logging,
		WarnDivergent: o.Warnings.On(diag.DivergentBarrier), KeepUninitialized: o.KeepUninitialized}
}

// skipped returns the names and the stages of the render-stage entry points.
func skipped(prog *typed.Program) (names, stages []string) {
	for _, s := range prog.Skipped {
		names, stages = append(names, s.Name), append(stages, s.Stage)
	}
	return names, stages
}

func constantsOf(prog *typed.Program) (list []Constant) {
	for _, v := range prog.Constants {
		list = append(list, Constant{v.Name, v.Index, lower.DataType(v.Type)})
	}
	return list
}

func (m *Module) verify(ctx context.Context, sink *diag.Sink) {
	err := m.IR.VerifyUntil(func() bool { return ctx.Err() != nil })
	if err == nil {
		return
	}
	if internalHook != nil {
		internalHook(err, nil)
	}
	sink.Errorf(diag.Internal, diag.NoPos, diag.NoPos, "internal error: %v", first(err))
	m.IR = &ir.Module{}
}

// first returns the first of joined errors.
func first(err error) error {
	var v *ir.VerifyError
	if errors.As(err, &v) {
		return v
	}
	return fmt.Errorf("the module is not valid: %w", err)
}

// math returns the math mode. The languages of the dialects ask for exact operations.
func (o Options) math() lower.MathMode {
	if o.Math == "" && o.Dialect != nil {
		return lower.Safe
	}
	return o.Math
}

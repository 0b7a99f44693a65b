// Package lower turns checked programs into HIR: each entry point becomes one function of package
// ir with every call inlined.
//
// Variables whose address is never taken become SSA values: one for a scalar, vector, pointer or
// handle, one for each part of a matrix or small struct. Other variables, arrays and large structs
// live in thread memory. Control flow becomes structured regions, whose results are the values of
// the variables that the region assigns.
//
// Constructs without a lowering are reported as diagnostics that begin with "not supported".
package lower

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// MathMode says how exact mathematical functions are that name no namespace.
type MathMode string

// The maths modes. The zero value is Fast, as in Metal.
const (
	Safe    MathMode = "safe"
	Relaxed MathMode = "relaxed"
	Fast    MathMode = "fast"
)

// Options are the settings of lowering.
type Options struct {
	Math MathMode
	// Version is the language version as __METAL_VERSION__ has it; 0 is 320.
	Version int
	// Logging has messages for logs written; without it they are left out.
	Logging bool
	// WarnDivergent asks for a warning of each barrier that threads may not come to together.
	WarnDivergent bool
	// Kernel is the budget of one entry point: operations with its calls inlined as steps, and bytes
	// of their representation. Zero is 16,777,216 steps and 512 MiB.
	Kernel budget.Limits
	// Total is the budget of all entry points together. Zero is 1,048,576 steps and 192 more for every
	// byte of the program, and 80 MiB and 16 KiB more for every byte of the program.
	Total budget.Limits
	// MaxDepth limits how deeply calls are inlined into each other; 0 is 512.
	MaxDepth int
}

// size is how many bytes the program has.
func (o Options) withDefaults(size int) Options {
	if o.Math == "" {
		o.Math = Fast
	}
	if o.Version == 0 {
		o.Version = 320
	}
	if o.Kernel == (budget.Limits{}) {
		o.Kernel = budget.Limits{Steps: 1 << 24, Bytes: 512 << 20}
	}
	if o.Total == (budget.Limits{}) {
		o.Total = budget.Limits{Steps: 1<<20 + 192*int64(size), Bytes: 80<<20 + 16<<10*int64(size)}
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 512
	}
	return o
}

// maxNesting is how deep pieces of control flow may lie in each other. Some bring a region or two
// more than the place where operations are counted.
const maxNesting = ir.MaxNesting - 4

// internalHook receives internal errors; tests set it to fail.
var internalHook func(value any, stack []byte)

// Program lowers the entry points of a checked program that has no errors. An entry point that
// cannot be lowered is reported to the sink and left out of the module, which is never nil.
func Program(ctx context.Context, prog *typed.Program, opts Options, sink *diag.Sink) *ir.Module {
	m := newModule(prog, opts.withDefaults(sizeOf(prog)), sink)
	m.budget = budget.New(ctx, "all entry points", m.opts.Total)
	for _, k := range prog.Kernels {
		if ctx.Err() != nil || sink.Full() || m.ended {
			break
		}
		n := len(m.out.Funcs)
		if !m.kernel(k) {
			m.out.Funcs = m.out.Funcs[:n]
		}
	}
	return m.out
}

// sizeOf returns how many bytes a program has.
func sizeOf(prog *typed.Program) int {
	if prog.Files == nil {
		return 0
	}
	return prog.Files.Size()
}

func newModule(prog *typed.Program, opts Options, sink *diag.Sink) *module {
	m := &module{prog: prog, opts: opts, sink: sink, out: &ir.Module{}, files: map[string]uint16{},
		facts: map[*typed.Func]*facts{}, globals: map[*typed.Var]int{}, strings: map[string]int{}, logs: map[ir.Log]int{},
		assigned: map[any][]*typed.Var{}, shapes: map[types.Type]shape{}}
	m.listVisible()
	return m
}

// module is what the entry points of a program share.
type module struct {
	prog     *typed.Program
	opts     Options
	sink     *diag.Sink
	out      *ir.Module
	files    map[string]uint16
	facts    map[*typed.Func]*facts
	strings  map[string]int // literals by their place among the module's globals
	logs     map[ir.Log]int // by their place among the module's
	globals  map[*typed.Var]int
	assigned map[any][]*typed.Var
	shapes   map[types.Type]shape
	budget   *budget.Budget
	ended    bool          // the budget is spent, or the context done
	visible  []*typed.Func // as out.Visible
}

// bail ends the lowering of an entry point whose trouble has been reported.
type bail struct{}

// lowerer lowers one entry point.
type lowerer struct {
	*module
	k  *typed.Kernel
	f  *ir.Func
	b  *ir.Builder
	fr *frame

	at      diag.Pos // where the lowering stands, for internal errors
	budget  *budget.Budget
	charged int64 // bytes of the function that the budget was charged for
	shared  map[*typed.Var]int
	consts  map[*typed.Var]int  // function constants
	checked map[*typed.Var]bool // function constants that the program asks about
	calls   []*typed.Func       // functions being inlined, outermost first
	lastAt  diag.Pos
	// watched has the place of each barrier and return, and the calls around it, with WarnDivergent.
	watched map[*ir.Instr]watched
	scope   uint32
}

// frame is one inlined call.
type frame struct {
	fn     *typed.Func
	facts  *facts
	vars   varTable
	exits  []exit // loops and switches around, innermost last
	ret    *ir.Instr
	retTo  *ir.Value // where a result goes that lives in memory
	result val       // of a function that returns at its end only
	entry  bool
	// Of a function that calls itself at its end: the loop that it is, and the parameters that the
	// loop carries.
	tailTo   *ir.Instr
	tailVars []*variable
}

// exit is what break and continue leave.
type exit struct {
	brk, cont  *ir.Instr // Loop or Block
	vars       []*variable
	contIsLoop bool
	isSwitch   bool
}

func (m *module) kernel(k *typed.Kernel) (ok bool) {
	l := &lowerer{module: m, k: k, shared: map[*typed.Var]int{}, consts: map[*typed.Var]int{},
		checked: map[*typed.Var]bool{}}
	l.at = k.Func.Pos
	l.budget = m.budget.Part("entry point '"+k.HostName+"'", m.opts.Kernel)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		ok = false
		if _, known := r.(bail); known {
			return
		}
		if internalHook != nil {
			internalHook(r, debug.Stack())
		}
		m.sink.Errorf(diag.Internal, l.at, diag.NoPos, "internal error: %v", r)
	}()
	l.run()
	return true
}

// unsupported gives the entry point up.
func (l *lowerer) unsupported(pos diag.Pos, format string, args ...any) {
	l.fail(diag.NotLowered, pos, "not supported: "+format, args...)
}

func (l *lowerer) fail(code diag.Code, pos diag.Pos, format string, args ...any) {
	d := diag.Errorf(code, pos, diag.NoPos, format, args...)
	for i := len(l.calls) - 1; i > 0; i-- {
		if i < 8 {
			d = d.WithNote(l.calls[i].Pos, diag.NoPos, "in '%s', which is inlined", l.calls[i].Name)
		}
	}
	l.sink.Report(d)
	panic(bail{})
}

func (l *lowerer) run() {
	k := l.k
	l.f = l.out.NewFunc(k.HostName)
	l.b = ir.NewBuilder(l.f)
	l.b.ShareConstants()
	if l.opts.Math != Safe {
		l.b.SetFlags(ir.Fast)
	}
	if k.Func.Body == nil {
		l.fail(diag.NoBody, k.Func.Pos, "entry point '%s' has no body", k.Func.Name)
	}
	l.f.Attributes = ir.Attributes{MaxTotalThreads: k.MaxThreads, RequiredThreads: k.RequiredThreads,
		Native:          k.Native,
		MathMode:        string(l.opts.Math),
		LanguageVersion: fmt.Sprintf("%d.%d", l.opts.Version/100, l.opts.Version/10%10)}
	l.setLoc(k.Func.Pos)
	l.f.Pos = l.b.Loc()
	l.fr = &frame{fn: k.Func, facts: l.factsOf(k.Func), vars: newVarTable(k.Func.Locals), entry: true}
	l.calls = append(l.calls, k.Func)
	for _, c := range k.Constants {
		l.constant(c)
	}
	for _, a := range k.Args {
		l.argument(a)
	}
	l.block(k.Func.Body)
	l.setLoc(k.Func.End)
	l.b.Return()
	l.finish()
	l.divergence()
}

// setLoc makes pos the place that instructions are for.
func (l *lowerer) setLoc(pos diag.Pos) {
	if pos == l.lastAt || pos == diag.NoPos {
		return
	}
	l.at, l.lastAt = pos, pos
	if l.prog.Files == nil {
		return
	}
	p := l.prog.Files.Position(pos)
	if !p.IsValid() {
		return
	}
	n, ok := l.files[p.File]
	if !ok && len(l.out.Files) < 65535 {
		l.out.Files = append(l.out.Files, p.File)
		n = uint16(len(l.out.Files))
		l.files[p.File] = n
	}
	l.b.SetLoc(ir.Loc{File: n, Line: uint32(p.Line), Col: uint16(min(p.Column, 65535)), Scope: l.scope})
}

// count charges the budget for an operation, and for the instructions that were made since.
func (l *lowerer) count() {
	if l.b.Depth() > maxNesting {
		l.fail(diag.NestingTooDeep, l.at, "control flow is nested too deeply with calls inlined: the limit is %d", maxNesting)
	}
	bytes := l.f.Bytes()
	err := l.budget.Spend(1, bytes-l.charged)
	l.charged = bytes
	if err == nil {
		return
	}
	var over *budget.Exceeded
	if !errors.As(err, &over) { // canceled, which the caller says
		l.ended = true
		panic(bail{})
	}
	l.ended = over.Budget != l.budget
	unit := "operations"
	if over.Unit == "bytes" {
		unit = "bytes of operations"
	}
	l.fail(diag.InlineSize, l.k.Func.Pos,
		"entry point '%s' is too large with its calls inlined: the budget of %s is %d %s, and %d were reached",
		l.k.HostName, over.Budget, over.Limit, unit, over.Spent)
}

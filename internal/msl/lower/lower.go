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

// MathMode is the precision of math functions called without a namespace.
type MathMode string

// The math modes. The zero value is Fast, as in Metal.
const (
	Safe    MathMode = "safe"
	Relaxed MathMode = "relaxed"
	Fast    MathMode = "fast"
)

// Options configures lowering.
type Options struct {
	Math MathMode
	// Version is the language version in the form of __METAL_VERSION__; 0 is 320.
	Version int
	// Logging enables log messages; without it they are dropped.
	Logging bool
	// WarnDivergent enables warnings about barriers that threads may not reach together.
	WarnDivergent bool
	// KeepUninitialized keeps variables without an initializer in memory, where the engine's hook sees
	// reads of what nothing has written. Otherwise they are zero at first.
	KeepUninitialized bool
	// Kernel is the budget of one entry point: steps are operations after inlining, bytes the
	// memory of their representation. The default is 16,777,216 steps and 512 MiB.
	Kernel budget.Limits
	// Total is the budget of all entry points together. The default is 1,048,576 steps plus 192 per
	// byte of the program, and 80 MiB plus 16 KiB per byte of the program.
	Total budget.Limits
	// MaxDepth limits the depth of inlined calls; 0 is 512.
	MaxDepth int
}

// withDefaults fills in the defaults for a program of size bytes.
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

// maxNesting is how deeply control flow may nest. Some constructs add a region or two beyond the
// point where operations are counted.
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

// sizeOf returns the size of a program's source in bytes.
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

// module is the state shared by the entry points of a program.
type module struct {
	prog     *typed.Program
	opts     Options
	sink     *diag.Sink
	out      *ir.Module
	files    map[string]uint16
	facts    map[*typed.Func]*facts
	strings  map[string]int // index of each literal in the module's globals
	logs     map[ir.Log]int // index in the module's logs
	globals  map[*typed.Var]int
	assigned map[any][]*typed.Var
	shapes   map[types.Type]shape
	budget   *budget.Budget
	ended    bool          // the budget is used up, or the context is done
	visible  []*typed.Func // in the order of out.Visible
}

// bail is the panic value that ends the lowering of an entry point after its error was reported.
type bail struct{}

// lowerer lowers one entry point.
type lowerer struct {
	*module
	k  *typed.Kernel
	f  *ir.Func
	b  *ir.Builder
	fr *frame

	at      diag.Pos       // current position, for internal errors
	math    typed.MathMode // of the block
	budget  *budget.Budget
	charged int64 // bytes of the function already charged to the budget
	shared  map[*typed.Var]int
	// hostVars are the arguments that are program scope variables of a dialect.
	hostVars map[*typed.Var]*variable
	consts   map[*typed.Var]int  // function constants
	checked  map[*typed.Var]bool // function constants that the program tests with is_function_constant_defined
	calls    []*typed.Func       // functions being inlined, outermost first
	places   []diag.Pos          // where each of them is called
	lastAt   diag.Pos
	// watched holds the position of, and the calls around, each barrier and return, with
	// WarnDivergent.
	watched map[*ir.Instr]watched
	tiles   map[*ir.Instr]tile // barriers of tiles
	scope   uint32
	// spec holds the addresses of constants that depend on function constants. They are computed in
	// the first instructions of the body, the prologue; specBlock computes the current one.
	spec      map[*typed.Var]*ir.Value
	prologue  int
	specBlock *ir.Instr
}

// frame is one inlined call.
type frame struct {
	fn     *typed.Func
	facts  *facts
	vars   varTable
	exits  []exit // enclosing loops and switches, innermost last
	ret    *ir.Instr
	retTo  *ir.Value // where a result in memory is stored
	result val       // of a function that returns only at its end
	entry  bool
	// For a tail-recursive function: its loop, and the parameters that the loop carries.
	tailTo   *ir.Instr
	tailVars []*variable
}

// exit is a target of break and continue.
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

// unsupported reports a construct without a lowering and gives up the entry point.
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
	l.setMath(typed.MathDefault)
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
	l.calls, l.places = append(l.calls, k.Func), append(l.places, diag.NoPos)
	for _, c := range k.Constants {
		l.constant(c)
	}
	for _, a := range k.Args {
		l.argument(a)
		if a.Host {
			if l.hostVars == nil {
				l.hostVars = map[*typed.Var]*variable{}
			}
			l.hostVars[a.Var] = l.fr.vars.of(a.Var)
		}
	}
	l.block(k.Func.Body)
	l.setLoc(k.Func.End)
	l.b.Return()
	l.finish()
	l.checkTiles()
	l.divergence()
}

// setLoc sets the source position of the following instructions.
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

// count charges the budget for an operation and for the instructions created since.
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
	if !errors.As(err, &over) { // canceled, which the caller reports
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

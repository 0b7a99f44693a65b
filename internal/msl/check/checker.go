package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// checker checks one translation unit. Its state is grouped by lifetime. State of a function is in
// fnCtx, of template deduction in deducer, and of constant evaluation in package consteval.
type checker struct {
	unit
	tables
	nesting
	context
}

// unit is set when the check begins and then stays fixed, except that prelude redirects sink while
// it declares the library.
type unit struct {
	opts   Options
	u      *types.Universe
	lib    *builtin.Library
	eval   *consteval.Evaluator
	caller *diag.Sink // the sink passed to Program
	sink   *diag.Sink // the sink that currently receives reports
	global *scope
	metal  *scope // the library's namespace

	library *Library // of the dialect, or nil
	own     *scope   // its namespace

	auto *types.Struct // placeholder for a type to be deduced
	bad  *types.Struct // placeholder for an erroneous type
	// inPrelude is set while the library's own declarations are checked, which need neither
	// warnings nor bodies.
	inPrelude bool
	// declaring is above 0 while templateSpaces examines the declaration of a template.
	declaring int
	// spaceless holds declarations reported for a pointer or reference without an address space.
	spaceless map[ast.Node]bool
}

// tables grow while the unit is checked and live as long as it. Entries made by an abandoned
// substitution remain and are valid.
type tables struct {
	prog *typed.Program // the result

	// By declaration: the entity created for it.
	records  map[*ast.RecordDecl]*class
	enums    map[*ast.EnumDecl]*types.Enum // the last instance
	literals map[*ast.IntLit]*typed.Const
	horizons map[ast.Decl]int32 // of declarations with bodies; see visible.go

	// By entity of the program: what its type or node does not record.
	classes    map[*types.Struct]*class
	enumScopes map[*types.Enum]*scope // the namespace of an enum
	// enumValues are the scopes of an enum's values, for names after ::.
	enumValues map[*types.Enum]*scope
	functions  map[*typed.Func]*function
	mentions   map[*typed.Func][]mention // what a body names; see kernel.go
	typeIDs    map[types.Type]int        // numbers for keys of instances

	// By name or index, unique in the unit.
	kernels           map[string]diag.Pos // entry points by host name
	functionConstants map[int]*variable
	usedGlobals       map[*typed.Var]bool // globals that are in prog.Globals or prog.Constants
	libTmpls          map[string]*classTmpl
	absent            map[string]bool          // names that the library does not have
	ownDeclared       map[int]bool             // declarations of the dialect's library
	hostVars          map[*typed.Var]*variable // program scope variables that are arguments of kernels
	shared            map[string]*variable     // threadgroup memory whose length the host gives
	sharedNames       map[*typed.Func]string   // of that memory in kernels
	entries           map[*function]bool       // instances of kernels and their templates, in a dialect with launches
	kernelTmpls       []*function              // in a dialect with launches
	doubles           map[diag.Pos]bool        // calls of which doubleOfInteger has warned
	kept, floatsSaid  bool                     // a variable of the device has a value; doubleLiteral has warned

	queue     []*function // functions whose bodies have yet to be checked
	declCount int32       // namespace declarations so far; see visible.go
	instances int         // instantiations so far
	lambdas   int         // lambda expressions so far
	badAt     diag.Pos    // the first expression that could not be resolved
	evaluated int         // constant-evaluation steps not yet charged to the budget

	slabs slabs
}

// nesting tracks what is on the checker's own stack, across functions and instantiations. Every
// increment is undone by the code that made it.
type nesting struct {
	exprDepth int    // nested expressions
	ctorDepth int    // nested attempts of constructors for a conversion
	scratch   []conv // conversions of the candidates being tried
}

// context is where the checker currently is. Bodies, instantiations and static variables are
// checked out of order, when first needed; restore resets the whole context after each. Single
// fields are changed temporarily by in (sc), try and hard (trap), and by the code that increments
// and decrements unevaluated.
type context struct {
	sc   *scope   // the innermost scope
	fn   *fnCtx   // the function whose body is being checked, nil outside
	at   diag.Pos // the expression or declaration being checked, for reports without a better position
	trap *trap    // catches errors; nil if they are reported
	// unevaluated is above 0 in unevaluated operands (sizeof, decltype), which do not count as uses
	// of functions or variables.
	unevaluated int
	// horizon is the number of the last visible namespace declaration; see visible.go.
	horizon   int32
	depth     int          // of nested instantiations
	backtrace []typed.Note // what requested them, outermost first
}

// restore returns to a saved context: "defer c.restore(c.context)".
func (c *checker) restore(saved context) { c.context = saved }

// trap catches the errors of a substitution or of a candidate being tried. They rule it out but are
// not errors of the program.
type trap struct {
	failed int
	// reason receives the explanation of the first failure; nil if none is wanted.
	reason *string
}

func newChecker(fs *diag.FileSet, opts Options, sink *diag.Sink) *checker {
	u := types.NewUniverse()
	c := &checker{
		unit: unit{opts: opts, u: u, lib: builtin.New(u), caller: sink, sink: sink},
		tables: tables{
			prog:        &typed.Program{Files: fs, Universe: u},
			records:     make(map[*ast.RecordDecl]*class),
			enums:       make(map[*ast.EnumDecl]*types.Enum),
			literals:    make(map[*ast.IntLit]*typed.Const),
			horizons:    make(map[ast.Decl]int32),
			classes:     make(map[*types.Struct]*class),
			enumScopes:  make(map[*types.Enum]*scope),
			enumValues:  make(map[*types.Enum]*scope),
			functions:   make(map[*typed.Func]*function),
			mentions:    make(map[*typed.Func][]mention),
			typeIDs:     make(map[types.Type]int),
			kernels:     make(map[string]diag.Pos),
			usedGlobals: make(map[*typed.Var]bool),
			libTmpls:    make(map[string]*classTmpl),
			absent:      make(map[string]bool),

			functionConstants: make(map[int]*variable),
			ownDeclared:       make(map[int]bool),
			hostVars:          make(map[*typed.Var]*variable),
			shared:            make(map[string]*variable),
			sharedNames:       make(map[*typed.Func]string),
			entries:           make(map[*function]bool),
		},
	}
	c.eval = consteval.New(u, evalHost{c}, opts.MaxSteps)
	c.auto = u.NewStruct(types.StructRecord, "auto")
	c.bad = u.NewStruct(types.StructRecord, "<error>")
	c.bad.Complete(nil)
	c.global = newScope(nil, nsScope, "")
	c.global.clock = &c.declCount
	c.metal = newScope(c.global, nsScope, "metal")
	c.metal.lib = "metal"
	c.global.sym("metal").ns = c.metal
	c.global.sym("simd").ns = c.metal
	for _, n := range []string{"fast", "precise"} {
		s := newScope(c.metal, nsScope, n)
		s.lib = "metal::" + n
		c.metal.sym(n).ns = s
	}
	c.sc, c.horizon = c.global, everything
	return c
}

package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// checker checks one translation unit. Its state is grouped by lifetime; state of a function is in
// fnCtx, of a template's deduction in deducer, of a constant evaluation in package consteval.
type checker struct {
	unit
	tables
	nesting
	context
}

// unit is set when the check begins and stays as it is, except that prelude redirects sink while it
// declares the library.
type unit struct {
	opts   Options
	u      *types.Universe
	lib    *builtin.Library
	eval   *consteval.Evaluator
	caller *diag.Sink // the sink that Program was given
	sink   *diag.Sink // the sink that takes reports
	global *scope     // the global namespace
	metal  *scope     // the library's namespace

	auto *types.Struct // stands for a type to be deduced
	bad  *types.Struct // stands for a type that is in error
	// inPrelude is set while the library's own declarations are checked, which need no warnings and
	// no bodies.
	inPrelude bool
}

// tables grow while the unit is checked and live as long as it. What an abandoned substitution
// entered stays, and is right.
type tables struct {
	prog *typed.Program // the result

	// By declaration: what the checker made of it.
	records  map[*ast.RecordDecl]*class
	enums    map[*ast.EnumDecl]*types.Enum // the last instance
	literals map[*ast.IntLit]*typed.Const
	horizons map[ast.Decl]int32 // of declarations with bodies, see visible.go

	// By entity of the program: what its type or node does not hold.
	classes    map[*types.Struct]*class
	enumScopes map[*types.Enum]*scope // the namespace of an enum
	// enumValues are the scopes of an enum's values, for names behind ::.
	enumValues map[*types.Enum]*scope
	functions  map[*typed.Func]*function
	mentions   map[*typed.Func][]mention // what a body names, see kernel.go
	typeIDs    map[types.Type]int        // numbers for keys of instances

	// By name or index, unique in the unit.
	kernels           map[string]diag.Pos // entry points by host name
	functionConstants map[int]*variable
	usedGlobals       map[*typed.Var]bool // globals that are in prog.Globals or prog.Constants
	libTmpls          map[string]*classTmpl
	absent            map[string]bool // names that the library does not have

	queue     []*function // functions whose bodies are still to be checked
	declCount int32       // how many declarations of namespaces there were, see visible.go
	instances int         // how many instantiations there were
	lambdas   int         // how many lambda expressions there were
	badAt     diag.Pos    // the first expression that could not be resolved
	evaluated int         // steps of constant evaluations that are not spent yet

	slabs slabs
}

// nesting counts what is on the stack of the checker itself, across functions and instantiations.
// Whoever adds to it takes the same away.
type nesting struct {
	exprDepth int    // of expressions within each other
	ctorDepth int    // of constructors tried for a conversion within each other
	scratch   []conv // the conversions of the candidates that are being tried
}

// context is where the checker is. Bodies, instantiations and variables of static storage are
// checked out of turn, when something first needs them: restore puts the context back as a whole
// after each of them. The operations that change one part for a while are in (sc), try and hard
// (trap), and the places that count unevaluated up and down.
type context struct {
	sc   *scope   // the innermost scope
	fn   *fnCtx   // the function whose body is checked, nil outside
	at   diag.Pos // the expression or declaration that is checked, for reports that have no better place
	trap *trap    // catches errors, nil where errors are reported
	// unevaluated is above 0 in unevaluated operands (sizeof, decltype), which use no function and
	// no variable.
	unevaluated int
	// horizon is the number of the last declaration of a namespace that is visible, see visible.go.
	horizon   int32
	depth     int          // of instantiations within each other
	backtrace []typed.Note // what requested them, outermost first
}

// restore returns to a context: "defer c.restore(c.context)".
func (c *checker) restore(saved context) { c.context = saved }

// trap catches the errors of a substitution or of a candidate that is tried: they rule it out, and
// are no errors of the program.
type trap struct {
	failed int
	// reason is where the first failure is explained, nil if nobody asks.
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

package check

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Q is a type with its qualifiers; a reference is a Q whose Type is a *types.Reference.
type Q = types.Qualified

// variable is a variable, parameter, static member or captured variable.
type variable struct {
	name  string
	q     Q // a reference type if the variable is a reference
	v     *typed.Var
	owner *fnCtx // of a local
	// A static member, or an instance of a global variable template, is checked when first used.
	decl  *ast.VarDecl
	scope *scope
	state state
	class *class
	// field is the index of the lambda's field that holds a captured variable.
	field int
	this  bool       // reached through the lambda's object
	bind  typed.Expr // of a structured binding: the expression it names
	used  bool       // of a local: it is named somewhere
	at    diag.Pos   // of a local: position of its name
	// pending is set for a pointer whose address space its first assignment gives, in a dialect.
	pending bool
	null    *typed.VarDecl // its declaration, whose initializer is null
	written ast.TypeExpr   // its type
}

type state uint8

const (
	stateNew state = iota
	stateBusy
	stateDone
)

// constant is an enumerator or the value of a non-type template parameter.
type constant struct {
	value types.Value
	fn    *function // of a function template parameter
}

// field is a data member, by name in a class's scope.
type field struct{}

// arg is one argument of a template.
type arg struct {
	kind  argKind
	q     Q
	val   types.Value
	tmpl  any // *classTmpl or *aliasTmpl
	fn    *function
	v     *variable // of a pack of function parameters
	elems []arg     // of a pack
}

// unpacked lists arguments with each pack replaced by its elements.
func unpacked(args []arg) (list []arg) {
	for _, a := range args {
		if a.kind == argPack {
			list = append(list, a.elems...)
		} else {
			list = append(list, a)
		}
	}
	return list
}

type argKind uint8

const (
	argNone argKind = iota
	argType
	argValue
	argTemplate
	argFunc
	argVar
	argPack
)

// pack is a bound parameter pack.
type pack struct{ elems []arg }

type classTmpl struct {
	name     string
	params   []ast.TemplateParam
	decl     *ast.RecordDecl // the definition, or the first declaration
	scope    *scope
	partials []*partial
	insts    map[string]*class
	lib      string // name of a library template
	prelude  bool   // the program may redefine it
}

// partial is a partial specialization, or an explicit one if it has no parameters.
type partial struct {
	params []ast.TemplateParam
	args   []ast.TemplateArg
	decl   *ast.RecordDecl
	varD   *ast.VarDecl
	scope  *scope
}

type aliasTmpl struct {
	name    string
	params  []ast.TemplateParam
	decl    *ast.AliasDecl
	scope   *scope
	prelude bool
}

type varTmpl struct {
	name     string
	params   []ast.TemplateParam
	decl     *ast.VarDecl
	scope    *scope
	partials []*partial
	insts    map[string]*variable
	class    *class
	prelude  bool
}

// class is a struct, class or union, with data that package types does not hold.
type class struct {
	st         *types.Struct
	sc         *scope
	decl       *ast.RecordDecl
	tmpl       *classTmpl
	args       []arg
	bases      []*class
	ctors      []*function
	convs      []*function
	decls      []*ast.VarDecl // by field index; nil for bases
	state      state
	lambda     *lambda
	fieldInits bool // has members with default initializers
	badBase    bool // a base is erroneous: do not report members missing because of that
	// access holds the access of non-public members, methodAccess that of functions. friends is set
	// if the class declares any.
	access       map[string]ast.Access
	methodAccess map[*ast.FuncDecl]ast.Access
	friends      bool
	// memberwise are the synthesized constructors, keyed by the members they take.
	memberwise map[string]*function
	userCopy   uint8 // whether copying runs code: 0 unknown, 1 no, 2 yes
	copying    int   // its copy constructor is being resolved
}

// function is a function, a method, a function template or an instance of one.
type function struct {
	name    string
	decl    *ast.FuncDecl
	tparams []ast.TemplateParam // of a template
	scope   *scope              // in which it was declared
	class   *class              // of a member
	lambda  *lambda
	order   *scope // of a template: its parameter scope for partial ordering

	// Of non-template functions, once the signature is resolved.
	sigState state
	params   []Q
	result   Q
	space    types.AddrSpace // of a method's object
	konst    bool            // a const method
	out      *typed.Func
	vars     []*variable
	bscope   *scope // scope of the parameters
	state    state  // of the body
	queued   bool
	def      *function // the declaration that has the body

	tmpl   *function // the template that this is an instance of
	args   []arg
	insts  map[string]*function
	specs  []spec // explicit specializations, in CUDA C++
	kernel bool   // an entry point
	since  int32
	notes  []typed.Note
}

func (f *function) isTemplate() bool { return len(f.tparams) > 0 }

// isMethod reports whether f is called on an object.
func (f *function) isMethod() bool {
	return f.class != nil && f.decl != nil && !f.decl.Spec.Static && !f.decl.Spec.Friend
}

// fnCtx is the function whose body is being checked.
type fnCtx struct {
	f       *function
	out     *typed.Func
	this    *variable
	result  Q
	deduce  bool // the result is deduced from the returns
	deduced bool
	nulls   []*typed.Return // of null, before the result is deduced
	loops   int
	breaks  int
	kernel  bool
	lambda  *lambda
	locals  []*variable // locals checked for use

	instance *Instance // of a dialect, for its translation
}

// lambda is the state of a lambda expression.
type lambda struct {
	captures map[string]*variable
	order    []*variable
	free     *function // the function it converts to if it captures nothing
}

// typeID returns the number of a type in keys.
func (c *checker) typeID(t types.Type) int {
	id, ok := c.typeIDs[t]
	if !ok {
		id = len(c.typeIDs) + 1
		c.typeIDs[t] = id
	}
	return id
}

func (c *checker) qKey(b *strings.Builder, q Q) {
	fmt.Fprintf(b, "t%d.%d", c.typeID(q.Type), q.Space)
	if q.Const {
		b.WriteByte('c')
	}
	if q.Volatile {
		b.WriteByte('v')
	}
}

// key identifies a list of template arguments.
func (c *checker) key(args []arg) string {
	var b strings.Builder
	c.writeKey(&b, args)
	return b.String()
}

func (c *checker) writeKey(b *strings.Builder, args []arg) {
	c.spend(len(args), 0)
	for i := range args {
		a := &args[i]
		switch a.kind {
		case argType:
			c.qKey(b, a.q)
		case argValue:
			b.WriteString(a.val.Key())
		case argTemplate:
			fmt.Fprintf(b, "T%p", a.tmpl)
		case argFunc:
			fmt.Fprintf(b, "F%p", a.fn)
		case argPack:
			b.WriteByte('[')
			c.writeKey(b, a.elems)
			b.WriteByte(']')
		}
		b.WriteByte(';')
	}
}

// argString formats template arguments.
func argString(args []arg) string {
	// Nested names can double in length with every level.
	const most = 2048
	var parts []string
	long := 0
	for i := range args {
		a := &args[i]
		if n := len(parts); n > 0 {
			long += len(parts[n-1]) + 2
		}
		if long > most {
			break
		}
		switch a.kind {
		case argType:
			parts = append(parts, a.q.String())
		case argValue:
			parts = append(parts, a.val.String())
		case argFunc:
			parts = append(parts, "&"+a.fn.name)
		case argTemplate:
			switch t := a.tmpl.(type) {
			case *classTmpl:
				parts = append(parts, t.name)
			case *aliasTmpl:
				parts = append(parts, t.name)
			}
		case argPack:
			if s := argString(a.elems); s != "" {
				parts = append(parts, s)
			}
		}
	}
	all := strings.Join(parts, ", ")
	if len(all) > most {
		all = strings.ToValidUTF8(all[:most], "") + "..."
	}
	return all
}

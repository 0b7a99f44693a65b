package typed

import (
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Expr is a typed expression. The node types of this package are the only ones in a finished
// program.
type Expr interface {
	// Pos is where the expression's operator or name stands.
	Pos() diag.Pos
	// Type is the type of the value, or of the object for an lvalue.
	Type() types.Type
	// Base gives the rest of what is known: whether it is an lvalue, where it lives.
	Base() *Info
}

// Info is what all expressions have in common; nodes embed it.
type Info struct {
	Typ      types.Type
	At       diag.Pos
	LValue   bool
	Const    bool            // an lvalue that cannot be assigned to
	Volatile bool            // an lvalue whose accesses are volatile
	Space    types.AddrSpace // where an lvalue lives; Thread for automatic objects
}

// Pos implements Expr.
func (i *Info) Pos() diag.Pos { return i.At }

// Type implements Expr.
func (i *Info) Type() types.Type { return i.Typ }

// Base implements Expr.
func (i *Info) Base() *Info { return i }

// Const is a constant of scalar, vector, matrix, enum, pointer (null only), array or struct type.
type Const struct {
	Info
	Value types.Value
}

// VarRef denotes a variable (an lvalue).
type VarRef struct {
	Info
	Var *Var
}

// Load reads the object that X denotes.
type Load struct {
	Info
	X Expr
}

// Deref denotes the object that the pointer X points to (an lvalue).
type Deref struct {
	Info
	X Expr
}

// AddrOf is the address of the lvalue X.
type AddrOf struct {
	Info
	X Expr
}

// Member denotes field Index of the struct X; an lvalue if X is one.
type Member struct {
	Info
	X     Expr
	Index int
}

// Index denotes an element of an array, a component of a vector or a column of a matrix; an lvalue
// if X is one. An element of what a pointer points to is Deref(PtrAdd).
type Index struct {
	Info
	X     Expr
	Index Expr // of an integer type of any width
}

// Swizzle picks components of the vector X; an lvalue if X is one and no component repeats.
type Swizzle struct {
	Info
	X     Expr
	Comps []uint8
}

// PtrAdd is the pointer X plus N elements (N of type long, may be negative).
type PtrAdd struct {
	Info
	X, N Expr
}

// PtrDiff is X - Y in elements, of type long.
type PtrDiff struct {
	Info
	X, Y Expr
}

// Op is an operator on values. Plus does not occur, and LogicalAnd and LogicalOr only in Binary on
// vectors of bool, where nothing is short-circuited.
type Op = types.Op

// Unary is Neg, Not or BitNot of a scalar, vector or matrix.
type Unary struct {
	Info
	Op Op
	X  Expr
}

// Binary is an operation on two values of one type: scalars, vectors, pointers and enums
// (comparison only), matrices (Add, Sub, Mul, Eq, Ne). Shifts have a count of their own type with
// as many components. Mul of matrix by matrix, matrix by vector, vector by matrix and matrix by
// scalar has operands of different types.
type Binary struct {
	Info
	Op   Op
	X, Y Expr
}

// Logical is X && Y or X || Y on bool, evaluating Y only if needed.
type Logical struct {
	Info
	Or   bool
	X, Y Expr
}

// Cond is C ? X : Y on a bool C; an lvalue if X and Y are.
type Cond struct {
	Info
	C, X, Y Expr
}

// Assign stores Y to the lvalue X; it denotes X afterwards.
type Assign struct {
	Info
	X, Y Expr
}

// CompoundAssign is X Op= Y. X is read, converted to OpType (as by Convert of Kind To), combined
// with Y, converted back (From) and stored.
type CompoundAssign struct {
	Info
	Op       Op
	X, Y     Expr
	OpType   types.Type
	To, From ConvKind
}

// IncDec is ++ or -- on an integer, floating-point or pointer lvalue. Prefix denotes X, postfix is
// the old value.
type IncDec struct {
	Info
	X    Expr
	Dec  bool
	Post bool
}

// ConvKind says what a Convert does.
type ConvKind uint8

// The conversions.
const (
	ConvNone        ConvKind = iota
	ConvArith                // between bool, integers and floating-point types, enums included; to bool compares with 0
	ConvVector               // component by component, also packed to vector and back
	ConvSplat                // scalar to every component, after an arithmetic conversion of its own if need be
	ConvMatrix               // column by column
	ConvReinterpret          // as_type: same bits, same size
	ConvPointer              // pointer to pointer of the same address space, other pointee
	ConvPtrToInt             // address as an integer
	ConvIntToPtr             // integer as an address
	ConvPtrToBool            // not null
	ConvDecay                // lvalue array to pointer to its first element
	ConvVoid                 // value thrown away
	ConvDiagonal             // scalar to a matrix with it on the diagonal
	ConvSimdFill             // scalar to a simdgroup_matrix with it on the diagonal
)

// String names the conversion.
func (k ConvKind) String() string {
	return [...]string{"none", "arith", "vector", "splat", "matrix", "reinterpret", "pointer", "ptrtoint", "inttoptr",
		"ptrtobool", "decay", "void", "diagonal", "simdfill"}[k]
}

// Convert gives X the type Typ. X is a value, except for ConvDecay, where it is an lvalue.
type Convert struct {
	Info
	Kind ConvKind
	X    Expr
}

// Compose makes a vector or a matrix from scalars and vectors, whose components follow each other.
type Compose struct {
	Info
	Elems []Expr
}

// Aggregate makes a struct or an array member by member; a nil element is zero. Elems may be
// shorter than the type, the rest is zero.
type Aggregate struct {
	Info
	Elems []Expr
}

// Zero is the value initialization of any type.
type Zero struct{ Info }

// Construct is a temporary of struct type on which the constructor has run: Args exclude the
// object.
type Construct struct {
	Info
	Ctor *Func
	Args []Expr
}

// Temp puts the value X in a fresh object in thread memory and denotes it.
type Temp struct {
	Info
	X Expr
}

// Call calls a function of the program; Args include the object's address for methods.
type Call struct {
	Info
	Func *Func
	Args []Expr
}

// Builtin calls a function of the standard library. By-reference parameters get AddrOf arguments;
// for methods of opaque types (textures, ...) the object comes first.
type Builtin struct {
	Info
	Fn   *builtin.Func
	Op   builtin.Op
	Args []Expr
	// TArgs are the explicit template arguments in effect (types or Const values).
	TArgs []types.Type
	// Fast and Precise say through which namespace it was named; neither means the default mode.
	Fast, Precise bool
}

// FuncAddr is the address of a function.
type FuncAddr struct {
	Info
	Func *Func
}

// CallPtr calls through a function pointer or an entry of a visible function table.
type CallPtr struct {
	Info
	Fn   Expr
	Args []Expr
}

// Comma evaluates X, throws it away, and is Y.
type Comma struct {
	Info
	X, Y Expr
}

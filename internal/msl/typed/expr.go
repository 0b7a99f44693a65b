package typed

import (
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Expr is a typed expression. A finished program contains only the node types of this package.
type Expr interface {
	// Pos is the position of the expression's operator or name.
	Pos() diag.Pos
	// Type is the type of the value, or of the object for an lvalue.
	Type() types.Type
	// Base returns further properties: whether it is an lvalue, and its address space.
	Base() *Info
}

// Info is embedded in every expression node.
type Info struct {
	Typ      types.Type
	At       diag.Pos
	LValue   bool
	Const    bool            // an lvalue that cannot be assigned to
	Volatile bool            // an lvalue whose accesses are volatile
	Space    types.AddrSpace // address space of an lvalue; Thread for automatic objects
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

// VarRef refers to a variable (an lvalue).
type VarRef struct {
	Info
	Var *Var
}

// Load reads the object X.
type Load struct {
	Info
	X Expr
}

// Deref is the object that the pointer X points to (an lvalue).
type Deref struct {
	Info
	X Expr
}

// AddrOf is the address of the lvalue X.
type AddrOf struct {
	Info
	X Expr
}

// Member is field Index of the struct X; an lvalue if X is one.
type Member struct {
	Info
	X     Expr
	Index int
}

// Index is an element of an array, a component of a vector or a column of a matrix; an lvalue if X
// is one. Indexing a pointer is Deref(PtrAdd) instead.
type Index struct {
	Info
	X     Expr
	Index Expr // of an integer type of any width
}

// Swizzle selects components of the vector X; an lvalue if X is one and no component repeats.
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

// Op is an operator on values. Plus does not occur. LogicalAnd and LogicalOr occur only in Binary
// on vectors of bool, which do not short-circuit.
type Op = types.Op

// Unary is Neg, Not or BitNot of a scalar, vector or matrix.
type Unary struct {
	Info
	Op Op
	X  Expr
}

// Binary is an operation on two values of the same type: scalars, vectors, pointers and enums
// (comparison only), matrices (Add, Sub, Mul, Eq, Ne). The count of a shift has its own type with
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

// Assign stores Y to the lvalue X and yields X.
type Assign struct {
	Info
	X, Y Expr
}

// CompoundAssign is X Op= Y. X is read, converted to OpType (with conversion To), combined with Y,
// converted back (From) and stored.
type CompoundAssign struct {
	Info
	Op       Op
	X, Y     Expr
	OpType   types.Type
	To, From ConvKind
}

// IncDec is ++ or -- on an integer, floating-point or pointer lvalue. The prefix form yields X, the
// postfix form the old value.
type IncDec struct {
	Info
	X    Expr
	Dec  bool
	Post bool
}

// ConvKind is the kind of a Convert.
type ConvKind uint8

// The conversions.
const (
	ConvNone        ConvKind = iota
	ConvArith                // among bool, integers, floating-point types and enums; to bool compares with 0
	ConvVector               // component by component, also packed to vector and back
	ConvSplat                // scalar, converted if necessary, to every component
	ConvMatrix               // column by column
	ConvReinterpret          // as_type: same bits, same size
	ConvPointer              // pointer to pointer of the same address space, other pointee
	ConvPtrToInt             // address as an integer
	ConvIntToPtr             // integer as an address
	ConvPtrToBool            // not null
	ConvDecay                // lvalue array to pointer to its first element
	ConvVoid                 // value discarded
	ConvDiagonal             // scalar to a matrix with it on the diagonal
	ConvSimdFill             // scalar to a simdgroup_matrix with it on the diagonal
)

// String returns the name of the conversion.
func (k ConvKind) String() string {
	return [...]string{"none", "arith", "vector", "splat", "matrix", "reinterpret", "pointer", "ptrtoint", "inttoptr",
		"ptrtobool", "decay", "void", "diagonal", "simdfill"}[k]
}

// Convert converts X to type Typ. X is a value, except for ConvDecay, where it is an lvalue.
type Convert struct {
	Info
	Kind ConvKind
	X    Expr
}

// Compose builds a vector or matrix from the concatenated components of scalars and vectors.
type Compose struct {
	Info
	Elems []Expr
}

// Aggregate builds a struct or array member by member; a nil element is zero. Elems may be shorter
// than the type; the rest is zero.
type Aggregate struct {
	Info
	Elems []Expr
}

// Zero is the value initialization of any type.
type Zero struct{ Info }

// Construct is a temporary of struct type initialized by a constructor; Args does not include the
// object.
type Construct struct {
	Info
	Ctor *Func
	Args []Expr
}

// Temp stores the value X in a new object in thread memory and yields the object.
type Temp struct {
	Info
	X Expr
}

// Call calls a function of the program; for a method, Args includes the object's address.
type Call struct {
	Info
	Func *Func
	Args []Expr
}

// Builtin calls a library function. By-reference parameters get AddrOf arguments; for methods of
// opaque types (textures, ...) the object is the first argument.
type Builtin struct {
	Info
	Fn   *builtin.Func
	Op   builtin.Op
	Args []Expr
	// TArgs are the explicit template arguments in effect (types or Const values).
	TArgs []types.Type
	// Fast and Precise are set if it was named in that namespace; neither means the default mode.
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

// Comma evaluates X, discards it, and yields Y.
type Comma struct {
	Info
	X, Y Expr
}

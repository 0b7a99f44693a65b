package typed

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Program is a checked translation unit.
type Program struct {
	Files    *diag.FileSet
	Universe *types.Universe
	// Functions are all checked functions with a body, including entry points, in the order they
	// were checked. A caller may precede its callees.
	Functions []*Func
	// Kernels are the compute entry points in source order.
	Kernels []*Kernel
	// Globals are the used program scope variables: constant data, function constants and constants
	// computed from function constants. Each depends only on earlier ones.
	Globals []*Var
	// Constants are all function constants, including unused ones, in source order.
	Constants []*Var
	// Skipped are the entry points of stages other than compute; they are not checked further.
	Skipped []Skipped
}

// Skipped is an entry point of a render stage, which this compiler does not lower.
type Skipped struct {
	Name  string
	Stage string
	Pos   diag.Pos
}

// Func is a function, method, constructor, lambda body or template instantiation.
type Func struct {
	Name    string // as in the source, without namespaces: "relu"
	Linkage string // unique in the program: "ns::S<float>::relu(float)"
	Pos     diag.Pos
	End     diag.Pos
	This    *Var   // pointer to the object, also Params[0]; nil for other functions
	Params  []*Var // in order, This first
	Result  types.Type
	// RefResult means that the function returns a reference; Result is then a pointer type.
	RefResult bool
	Ctor      bool
	Constexpr bool
	// Visible marks a [[visible]] function, which a pipeline can link by name.
	Visible bool
	// Intrinsic names an operation without a body that the checker defines; "" for other functions.
	Intrinsic string
	Body      *Block // nil for a declaration that was never defined
	Locals    int    // number of variables: their IDs are 0..Locals-1 within the function
	Backtrace []Note // the instantiation stack, innermost first
}

// Note is a message at a position.
type Note struct {
	Pos     diag.Pos
	Message string
}

// VarKind is the kind of a variable.
type VarKind uint8

// The kinds of variables.
const (
	Local            VarKind = iota // automatic, in thread memory
	Param                           // parameter
	ThreadgroupLocal                // local of an entry point in threadgroup memory
	Global                          // program scope, constant address space, Init is constant
	FunctionConstant                // [[function_constant(n)]]
	SpecConstant                    // program scope, Init depends on function constants
	StaticLocal                     // static constexpr constant of a function or struct
)

// String returns the name of the kind.
func (k VarKind) String() string {
	switch k {
	case Local:
		return "local"
	case Param:
		return "param"
	case ThreadgroupLocal:
		return "threadgroup"
	case Global:
		return "global"
	case FunctionConstant:
		return "function_constant"
	case SpecConstant:
		return "spec_constant"
	case StaticLocal:
		return "static"
	}
	return "?"
}

// Var is a variable, parameter or program scope constant.
type Var struct {
	Name  string
	Pos   diag.Pos
	Kind  VarKind
	Type  types.Type // a pointer type if Ref
	Space types.AddrSpace
	Const bool
	// Volatile is set on volatile objects.
	Volatile bool
	// Ref means that the source declares a reference; Type is the pointer that implements it.
	Ref bool
	// ID is the number of a local or parameter in its function, or of a global in the program.
	ID int
	// Index is the index of a function constant, or -1.
	Index int
	// Init is the initializer of a global; that of a local is in its VarDecl.
	Init Expr
	// Value is the value of a global with a constant Init; otherwise it is invalid.
	Value types.Value
}

// Kernel is a checked compute entry point: its typed function and the bindings of its arguments. It
// only lives during compilation, where lowering turns it into an ir.Func; reflection uses
// msl.Kernel.
type Kernel struct {
	HostName string // the name for newFunctionWithName:
	Func     *Func
	Args     []*Arg
	// MaxThreads is max_total_threads_per_threadgroup, 0 if not given.
	MaxThreads int
	// RequiredThreads is required_threads_per_threadgroup, zeros if not given.
	RequiredThreads [3]int
	// Native is the argument of puremetal::native, "" if not given.
	Native string
	// Constants are the function constants that the entry point reads, directly or indirectly.
	Constants []*Var
	// Threadgroup are the entry point's variables in threadgroup memory.
	Threadgroup []*Var
}

// ArgKind is what an entry point's argument is bound to.
type ArgKind uint8

// The kinds of arguments.
const (
	ArgBuffer ArgKind = iota
	ArgTexture
	ArgSampler
	ArgThreadgroup // threadgroup memory with a length set by the host
	ArgBuiltin     // thread_position_in_grid and so on
	ArgVisibleFunctionTable
	ArgStageIn
)

// String returns the name of the attribute.
func (k ArgKind) String() string {
	switch k {
	case ArgBuffer:
		return "buffer"
	case ArgTexture:
		return "texture"
	case ArgSampler:
		return "sampler"
	case ArgThreadgroup:
		return "threadgroup"
	case ArgBuiltin:
		return "builtin"
	case ArgVisibleFunctionTable:
		return "visible_function_table"
	case ArgStageIn:
		return "stage_in"
	}
	return "?"
}

// Arg is one argument of an entry point.
type Arg struct {
	Kind  ArgKind
	Var   *Var
	Index int // buffer, texture, sampler or threadgroup index; -1 for builtins
	// Count is the number of consecutive indices that an array of textures or samplers takes,
	// otherwise 1.
	Count int
	// Builtin is the attribute's name for ArgBuiltin, such as "thread_position_in_grid".
	Builtin string
	// Elem is the pointee for buffers and threadgroup memory, the type itself otherwise.
	Elem types.Type
	// ByRef is set when the source declares a reference.
	ByRef bool
	// ReadOnly is set for buffers that the function cannot write through this argument.
	ReadOnly bool
	// Condition is the [[function_constant(name)]] that decides whether the argument exists; nil if
	// it always does.
	Condition *Var
	// Host is set for a program scope variable of a dialect that the host sets, which functions use
	// without having it as a parameter.
	Host bool
	// Name is the name in this kernel, if it is not that of Var.
	Name string
	// Attrs are further attributes by name: "raster_order_group", "user".
	Attrs []string
}

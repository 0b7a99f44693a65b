package stdlib

// File is what a definition file declares, in its order.
type File struct {
	Ops        []Op
	Funcs      []Func
	Enums      []Enum
	Classes    []Class
	Consts     []Const
	Namespaces []string // sorted
	Sections   []string
}

// Op is an operation with its meaning.
type Op struct {
	Name, Doc string
}

// Func is a function, or a member function of one class.
type Func struct {
	Line            int
	Section         string
	Name, Namespace string
	Recv            string
	Vars            []Var
	Params          []Param
	Result          Type
	Op              string
	Flags           []string
	Since           int
	Variadic        bool
	Low             bool // under the compiler's own name
}

// Var is a variable with the types or address spaces that it stands for.
type Var struct {
	Name  string
	Types []string
}

// Param is a parameter.
type Param struct {
	Name       string
	Type       Type
	HasDefault bool
	Default    int64
}

// Type is a type with variables.
type Type struct {
	Name, Sel, Space string
	Args             []Type
	Const, Volatile  bool
	Refer            string // "", "*", "&", "&&"
}

// Enum is an enumeration.
type Enum struct {
	Section         string
	Name, Namespace string
	Scoped, Flags   bool
	Since           int
	Names           []string
	Values          []int64
}

// Class is a type name.
type Class struct {
	Section              string
	Name, Namespace, Doc string
	Kind                 string // struct, opaque, template, alias, trait, typetrait
	Fields               []Param
	Since                int
	Unsupported          bool
}

// Const is a constant, or an object of a library class, which has no bits.
type Const struct {
	Name, Type string
	Bits       uint64
}

// FirstVersion is the version of what has no "since": Metal 1.0.
const FirstVersion = 100

// Flags are the flags of functions, in the order of package builtin's.
var Flags = []string{"pure", "convergent", "uniform", "reads", "writes", "atomic", "fast", "precise", "special",
	"unsupported", "const",
	"constructor", "static", "needsample", "needread", "needwrite", "logging", "needatomic", "needatomic64"}

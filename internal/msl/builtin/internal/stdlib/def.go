package stdlib

// File is the contents of a definition file, in order.
type File struct {
	Ops        []Op
	Funcs      []Func
	Enums      []Enum
	Classes    []Class
	Consts     []Const
	Namespaces []string // sorted
	Sections   []string
}

// Op is an operation and its documentation.
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
	Low             bool // has the compiler's own name
}

// Var is a type variable with the types or address spaces it ranges over.
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

// Type is a type that may contain variables.
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

// FirstVersion is the default version, without a "since": Metal 1.0.
const FirstVersion = 100

// Flags are the function flags, in the order of package builtin.
var Flags = []string{"pure", "convergent", "uniform", "reads", "writes", "atomic", "fast", "precise", "special",
	"unsupported", "const",
	"constructor", "static", "needsample", "needread", "needwrite", "logging", "needatomic", "needatomic64"}

package bindgen

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a macOS version; patch numbers are dropped, as package objc does. The zero Version is
// unknown.
type Version struct{ Major, Minor int }

// floor is the oldest macOS that the bindings run on: anything introduced by then needs no
// availability check.
var floor = Version{13, 0}

// ParseVersion parses "13.3" or "10.15.4".
func ParseVersion(s string) (Version, error) {
	parts := strings.Split(s, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return Version{}, fmt.Errorf("version %q: want major.minor", s)
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > 255 {
			return Version{}, fmt.Errorf("version %q: part %q is not a number from 0 to 255", s, p)
		}
		n[i] = v
	}
	return Version{n[0], n[1]}, nil
}

func (v Version) String() string {
	if v == (Version{}) {
		return "unknown"
	}
	return fmt.Sprintf("macOS %d.%d", v.Major, v.Minor)
}

// After reports whether v is newer than w.
func (v Version) After(w Version) bool {
	return v.Major > w.Major || v.Major == w.Major && v.Minor > w.Minor
}

// Param is one parameter of a method, function or block.
type Param struct {
	Name     string
	Type     CType
	Nullable bool
}

// Method is one method of a class or protocol.
type Method struct {
	Selector    string
	ClassMethod bool
	Params      []Param
	Ret         CType
	NullableRet bool
	Since       Version // zero: same as its class
	Deprecated  bool
	DeprecIn    Version // zero: not known
	Optional    bool
	Unavailable bool // a class takes back what its superclass declares
	Variadic    bool // the arguments go on after those declared

	// ShapeElsewhere means that the declaration only names the method, and its types come from
	// darwinkit.
	ShapeElsewhere bool
	NullableNames  []string // with ShapeElsewhere: parameters that may be nil
	Loose          string   // darwinkit only: why its types are not precise enough
	Line           int
}

// Labels returns the selector's parts without colons.
func (m *Method) Labels() []string { return strings.Split(strings.TrimSuffix(m.Selector, ":"), ":") }

// Class is a class or a protocol.
type Class struct {
	Name     string
	Protocol bool
	Super    string   // classes only; "" for a root
	Conforms []string // direct
	Since    Version
	Group    string // the concept, the declaration file's name: the output goes to z<group>.go
	Methods  []*Method
}

// Find returns the method with the selector, or nil.
func (c *Class) Find(selector string, classMethod bool) *Method {
	for _, m := range c.Methods {
		if m.Selector == selector && m.ClassMethod == classMethod {
			return m
		}
	}
	return nil
}

// Member is one value of an enumeration. Values are kept as 64 bits whatever the type's size.
type Member struct {
	Name  string
	Value uint64
}

// Enum is an enumeration or a set of options.
type Enum struct {
	Name       string
	Underlying string // NSUInteger, NSInteger, uint32_t, ...
	Options    bool
	Members    []Member
	Group      string
}

// Field is one field of a structure.
type Field struct {
	Name string
	Type CType
	Len  int // elements of an array, 0 for none
}

// Struct is a C structure.
type Struct struct {
	Name     string
	Tag      string // "?" for none
	Encoding string // given where the compiler's view (a union) differs from the fields
	Fields   []Field
	Group    string
}

// Typedef is another name for a type.
type Typedef struct {
	Name string
	Type CType
}

// Function is a C function that the framework exports, or an inline one that it does not.
type Function struct {
	Name     string
	Params   []Param
	Ret      CType
	Since    Version
	Retained bool
	Inline   bool
	Group    string
}

// Constant is a constant: an NSString behind a symbol, or a plain number.
type Constant struct {
	Name   string
	Type   CType
	Symbol bool
	Value  uint64
	Since  Version
	Group  string
}

// Module is everything known about a framework.
type Module struct {
	Framework string
	Classes   []*Class
	Enums     []*Enum
	Structs   []*Struct
	Typedefs  []*Typedef
	Functions []*Function
	Constants []*Constant
}

// Class returns the class or protocol of that name, or nil. No class of the frameworks shares its
// name with a protocol, NSObject aside.
func (m *Module) Class(name string) *Class {
	for _, c := range m.Classes {
		if c.Name == name {
			return c
		}
	}
	return nil
}

package abitest

import "encoding/json"

// Framework is one table: what a framework declares, for both architectures.
type Framework struct {
	Name      string     `json:"framework"`
	Dylib     string     `json:"dylib"`
	SDK       string     `json:"sdk"`
	Schema    int        `json:"schema"`
	Classes   []Class    `json:"classes"`
	Enums     []Enum     `json:"enums"`
	Structs   []Struct   `json:"structs"`
	Functions []Function `json:"functions"`
	Constants []Constant `json:"constants"`
}

// Class is a class or a protocol. Super and Conforms are the direct ones only.
type Class struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"` // "class" or "protocol"
	Super      string   `json:"super"`
	Conforms   []string `json:"conforms"`
	Introduced string   `json:"introduced"` // macOS, "" when unknown
	Methods    []Method `json:"methods"`
}

// Method is a method of a class or protocol; properties are listed as their getters and setters.
type Method struct {
	Selector        string           `json:"selector"`
	ClassMethod     bool             `json:"class_method"`
	Params          []Param          `json:"params"`
	Returns         string           `json:"returns"`
	Encoding        string           `json:"encoding"`        // arm64
	EncodingX86     string           `json:"encoding_x86_64"` // "" when the same
	ReturnsRetained bool             `json:"returns_retained"`
	Introduced      string           `json:"introduced"`
	Deprecated      bool             `json:"deprecated"`
	Optional        bool             `json:"optional"`
	Unavailable     bool             `json:"unavailable"`
	Plain           bool             `json:"plain"`
	Special         []Special        `json:"special"`
	Stack           map[string][]Arg `json:"stack"` // by architecture: the parameters that do not fit registers
	AMD64Stret      bool             `json:"amd64_stret"`
}

// X86 returns the method's encoding on x86_64.
func (m *Method) X86() string {
	if m.EncodingX86 != "" {
		return m.EncodingX86
	}
	return m.Encoding
}

// Param is a parameter of a method or function.
type Param struct {
	Name string `json:"name"`
	Type string `json:"type"` // as in C
}

// Special is a parameter or result that is neither an integer nor a pointer.
type Special struct {
	At    json.RawMessage `json:"at"`   // "ret" or the parameter's index
	Kind  string          `json:"kind"` // float, double, struct, vector, variadic, va_list
	Type  string          `json:"type"`
	Size  int             `json:"size"`
	ARM64 string          `json:"arm64"`
	AMD64 string          `json:"amd64"`
}

// Arg is a parameter on the stack: its index, its offset from the first stack argument and its
// size.
type Arg [3]int

// Struct is a structure with its layout, the same on both architectures.
type Struct struct {
	Name     string  `json:"name"`
	Tag      string  `json:"tag"`
	Fields   []Field `json:"fields"`
	Size     int     `json:"size"`
	Align    int     `json:"align"`
	Encoding string  `json:"encoding"`
	ARM64    string  `json:"arm64"`
	AMD64    string  `json:"amd64"`
}

// Field is a field of a structure.
type Field struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Offset int    `json:"offset"`
}

// Enum is an enumeration or an option set.
type Enum struct {
	Name       string   `json:"name"`
	Underlying string   `json:"underlying"`
	Encoding   string   `json:"encoding"`
	Size       int      `json:"size"`
	Flags      bool     `json:"flags"`
	Members    []Member `json:"members"`
}

// Member is a constant of an enumeration. Its value needs 64 bits, signed or not as the enumeration
// is.
type Member struct {
	Name    string      `json:"name"`
	Value   json.Number `json:"value"`
	AliasOf string      `json:"alias_of"`
}

// Function is a C function. An inline one has no symbol.
type Function struct {
	Name            string  `json:"name"`
	Params          []Param `json:"params"`
	Returns         string  `json:"returns"`
	Encoding        string  `json:"encoding"`
	Inline          bool    `json:"inline"`
	ReturnsRetained bool    `json:"returns_retained"`
	Introduced      string  `json:"introduced"`
}

// Constant is a global constant: the value at a symbol, or a value in the header.
type Constant struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Encoding   string          `json:"encoding"`
	Symbol     bool            `json:"symbol"`
	Value      json.RawMessage `json:"value"`
	Introduced string          `json:"introduced"`
}
